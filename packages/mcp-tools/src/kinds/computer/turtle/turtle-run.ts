import type { TurtlePlace, TurtleStep } from "@ccbridge/protocol";
import type { ComputerView, JobFailure } from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { timeoutMs, waitMs } from "../../../core/arguments.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { ANSWER_LENGTH, capital, cutEnd } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { computerFacts } from "../computer.js";
import { runOnSeveral, SeveralReportSchema } from "../jobs/run-on-several.js";
import { requireMethod } from "../request.js";
import { findSeveral, targets } from "../several.js";
import { askComputer } from "../undo/ask.js";
import { estimateSteps, needsPlace } from "./estimate.js";
import { MAX_TIMES, parseStep, stepNames } from "./steps.js";
import { FacingSchema, placeText, turtlesOf } from "./turtle-status.js";

const EstimateSchema = z.object({
  fuel: z.union([z.number(), z.literal("unlimited")]).describe("What it has now."),
  fuelNeeded: z.int().describe("What the moves take, if all succeed."),
  enough: z.boolean(),
  seconds: z.number().describe("About how long it takes."),
  end: z
    .object({
      position: z.object({ x: z.int(), y: z.int(), z: z.int() }).nullable(),
      facing: FacingSchema.nullable(),
    })
    .describe("Where it would end up; null if unknown."),
});

function stepList(): string {
  const both = stepNames.filter((name) =>
    ["Up", "Down"].every((way) => stepNames.some((other) => other === name + way)),
  );
  const directed = new Set(both.flatMap((name) => [name, `${name}Up`, `${name}Down`]));
  const others = stepNames.filter((name) => !directed.has(name));
  return `${others.join(", ")}; also with Up and Down: ${both.join(", ")}`;
}

export const turtleRun = defineTool({
  name: "turtle-run",
  title: "Run steps on a turtle",
  effect: "turtle steps",
  description:
    "Has a turtle do steps in order, stopping at the first that fails and saying why and where. " +
    `Steps: ${stepList()}. ` +
    "`goto 10 64 -3 north` walks there around obstacles; with `dig` at the end it goes straight and " +
    "digs, but never chests, other inventories, computers or turtles. `face east` turns.",
  input: z.object({
    ...targets,
    steps: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(500)
      .describe(
        'Such as ["forward 5", "try dig", "select 2", "drop diamond 3", "refuel coal 1"]. Without an item, drop and refuel use the selected slot; without a count, all. A step after try may fail.',
      ),
    rounds: z.int().min(1).max(MAX_TIMES).default(1).describe("Do the whole list this many times."),
    dryRun: z
      .boolean()
      .default(false)
      .describe("Only check the steps and estimate fuel, time and final position."),
    waitMs: waitMs.describe("Default: 30000."),
    timeoutMs: timeoutMs.describe("Default: never."),
  }),
  output: SeveralReportSchema.extend({
    estimate: EstimateSchema.optional().describe("Only for dryRun."),
  }),
  annotations: acts,
  async handler({ computerId, steps: written, rounds, dryRun, ...times }, context) {
    const found = await findSeveral(context.providers, computerId);
    const turtles = turtlesOf(found);
    const steps = parse(written);
    if (dryRun) return estimateAll(context, turtles, steps, rounds);
    for (const turtle of turtles) requireMethod(context, turtle, "turtle-run");
    // All before the first one moves.
    if (needsPlace(steps)) {
      await Promise.all(turtles.map((turtle) => checkRoute(context, turtle, steps, rounds)));
    }
    const often = rounds > 1 ? `${rounds} times ` : "";
    const order = {
      method: "turtle-run",
      params: { steps, rounds },
      summary: cutEnd(`turtle-run: ${often}${steps.map(({ text }) => text).join(", ")}`, 80),
      onFailure: stopped,
      ...times,
    };
    if ("several" in found) return runOnSeveral(context, turtles, order);
    const reading = await runJob(context, found.key, order);
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});

const stopped: JobFailure = {
  code: "turtle-stopped",
  hint: "The steps before it are done and stay done. Deal with the cause (an inspect step looks around), then run the remaining steps.",
};

function parse(written: readonly string[]): TurtleStep[] {
  const steps: TurtleStep[] = [];
  for (const [index, text] of written.entries()) {
    const step = parseStep(text);
    if (typeof step === "string") {
      throw new ToolError(
        `Step ${index + 1} is not valid: ${step}.`,
        "Nothing was done: the turtle has not moved. Correct the step and call turtle-run again.",
      );
    }
    steps.push(step);
  }
  return steps;
}

function requirePlace({ name }: ComputerView, place: TurtlePlace): void {
  if (place.position !== undefined && place.facing !== undefined && place.certain) return;
  throw new ToolError(
    `goto and face need to know the turtle's position and facing, but ${name} is ${placeText(place)}.`,
    "Nothing was done. Ask the player for x, y, z (F3) and the way its front faces, and call set-position first.",
  );
}

/** Fails before anything moves when the position is unknown or the fuel does not suffice. */
async function checkRoute(
  context: ToolContext,
  computer: ComputerView,
  steps: readonly TurtleStep[],
  rounds: number,
): Promise<void> {
  const status = await askComputer(context, computer, "turtle-status", {});
  requirePlace(computer, status);
  const { fuelNeeded, refuels } = estimateSteps(steps, rounds, status);
  if (status.fuel !== "unlimited" && status.fuel < fuelNeeded && !refuels) {
    throw new ToolError(
      `${capital(computer.name)} has ${status.fuel} fuel, but these steps take at least ${fuelNeeded}.`,
      "Nothing was done. Add a refuel step, with fuel in the selected slot, or go less far.",
    );
  }
}

async function estimateAll(
  context: ToolContext,
  turtles: readonly ComputerView[],
  steps: readonly TurtleStep[],
  rounds: number,
): Promise<ToolOutcome> {
  const all = await Promise.all(turtles.map((turtle) => estimate(context, turtle, steps, rounds)));
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  const share = Math.floor(ANSWER_LENGTH / Math.max(1, all.length));
  return {
    text: all.map(({ text }) => cutEnd(text, share)).join("\n\n"),
    structured: () => ({
      ...{ ok: true, output: "", returns: [] },
      computers: all.map(({ structured }) => structured?.()),
    }),
  };
}

async function estimate(
  context: ToolContext,
  computer: ComputerView,
  steps: readonly TurtleStep[],
  rounds: number,
): Promise<ToolOutcome> {
  const result = await askComputer(context, computer, "turtle-status", {});
  if (needsPlace(steps)) requirePlace(computer, result);
  const { fuelNeeded, seconds, end, refuels } = estimateSteps(steps, rounds, result);
  const enough = result.fuel === "unlimited" || result.fuel >= fuelNeeded;
  const short = refuels
    ? "That is not enough, unless the refuel steps add enough."
    : "That is not enough: refuel first.";
  const lines = [
    `Nothing was done on ${computer.name}: this is an estimate for the case that every step succeeds.`,
    `Fuel: ${fuelNeeded} needed, ${result.fuel} available. ${enough ? "That is enough." : short}`,
    `Time: about ${seconds} s.`,
    `End: ${placeText({ ...end, certain: result.certain, ...(result.note === undefined ? {} : { note: result.note }) })}.`,
  ];
  return {
    text: lines.join("\n"),
    structured: () => ({
      ...computerFacts(computer),
      ok: true,
      output: "",
      returns: [],
      estimate: {
        fuel: result.fuel,
        fuelNeeded,
        enough,
        seconds,
        end: { position: end.position ?? null, facing: end.facing ?? null },
      },
    }),
  };
}
