import type { Screen } from "@ccbridge/protocol";
import { monitorScreen } from "@ccbridge/protocol/screen";
import { type ComputerSelector, findComputer, type JobSnapshot } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { MAX_WAIT_MS } from "../../../core/arguments.js";
import { defineTool, type ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { type Computer, computerFacts, computerOf, target } from "../computer.js";
import { jobId } from "../jobs/report.js";
import { askComputer } from "../undo/ask.js";
import { drawScreen } from "./picture.js";
import {
  endOf,
  findProgram,
  howItEnded,
  lastScreen,
  programName,
  readOwnScreen,
  screenOf,
} from "./program.js";
import { reportScreen, ScreenReportSchema, screenText } from "./rows.js";
import { awaitScreen, shows, waitFor } from "./screen-states.js";
import { screenView, viewedTerminal, viewShape, type WantedScreen } from "./screen-view.js";

export const readScreen = defineTool({
  name: "read-screen",
  title: "Read a screen",
  description:
    "Shows the screen of a program that run-program started (its last screen if it has ended), the " +
    "player's own screen if it is shared, or what a computer drew on a monitor, as text or as a picture.",
  input: z.object({
    jobId: jobId.optional().meta({ description: "The program's job.", obvious: true }),
    computerId: target.computerId
      .optional()
      .describe("Instead of jobId: its shared screen, or its newest program."),
    monitor: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("With computerId: its monitor, such as `top`."),
    image: z
      .boolean()
      .default(false)
      .meta({ description: "Return a picture in the game's colours.", obvious: true }),
    colours: z.boolean().default(false).describe("Add the colours that are not white on black."),
    fromLine: z.int().min(1).default(1).describe("Start at this line of a large screen."),
    waitFor,
    waitMs: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe("Wait up to this long for waitFor, or for any change."),
    view: viewShape,
  }),
  // Loose: the screen view gets cells and colours instead of lines.
  output: z.looseObject({
    computerId: z.int(),
    label: z.string().nullable().optional(),
    jobId: z
      .string()
      .nullable()
      .optional()
      .describe("The program's job; null for a shared prompt."),
    ended: z.boolean().optional().describe("Whether the program has ended."),
    screen: ScreenReportSchema.partial().loose().optional(),
  }),
  annotations: readOnly,
  polls: viewedTerminal,
  async handler(
    { jobId, computerId, monitor, image, colours, fromLine, view, ...patience },
    context,
  ) {
    const wanted = wantedScreen(jobId, computerId, monitor);
    if (view !== undefined) {
      return screenView(context, wanted, { seen: view.seen, waitMs: patience.waitMs ?? 0 });
    }
    const first = await findSource(context, wanted, colours || image);
    const { source, found, isUnchanged } = await waited(context, first, patience);
    const { screen } = source;
    const { foreground: _, ...plain } = screen;
    const shown =
      found === false
        ? `${source.name}${source.ended ? "; it" : ""} did not show ${quoted(patience.waitFor ?? "", 200)} in that time`
        : `${source.name}${isUnchanged ? " has not changed in that time" : ""}`;
    const name = source.gaps === undefined ? shown : `${shown}. ${source.gaps}`;
    if (image) {
      const { width, height, cursor } = screen;
      return {
        text: `${name}. ${width}x${height}, cursor at ${cursor.x},${cursor.y}.`,
        image: await drawScreen(screen),
        structured: () => ({ ...source.facts, screen: reportScreen(plain) }),
      };
    }
    if (fromLine > screen.height) {
      throw new ToolError(
        `${source.name} has ${screen.height} lines; there is no line ${fromLine}.`,
        "Call read-screen with a smaller fromLine.",
      );
    }
    const report = reportScreen(colours ? screen : plain, fromLine);
    return {
      text: `${name}.\n${screenText(report)}`,
      structured: () => ({ ...source.facts, screen: report }),
    };
  },
});

async function waited(
  context: ToolContext,
  source: Source,
  patience: { waitFor?: string | undefined; waitMs?: number | undefined },
) {
  const { computer, facts, colours } = source;
  const job = source.watched ?? facts.jobId ?? undefined;
  const wanted = { colours, ...(job === undefined ? {} : { job }) };
  const seen = await awaitScreen(context, { computer, ...wanted }, source, patience);
  const { screen, ended } = seen;
  if (ended && !source.ended && job !== undefined && source.watched === undefined) {
    const over = await endOf(context, job);
    if (over?.ended === true) {
      const last = endedSource(over, colours, screen);
      const { waitFor } = patience;
      const found = waitFor === undefined ? undefined : shows(last.screen, waitFor);
      return { source: last, found, isUnchanged: false };
    }
  }
  const isUnchanged = !ended && !seen.changed && (patience.waitMs ?? 0) > 0;
  return {
    source: { ...source, screen, facts: { ...facts, ended } },
    found: seen.found,
    isUnchanged: isUnchanged && seen.found === undefined,
  };
}

interface Source {
  computer: Computer;
  screen: Screen;
  name: string;
  ended: boolean;
  colours: boolean;
  /** What the computer calls it, if it is not a program. */
  watched?: string;
  gaps?: string | undefined;
  facts: { computerId: number; label: string | null; jobId: string | null; ended: boolean };
}

function wantedScreen(
  jobId: string | undefined,
  computerId: ComputerSelector | undefined,
  monitor: string | undefined,
): WantedScreen {
  if (jobId !== undefined && monitor === undefined) return { jobId };
  if (computerId !== undefined) return { computerId, monitor };
  throw new ToolError(
    monitor === undefined
      ? "read-screen needs a jobId or a computerId."
      : "read-screen needs the computerId of the computer that draws on the monitor.",
    "Call it with the jobId from run-program, or with a computerId; list-jobs shows the jobs.",
  );
}

async function findSource(
  context: ToolContext,
  { jobId, computerId, monitor }: WantedScreen,
  colours: boolean,
): Promise<Source> {
  if (jobId === undefined) {
    const computer = await findComputer(context.providers, computerId);
    if (monitor !== undefined) return monitorSource(context, computer, { monitor, colours });
    const result = await readOwnScreen(context, computer, colours);
    return {
      computer,
      colours,
      ended: false,
      screen: result.screen,
      name:
        result.job === undefined
          ? `The screen of ${computer.name}`
          : `The program of job ${result.job} on ${computer.name}`,
      facts: { ...computerFacts(computer), jobId: result.job ?? null, ended: false },
    };
  }
  const job = await findProgram(context, jobId);
  if (job.ended) return endedSource(job, colours);
  const computer = computerOf(job);
  const params = { job: job.id, colours };
  const { screen } = await askComputer(context, computer, "read-screen", params);
  const facts = { ...computerFacts(job), jobId: job.id, ended: false };
  return { computer, colours, screen, name: programName(job), ended: false, facts };
}

async function monitorSource(
  context: ToolContext,
  computer: Computer,
  { monitor, colours }: { monitor: string; colours: boolean },
): Promise<Source> {
  const watched = monitorScreen(monitor);
  const result = await askComputer(context, computer, "read-screen", { job: watched, colours });
  const since = result.since === undefined ? "then" : new Date(result.since).toISOString();
  const unknown =
    result.complete === true
      ? "What other computers draw on it is not seen"
      : `Nothing is known of it before ${since}, and what other computers draw on it is not seen`;
  return {
    ...{ computer, colours, watched, ended: false, screen: result.screen, gaps: unknown },
    name: `What ${computer.name} drew on its monitor ${inline(monitor)}`,
    facts: { ...computerFacts(computer), jobId: null, ended: false },
  };
}

function endedSource(job: JobSnapshot, colours: boolean, seen?: Screen): Source {
  return {
    computer: computerOf(job),
    colours,
    screen: seen === undefined ? lastScreen(job) : (screenOf(job) ?? seen),
    ended: true,
    name: `${programName(job)} has ended (${howItEnded(job)}); this is its last screen`,
    facts: { ...computerFacts(job), jobId: job.id, ended: true },
  };
}
