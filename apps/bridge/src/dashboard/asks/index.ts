import type { AskName, AskParams, AskResult } from "@ccbridge/protocol/dashboard";
import { askProvider } from "../sight/ask-provider.js";
import { ViewError } from "../sight/error.js";
import type { Office } from "../sight/office.js";
import { checkOwner, checkTool, type Sight } from "../sight/sight.js";
import { audited } from "./audited.js";
import { readFile, writeFile } from "./files.js";

export interface AskContext {
  readonly sight: Sight;
  readonly office: Office;
  /** The Host by which the page reached this bridge. */
  readonly host: string;
  /** Tells open pages apart in the audit. */
  readonly session: string;
}

interface Ask<A extends AskName> {
  /** The tool that does the same for a client: its right is needed. */
  readonly tool?: string;
  answer(params: AskParams<A>, context: AskContext): Promise<AskResult<A>> | AskResult<A>;
}

/** Seconds that a program gets to react before its screen would be read: the screen comes by itself. */
const SETTLE_SECONDS = 0.05;
const INPUT_MS = 10_000;
const EVENTS_MS = 10_000;

const answers: { readonly [A in AskName]: Ask<A> } = {
  connect: { answer: (_, { office, host }) => office.connect(host) },
  "list-files": {
    tool: "list-files",
    answer: ({ key, path }, { sight }) =>
      askProvider(sight.providers, key, "list-files", { path, limit: 1_000 }),
  },
  "read-file": {
    tool: "read-file",
    answer: (params, { sight }) => readFile(sight.providers, params),
  },
  "write-file": {
    tool: "write-file",
    answer: (params, { sight }) => writeFile(sight.providers, params),
  },
  "delete-file": {
    tool: "delete-file",
    async answer({ key, path, expectedHash }, { sight }) {
      await askProvider(sight.providers, key, "delete-file", { path, expectedHash });
      return {};
    },
  },
  peripherals: {
    tool: "list-peripherals",
    answer: ({ key }, { sight }) => askProvider(sight.providers, key, "list-peripherals", {}),
  },
  inventories: {
    tool: "list-inventory",
    answer: ({ key }, { sight }) => askProvider(sight.providers, key, "list-inventory", {}),
  },
  input: {
    tool: "send-input",
    async answer({ key, job, steps }, { sight }) {
      const { name } = sight.viewer;
      const by = (name === null ? "the dashboard" : `${name} (dashboard)`).slice(0, 64);
      const target = job === undefined ? {} : { job };
      const params = { ...target, steps, by, settle: SETTLE_SECONDS };
      await askProvider(sight.providers, key, "send-input", params, INPUT_MS);
      return {};
    },
  },
  "run-program": {
    tool: "run-program",
    async answer({ key, command, monitor }, { sight }) {
      const order = {
        method: "run-program",
        params: { command, ...(monitor === undefined ? {} : { monitor }) },
        summary: monitor === undefined ? command : `${command} on ${monitor}`,
      };
      const { id } = await sight.providers.jobs.start(key, order);
      return { job: id };
    },
  },
  "stop-job": {
    tool: "cancel-job",
    async answer({ job }, { sight }) {
      const stopped = await sight.providers.jobs.stop(job);
      if (stopped === undefined) throw new ViewError("This job is not known any more.");
      return {};
    },
  },
  "watch-events": {
    tool: "watch-events",
    async answer({ key, name, on }, { sight }) {
      const answer = await sight.providers.events.watch(
        key,
        { mode: on ? "add" : "remove", watches: [{ name }] },
        { timeoutMs: EVENTS_MS },
      );
      if (!answer.ok) throw new ViewError(answer.error);
      return {};
    },
  },
  decide: {
    answer({ id, decision }, { sight, office }) {
      checkOwner(sight);
      if (!office.approvals.answer(id, decision, viewerName(sight))) {
        throw new ViewError("This call does not wait any more.");
      }
      return {};
    },
  },
  pair: {
    async answer({ code, accept }, { sight, office }) {
      checkOwner(sight);
      const by = viewerName(sight);
      const { pairing } = office;
      const isDone = accept
        ? pairing?.confirm(code, by) !== undefined
        : pairing?.decline(code, by) === true;
      if (!isDone) throw new ViewError("This computer does not wait any more.");
      return {};
    },
  },
  grant: {
    answer(decision, { sight, office }) {
      checkOwner(sight);
      if (!office.capabilities.decide(decision, viewerName(sight))) {
        throw new ViewError("This request does not wait any more.");
      }
      return {};
    },
  },
  "end-session": {
    async answer({ id }, { sight, office }) {
      checkOwner(sight);
      if (!(await office.sessions.end(id))) throw new ViewError("This session is over already.");
      return {};
    },
  },
};

function viewerName({ viewer }: Sight): string {
  return viewer.name === null ? "the dashboard" : `${viewer.name} at the dashboard`;
}

/** Answers a question of a page. Rejects when the viewer may not ask it. What acts is written down. */
export async function answerAsk(
  name: AskName,
  params: Record<string, unknown>,
  context: AskContext,
): Promise<unknown> {
  const { tool, answer } = answers[name];
  // The table has for each question the function that takes its parameters.
  const run = async () =>
    (answer as (params: unknown, context: AskContext) => unknown)(params, context);
  if (tool === undefined || !checkTool(context.sight, tool)) return run();
  return audited({ tool, params, ...context }, run);
}
