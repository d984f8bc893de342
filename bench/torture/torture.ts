import { type Bridge, defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { afterAll, describe, it, vi } from "vitest";
import { type CruelProgram, type Ending, programs } from "./programs.js";
import { computerId, platform, type Subject, startSubject, subjectName } from "./subjects.js";

declare module "vitest" {
  interface TaskMeta {
    row?: { state: string; probeMs?: number; problem?: string };
  }
}

type Link = ReturnType<Bridge["computers"]["find"]>;
type Job = ReturnType<Bridge["registry"]["jobs"]["start"]>;

const RUN_MS = 1_500;
const PROBE_MS = 2_000;
/** The game's seven seconds and a margin: a native call cannot be stopped. */
const STOP_MS = 15_000;
const END_MS = 60_000;
const STAYS_OFF_MS = 3_000;
const WITNESS_MS = 30_000;
const LINK_MS = 40_000;

/** Runs beside every program and must succeed. */
const witness = {
  sleeping: 'for i = 1, 12 do print(i) sleep(0.2) end return "seen"',
  computing: `local began = os.epoch("utc")
    for i = 1, 12 do print(i) while os.epoch("utc") - began < i * 200 do end end return "seen"`,
};
const WITNESS_OUTPUT = Array.from({ length: 12 }, (_, index) => `${index + 1}\n`).join("");

let game: { bridge: Bridge; subject: Subject } | undefined;

async function close(): Promise<void> {
  const ended = game;
  game = undefined;
  ended?.subject.close();
  await ended?.bridge.close();
}

async function open(): Promise<{ bridge: Bridge; subject: Subject }> {
  if (game !== undefined) return game;
  const config = { ...defaultConfig(), mcpPort: 0, linkHost: "127.0.0.1", linkPort: 0 };
  const bridge = await startBridge({ config, log: silentLogger(), version: "0.0.0" });
  const subject = await startSubject(`ws://127.0.0.1:${bridge.linkPort}`);
  game = { bridge, subject };
  return game;
}

function linked({ bridge, subject }: { bridge: Bridge; subject: Subject }, before?: Link) {
  return vi.waitFor(
    () => {
      const link = bridge.computers.list().find((each) => each.provider.computerId === computerId);
      if (link !== undefined && link !== before) return link;
      throw new Error(`it does not link; its last words: ${subject.lastWords().slice(-800)}`);
    },
    { timeout: LINK_MS, interval: 50 },
  );
}

function ended(job: Job, what: string, timeout: number): Promise<void> {
  return vi.waitFor(
    () => {
      if (!job.ended) throw new Error(`${what} is ${job.state} after ${timeout / 1_000} s`);
    },
    { timeout, interval: 20 },
  );
}

async function probe(link: Link): Promise<number> {
  const began = performance.now();
  try {
    const answer = await link.request("ping", undefined, { timeoutMs: PROBE_MS });
    if (!answer.ok) throw new Error(answer.error);
  } catch (error) {
    throw new Error(`the probe got no answer in 2 s: ${(error as Error).message}`);
  }
  return Math.round(performance.now() - began);
}

/** The computer must be off and stay off before it is started again. */
async function restart({ bridge, subject }: { bridge: Bridge; subject: Subject }): Promise<void> {
  const isLinked = () => bridge.computers.list().length > 0;
  await vi.waitFor(
    () => {
      if (isLinked()) throw new Error("it did not go off");
    },
    { timeout: STOP_MS },
  );
  await new Promise((resolve) => setTimeout(resolve, STAYS_OFF_MS));
  if (isLinked()) throw new Error("it was started again");
  subject.turnOn();
}

function endingOf(program: CruelProgram): Ending {
  const elsewhere = program.endsElsewhere;
  if (elsewhere?.on === platform) return elsewhere.ends;
  return program.ends ?? { state: "cancelled" };
}

function checkEnd(job: Job, { state, error }: Ending): void {
  const message = job.response?.ok === false ? job.response.error : "";
  if (job.state !== state) throw new Error(`the job is ${job.state}, not ${state}: ${message}`);
  if (error !== undefined && !message.includes(error)) {
    throw new Error(`the job says ${JSON.stringify(message.slice(0, 200))}, not ${error}`);
  }
}

async function torture(program: CruelProgram, row: { state: string; probeMs?: number }) {
  const { bridge, subject } = await open();
  const { jobs } = bridge.registry;
  const link = await linked({ bridge, subject });
  const start = (code: string) =>
    jobs.start(bridge.computers.find(computerId), {
      method: "exec-lua",
      params: { code },
      summary: "",
    });
  const beside =
    program.intent === undefined
      ? start(program.floods ? witness.computing : witness.sleeping)
      : undefined;
  const job = start(program.lua);
  if (!program.byItself) await new Promise((resolve) => setTimeout(resolve, RUN_MS));
  if (program.intent === "shutdown") await restart({ bridge, subject });
  if (program.intent !== undefined) await linked({ bridge, subject }, link);
  else if (!program.byItself && !job.ended) jobs.stop(job, "cancelled");
  try {
    await ended(job, "the job", program.byItself ? END_MS : STOP_MS);
  } catch (error) {
    const now = bridge.computers.list()[0];
    const how = now === undefined ? "not linked" : now === link ? "still linked" : "linked again";
    const words = subject.lastWords().slice(-300);
    throw new Error(`${(error as Error).message}, ${how}; its last words: ${words}`);
  } finally {
    row.state = job.state;
  }
  if (subject.isOn() === false) throw new Error(`it is off: ${subject.lastWords().slice(-300)}`);
  const after = await linked({ bridge, subject });
  if (program.intent === undefined && after.provider.instance !== link.provider.instance) {
    throw new Error("it was started again");
  }
  row.probeMs = await probe(after);
  checkEnd(job, endingOf(program));
  if (beside !== undefined) {
    await ended(beside, "the witness", WITNESS_MS);
    const value = JSON.stringify(beside.response);
    if (beside.state !== "done" || !value.includes("seen")) {
      throw new Error(`the witness is ${beside.state}: ${value?.slice(0, 200)}`);
    }
    const output = beside.output.end > 0 ? beside.output.toString() : "";
    if (output !== WITNESS_OUTPUT && !value.includes(JSON.stringify(WITNESS_OUTPUT).slice(1, -1))) {
      throw new Error(`the witness printed ${JSON.stringify(output).slice(0, 200)}`);
    }
  }
  const next = start("fs.delete('/full') return 6 * 7");
  await ended(next, "the next job", 5_000);
  if (next.state !== "done" || !JSON.stringify(next.response).includes("42")) {
    throw new Error(`the next job is ${next.state}`);
  }
}

describe(subjectName, () => {
  afterAll(close);

  for (const program of programs) {
    it.skipIf(program.notOn?.[platform] !== undefined)(
      program.name,
      { timeout: 120_000 },
      async ({ task }) => {
        const row: { state: string; probeMs?: number; problem?: string } = { state: "-" };
        task.meta.row = row;
        try {
          await torture(program, row);
        } catch (error) {
          row.problem = (error as Error).message;
          await close();
          throw error;
        }
      },
    );
  }
});
