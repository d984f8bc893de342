import { type MethodParams, RunProgramResultSchema, type Screen } from "@ccbridge/protocol";
import { computerName, type Job, LinkError, printable, waitForJob } from "@ccbridge/registry";
import { z } from "zod";
import { ask, requireMethod } from "../ask.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../define-tool.js";
import { explain } from "../errors.js";
import { JobReportSchema, jobOutcome, notStarted, wholeOutput } from "../format/job.js";
import { cutEnd } from "../format/text.js";
import { reportProgress } from "../progress.js";
import { ToolError } from "../run-tool.js";
import { drawScreen } from "../screen/picture.js";
import { reportScreen, ScreenReportSchema, screenText } from "../screen/rows.js";
import { findProgram, programName } from "./program.js";
import { target, targetOf } from "./target.js";
import { waitMs } from "./wait.js";

/** Long enough for a program to begin or to be over, short enough for one that waits for keys. */
const RUN_WAIT_MS = 2_000;
const DAY_MS = 86_400_000;

export const runProgram = defineTool({
  name: "run-program",
  title: "Run a program in a terminal",
  description:
    "Starts a program on a ComputerCraft computer as a player would at its prompt (`ls`, `edit notes.txt`, " +
    "`lua`, `mine 20`), in a terminal of its own that you can see and drive. Returns its output when it " +
    "ends within waitMs; otherwise its screen and a job id, while it goes on. Then drive it: type-text, " +
    "press-keys, click and send-event act on it, read-screen looks at it, get-job waits for its end, " +
    "cancel-job stops it. The player sees it only with `show` or `monitor`. Unseen, it gets all events of the " +
    "computer but the player's keyboard and mouse. `output` is what scrolled off its screen and, at " +
    "its end, what is left there. For values instead of text use exec-lua.",
  input: z.object({
    ...target,
    command: z
      .string()
      .min(1)
      .max(2_000)
      .describe(
        'What to type at the prompt: a program\'s name or path, then its arguments, such as `edit "my notes.txt"`.',
      ),
    width: z
      .int()
      .min(1)
      .max(200)
      .optional()
      .describe("Columns of the terminal. Default: the computer's."),
    height: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe("Lines of the terminal. Default: the computer's."),
    monitor: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Show it on this attached monitor (a side such as `left`, or a name such as `monitor_0`), in its " +
          "size; touches are clicks then. Default: it is shown nowhere in the game.",
      ),
    show: z
      .boolean()
      .optional()
      .describe(
        "Show it on the computer's own screen, where the player can use it too. Default: false.",
      ),
    waitMs: waitMs.describe(
      "How long to wait for its end before its screen is returned, in milliseconds, at most 50000. " +
        "Default: 2000.",
    ),
    timeoutMs: z
      .int()
      .min(1)
      .max(DAY_MS)
      .optional()
      .describe("Cancel the program at this age, in milliseconds. Default: never."),
  }),
  output: JobReportSchema.extend({
    screen: ScreenReportSchema.optional().describe("What it shows now, while it runs."),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  async handler({ computerId, world, waitMs = RUN_WAIT_MS, timeoutMs, ...params }, context) {
    const { settings, signal, registry } = context;
    const job = start(context, { computerId, world }, params, timeoutMs);
    if (job instanceof LinkError) return notStarted(computerId, explain(job, settings));
    const progress = reportProgress(job, 0, context.progress);
    await waitForJob(job, { until: () => job.ended, timeoutMs: waitMs, signal });
    progress.end();
    if (signal.aborted) registry.jobs.stop(job, "cancelled");
    const screen = job.ended ? undefined : await currentScreen(context, job);
    return programOutcome(context, job, screen);
  },
});

function start(
  context: ToolContext,
  where: { computerId: number; world: string | undefined },
  params: MethodParams<"run-program">,
  timeoutMs: number | undefined,
): Job | LinkError {
  const { registry } = context;
  const summary = cutEnd(printable(params.command).trim(), 80);
  try {
    const link = registry.computer(where);
    requireMethod(context, link, "run-program");
    return registry.jobs.start(link, { method: "run-program", params, summary, timeoutMs });
  } catch (error) {
    if (error instanceof LinkError) return error;
    throw error;
  }
}

/** What a running program shows; nothing when that cannot be known just now. */
async function currentScreen(context: ToolContext, job: Job): Promise<Screen | undefined> {
  if (job.state !== "running" || !job.status.linked) return undefined;
  try {
    const { result } = await ask(context, targetOf(job), "read-screen", { job: job.id });
    return result.screen;
  } catch (error) {
    // It may have ended, or its link dropped, a moment ago: then the job tells.
    if (error instanceof ToolError || error instanceof LinkError) return undefined;
    throw error;
  }
}

function programOutcome(context: ToolContext, job: Job, screen: Screen | undefined): ToolOutcome {
  const outcome = jobOutcome(job, wholeOutput(job), context.settings);
  if (screen === undefined) return outcome;
  const report = reportScreen(screen);
  const howTo =
    "Drive it with type-text, press-keys, click or send-event and this jobId; look with read-screen.";
  const note = [outcome.structured?.note, howTo].filter(Boolean).join(" ");
  return {
    ...outcome,
    text: `${outcome.text} ${howTo}\n${screenText(report)}`,
    structured: { ...outcome.structured, note, screen: report },
  };
}

export const readScreen = defineTool({
  name: "read-screen",
  title: "Read a screen",
  description:
    "Shows the screen of a program that run-program started: its text line by line, the cursor, the size, " +
    "on request the colours, or a picture (PNG). Give the jobId, also of a program that has ended (its " +
    "last screen), or a computerId for the newest program on that computer. ComputerCraft has no way to " +
    "read other screens: not what the player sees on the computer itself, nor a monitor that something " +
    "else draws on. To see a monitor, run the program with run-program and its `monitor` argument. " +
    "What is drawn with colours alone shows only with `image` or `colours`. Positions count from 1,1 at the top left, as in click.",
  input: z.object({
    jobId: z.string().min(1).optional().describe("The program's job, as run-program gave it."),
    computerId: target.computerId
      .optional()
      .describe("Instead of a jobId: the newest program on this computer."),
    world: target.world,
    image: z
      .boolean()
      .default(false)
      .describe("Return a picture of the screen, in the game's colours, instead of text."),
    colours: z
      .boolean()
      .default(false)
      .describe("Tell for each line which stretches are not white on black."),
    fromLine: z
      .int()
      .min(1)
      .default(1)
      .describe("Begin with this line; a large screen comes in several answers."),
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ jobId, computerId, world, image, colours, fromLine }, context) {
    const source = await look(context, { jobId, computerId, world, colours: colours || image });
    const { screen, name } = source;
    if (image) {
      const { width, height, cursor } = screen;
      return {
        text: `${name}. ${width}x${height}, cursor at ${cursor.x},${cursor.y}.`,
        image: await drawScreen(screen),
      };
    }
    if (fromLine > screen.height) {
      throw new ToolError(
        `${name} has ${screen.height} lines; line ${fromLine} is not among them.`,
        "Call read-screen with a smaller fromLine.",
      );
    }
    const { foreground: _, ...plain } = screen;
    const report = reportScreen(colours ? screen : plain, fromLine);
    return {
      text: `${name}.\n${screenText(report)}`,
      structured: { ...source.facts, screen: report },
    };
  },
});

interface Look {
  jobId: string | undefined;
  computerId: number | undefined;
  world: string | undefined;
  colours: boolean;
}

/** The screen that is meant, and how to call it. */
async function look(context: ToolContext, { jobId, computerId, world, colours }: Look) {
  if (jobId === undefined) {
    if (computerId === undefined) {
      throw new ToolError(
        "read-screen needs a jobId or a computerId.",
        "Call it with the jobId that run-program gave, or with a computerId; list-jobs shows the jobs.",
      );
    }
    const { link, result } = await ask(context, { computerId, world }, "read-screen", { colours });
    const { computerId: id, label } = link.identity;
    return {
      screen: result.screen,
      name:
        result.job === undefined
          ? `The screen of ${link.name}`
          : `The program of job ${result.job} on ${link.name}`,
      facts: { computerId: id, label, jobId: result.job ?? null, ended: false },
    };
  }
  const job = findProgram(context, jobId);
  const facts = { computerId: job.identity.computerId, label: job.identity.label, jobId: job.id };
  const name = programName(job);
  if (job.ended) {
    const screen = lastScreen(job);
    return { screen, name: `${name} has ended; its last screen`, facts: { ...facts, ended: true } };
  }
  const { result } = await ask(context, targetOf(job), "read-screen", { job: job.id, colours });
  return { screen: result.screen, name, facts: { ...facts, ended: false } };
}

function lastScreen(job: Job): Screen {
  const { screen } = RunProgramResultSchema.catch({ returns: [], output: "" }).parse(
    job.response?.result ?? {},
  );
  if (screen !== undefined) return screen;
  throw new ToolError(
    `Job ${job.id} on ${computerName(job.identity)} is ${job.state}, and its last screen is not known.`,
    `Call get-job ${JSON.stringify({ jobId: job.id })} for what it printed, or run-program to start it again.`,
  );
}
