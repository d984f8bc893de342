import assert from "node:assert/strict";
import type { BatchResult } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { playerName, shortText } from "./arbitraries.js";
import { type PropertyCase, runs } from "./component.js";
import type { Mod } from "./mod-subject.js";

interface Step {
  command: string;
  code?: string;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: shortText.map((text) => ({ command: `say ${text}` })), weight: 3 },
  shortText.map((text) => ({ command: `forbidden ${text}`, code: "INVALID_COMMAND" })),
  playerName
    .filter((name) => !/^(?:host|guest)$/i.test(name))
    .map((name) => ({ command: `give ${name} stone 1`, code: "PLAYER_NOT_FOUND" })),
);

export const batchContract: readonly PropertyCase<Mod>[] = [
  {
    name: "a batch has one result for each command, and runs what is allowed until one fails",
    run: ({ game, bridge }) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 12 }),
          fc.boolean(),
          async (steps, stopOnFailure) => {
            const before = (await game.commands()).length;
            const commands = steps.map(({ command }) => command);
            const outcome = await bridge.call("execute_commands", { commands, stopOnFailure });
            assert.ok(outcome.ok, JSON.stringify(outcome));
            const { ran, results } = outcome.data as BatchResult;
            const failed = steps.findIndex(({ code }) => code !== undefined);
            const due = stopOnFailure && failed >= 0 ? failed + 1 : steps.length;
            assert.equal(ran, due);
            assert.equal(results.length, steps.length);
            for (const [index, { code }] of steps.entries()) {
              const result = results[index];
              assert.equal(result?.success, index < due && code === undefined);
              assert.equal(result?.code, index < due ? code : undefined);
              if (result?.success === false) assert.ok((result.error ?? "").length > 5);
            }
            const reached = steps.slice(0, due).filter(({ code }) => code !== "INVALID_COMMAND");
            assert.deepEqual(
              (await game.commands()).slice(before),
              reached.map(({ command }) => command),
            );
          },
        ),
        runs,
      ),
  },
  {
    name: "a batch that breaks the schema is refused whole",
    run: ({ game, bridge }) =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.constant([]),
            fc.constant(Array(101).fill("say hi")),
            fc.constantFrom(1, "", null, "x".repeat(257)).map((bad) => ["say hi", bad]),
          ),
          async (commands) => {
            const before = (await game.commands()).length;
            const outcome = await bridge.call("execute_commands", { commands });
            assert.equal(outcome.ok || outcome.code, "INVALID_COMMAND");
            assert.equal((await game.commands()).length, before);
          },
        ),
        { numRuns: 20 },
      ),
  },
];
