import assert from "node:assert/strict";
import { type AnswerFrame, DIALECT_VERSION } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";

export interface PropertyCase<Subject> {
  name: string;
  run(subject: Subject): Promise<void>;
}

export const runs = { numRuns: 100 };

export interface Component {
  readonly source: "mcp" | "minecraft";
  readonly texts: readonly string[];
  send(text: string): void;
  valid(id: string): object;
  answerTo(id: string): Promise<AnswerFrame>;
  served?(id: string): Promise<void>;
  /** Resolves once all that was logged so far can be read. */
  logged?(): Promise<unknown>;
  act(): Promise<void>;
  malformed(): number;
  warnings(): number;
  lose(how: number | "cut"): Promise<string>;
}

let count = 0;

async function serve(component: Component, changes: object = {}): Promise<void> {
  const id = `valid-${++count}`;
  component.send(JSON.stringify({ ...component.valid(id), ...changes }));
  const { outcome } = await component.answerTo(id);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  await component.served?.(id);
}

async function refuse(component: Component, changes: object): Promise<void> {
  const id = `broken-${++count}`;
  component.send(JSON.stringify({ ...component.valid(id), ...changes }));
  const { type, outcome } = await component.answerTo(id);
  assert.equal(type, "error");
  assert.equal(outcome.ok || outcome.code, "SCHEMA_ERROR");
}

const malformed = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.json().map((payload) => `{"version":"1.0.0","type":"event","payload":${payload}}`),
);

const foreignVersion = fc
  .oneof(fc.string({ minLength: 1, maxLength: 60 }), fc.stringMatching(/^[02-9]\.\d\.\d$/))
  .filter((version) => !/^1\.\d+\.\d+/.test(version));

export const componentContract: readonly PropertyCase<Component>[] = [
  // Feature: minecraft-mcp-bridge, Property 12: Malformed message resilience
  {
    name: "Property 12: a malformed message is logged, and the next one is served",
    run: (component) =>
      fc.assert(
        fc.asyncProperty(fc.array(malformed, { minLength: 1, maxLength: 6 }), async (texts) => {
          await component.lose("cut");
          const before = component.malformed();
          for (const text of texts) component.send(text);
          await serve(component);
          await component.logged?.();
          assert.ok(component.malformed() > before);
        }),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 13: Connection error recovery
  {
    name: "Property 13: a lost link is logged with the reason, and messages are served on the next one",
    run: (component) =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(1_000, 1_001, 1_011, 4_409, "cut" as const),
          async (how) => {
            assert.notEqual(await component.lose(how), "");
            await serve(component);
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 20: Message schema version inclusion
  {
    name: "Property 20: every message carries the version",
    async run(component) {
      const step = fc.constantFrom(
        () => serve(component),
        () => component.act(),
        () => refuse(component, { timestamp: "now" }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 5 }), async (steps) => {
          for (const each of steps) await each();
        }),
        runs,
      );
      assert.ok(component.texts.length > 100);
      for (const text of component.texts) {
        const { version, source } = JSON.parse(text);
        assert.deepEqual(
          { version, source },
          { version: DIALECT_VERSION, source: component.source },
        );
      }
    },
  },
  // Feature: minecraft-mcp-bridge, Property 21: Schema validation enforcement
  {
    name: "Property 21: a message that breaks the schema is answered with SCHEMA_ERROR",
    run: (component) =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom("version", "type", "timestamp", "source", "payload"),
          fc.oneof(fc.constant(undefined), fc.array(fc.integer()), fc.boolean()),
          async (field, value) => {
            await refuse(component, { [field]: value });
            // A good one between: only many bad ones in a row end a link.
            await serve(component);
          },
        ),
        runs,
      ),
  },
  // Feature: minecraft-mcp-bridge, Property 22: Version mismatch handling
  {
    name: "Property 22: a message of another version is served as far as it can be, with a warning",
    run: (component) =>
      fc.assert(
        fc.asyncProperty(foreignVersion, async (version) => {
          await serve(component, { version, news: true });
          await component.logged?.();
          assert.equal(component.warnings(), 1);
        }),
        runs,
      ),
  },
];
