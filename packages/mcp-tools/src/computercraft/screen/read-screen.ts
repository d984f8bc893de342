import { RunProgramResultSchema, type Screen } from "@ccbridge/protocol";
import { type ComputerSelector, computerName, type JobSnapshot } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../tool/annotations.js";
import { defineTool, type ToolContext } from "../../tool/define.js";
import { ToolError } from "../../tool/errors.js";
import { ask, askComputer } from "../ask.js";
import { computerFacts, computerOf, target } from "../computer.js";
import { drawScreen } from "./picture.js";
import { findProgram, programName } from "./program.js";
import { reportScreen, screenText } from "./rows.js";

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
  annotations: readOnly,
  async handler({ jobId, computerId, image, colours, fromLine }, context) {
    const source = await look(context, { jobId, computerId, colours: colours || image });
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
  computerId: ComputerSelector | undefined;
  colours: boolean;
}

/** The screen that is meant, and how to call it. */
async function look(context: ToolContext, { jobId, computerId, colours }: Look) {
  if (jobId === undefined) {
    if (computerId === undefined) {
      throw new ToolError(
        "read-screen needs a jobId or a computerId.",
        "Call it with the jobId that run-program gave, or with a computerId; list-jobs shows the jobs.",
      );
    }
    const { computer, result } = await ask(context, computerId, "read-screen", { colours });
    return {
      screen: result.screen,
      name:
        result.job === undefined
          ? `The screen of ${computer.name}`
          : `The program of job ${result.job} on ${computer.name}`,
      facts: { ...computerFacts(computer), jobId: result.job ?? null, ended: false },
    };
  }
  const job = await findProgram(context, jobId);
  const facts = { ...computerFacts(job), jobId: job.id };
  const name = programName(job);
  if (job.ended) {
    const screen = lastScreen(job);
    return { screen, name: `${name} has ended; its last screen`, facts: { ...facts, ended: true } };
  }
  const params = { job: job.id, colours };
  const { screen } = await askComputer(context, computerOf(job), "read-screen", params);
  return { screen, name, facts: { ...facts, ended: false } };
}

function lastScreen(job: JobSnapshot): Screen {
  const { screen } = RunProgramResultSchema.catch({ returns: [], output: "" }).parse(
    job.response?.result ?? {},
  );
  if (screen !== undefined) return screen;
  throw new ToolError(
    `Job ${job.id} on ${computerName(job.identity)} is ${job.state}, and its last screen is not known.`,
    `Call get-job ${JSON.stringify({ jobId: job.id })} for what it printed, or run-program to start it again.`,
  );
}
