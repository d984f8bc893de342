import { decodeText, type Screen } from "@ccbridge/protocol";
import { monitorScreen, type ScreenView } from "@ccbridge/protocol/screen";
import { type ComputerSelector, findComputer, type JobSnapshot } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { quoted } from "../../../format/set-apart.js";
import { capital } from "../../../format/text.js";
import { type Computer, computerFacts, computerOf } from "../computer.js";
import { requireMethod } from "../request.js";
import { endOf, findProgram, howItEnded, lastProgram, lastScreen } from "./program.js";
import { type ScreenState, ScreenStates } from "./screen-states.js";

const FIRST_MS = 10_000;

export type WantedScreen =
  | { jobId: string; computerId?: undefined; monitor?: undefined }
  | { jobId?: undefined; computerId: ComputerSelector; monitor?: string | undefined };

/** Used by the chat view only; hidden from models. */
export const viewShape = z
  .object({ seen: z.string().max(64).optional() })
  .optional()
  .meta({ hidden: true })
  .describe(
    "For the screen view of MCP Apps: answers with cells and colours, once they are not those of the version `seen`.",
  );

export function viewedTerminal(args: unknown): string | undefined {
  const { view, jobId, computerId, monitor } = (args ?? {}) as Record<string, unknown>;
  if (typeof view !== "object" || view === null) return undefined;
  return JSON.stringify([jobId, computerId, monitor]).slice(0, 256);
}

/** Long poll: returns the current screen once it differs from the version seen before. */
export async function screenView(
  context: ToolContext,
  wanted: WantedScreen,
  { seen, waitMs }: { seen: string | undefined; waitMs: number },
): Promise<ToolOutcome> {
  const subject = await subjectOf(context, wanted);
  const view =
    subject.job?.ended === true
      ? await endedView(context, subject.job)
      : await nextView(context, subject, { seen, waitMs });
  const { screen, ...facts } = view;
  return {
    text: `${capital(view.name)} is ${view.state}.`,
    forView: view.version === seen || screen === undefined ? facts : { ...facts, screen },
  };
}

interface Subject {
  readonly computer: Computer;
  readonly job: JobSnapshot | undefined;
  readonly monitor?: string | undefined;
}

async function subjectOf(
  context: ToolContext,
  { jobId, computerId, monitor }: WantedScreen,
): Promise<Subject> {
  if (jobId !== undefined) {
    const job = await findProgram(context, jobId);
    return { computer: computerOf(job), job };
  }
  const computer = await findComputer(context.providers, computerId);
  requireMethod(context, computer, "read-screen");
  return { computer, job: undefined, monitor };
}

async function nextView(
  context: ToolContext,
  { computer, job, monitor }: Subject,
  { seen, waitMs }: { seen: string | undefined; waitMs: number },
): Promise<ScreenView> {
  const { providers, signal, gone = signal } = context;
  const until = performance.now() + waitMs;
  const watched = monitor === undefined ? job?.id : monitorScreen(monitor);
  const states = new ScreenStates(providers, computer.key, watched);
  let view: ScreenView | undefined;
  try {
    for (;;) {
      const leftMs = view === undefined ? FIRST_MS : until - performance.now();
      const state = await states.next(leftMs, gone);
      if (state !== undefined) view = await viewOf(context, { computer, job, monitor }, state);
      else if (view === undefined) throw silentError(computer);
      if (state === undefined || view.version !== seen) return view;
    }
  } finally {
    states.close();
  }
}

async function viewOf(
  context: ToolContext,
  { computer, job, monitor }: Subject,
  state: ScreenState,
): Promise<ScreenView> {
  if (state === "away") return makeView(context, { computer, job: job?.id, state: "away" });
  const shown = monitor === undefined ? (state.job ?? job?.id) : undefined;
  if (state.problem === undefined && (!state.ended || monitor !== undefined)) {
    return makeView(context, { computer, job: shown, state: "live", screen: state.screen });
  }
  const over =
    monitor !== undefined
      ? undefined
      : shown === undefined
        ? await lastProgram(context, computer)
        : await endOf(context, shown);
  if (over?.ended === true) return endedView(context, over, state.screen);
  if (state.ended) {
    return makeView(context, { computer, job: shown, state: "ended", screen: state.screen });
  }
  throw new ToolError(
    `${computer.name}: ${state.problem === undefined ? "it shows nothing" : quoted(state.problem, 1_000)}`,
    "Call run-program to start a program with a screen, or ask the player to share the prompt.",
  );
}

async function endedView(
  context: ToolContext,
  job: JobSnapshot,
  screen: Screen = lastScreen(job),
): Promise<ScreenView> {
  const end = howItEnded(job);
  return makeView(context, { computer: computerOf(job), job: job.id, state: "ended", end, screen });
}

async function makeView(
  { allows, providers }: ToolContext,
  shown: {
    computer: Computer;
    job: string | undefined;
    state: ScreenView["state"];
    end?: string;
    screen?: Screen | undefined;
  },
): Promise<ScreenView> {
  const { computer, job = null, state, end = null, screen } = shown;
  const facts = {
    computerId: computerFacts(computer).computerId,
    name: computer.name,
    job,
    program: job === null ? null : ((await providers.jobs.get(job))?.summary ?? null),
    state,
    end,
    mayType: allows?.("send-input") ?? true,
    ...(screen === undefined ? {} : { screen: asBytes(screen) }),
  };
  return { ...facts, version: await digest(JSON.stringify(facts)) };
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(bytes).subarray(0, 16)));
}

/** Base64, because some of the game's characters would count as control characters. */
function asBytes(screen: Screen): Screen {
  if (screen.encoding === "base64") return screen;
  return { ...screen, text: btoa(decodeText(screen.text, undefined)), encoding: "base64" };
}

function silentError({ name }: Computer): ToolError {
  return new ToolError(`${name} does not say what it shows.`, "Try again in a moment.");
}
