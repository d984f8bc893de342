import type { AskName, AskParams, AskResult } from "@ccbridge/protocol/dashboard";
import { askProvider } from "../sight/ask-provider.js";
import { ViewError } from "../sight/error.js";
import type { Sight } from "../sight/sight.js";
import { readFile, writeFile } from "./files.js";

/** The bridge's own facts that pages ask for. */
export interface Facts {
  connect(host: string): AskResult<"connect">;
}

export interface AskContext {
  readonly sight: Sight;
  readonly facts: Facts;
  /** The Host by which the page reached this bridge. */
  readonly host: string;
}

interface Ask<A extends AskName> {
  /** Whether it only looks. Everything else needs the right to act. */
  readonly looks?: true;
  answer(params: AskParams<A>, context: AskContext): Promise<AskResult<A>> | AskResult<A>;
}

/** Seconds that a program gets to react before its screen would be read: the screen comes by itself. */
const SETTLE_SECONDS = 0.05;
const INPUT_MS = 10_000;
const EVENTS_MS = 10_000;

/** How each question of a page is answered. */
export const answers: { readonly [A in AskName]: Ask<A> } = {
  connect: { looks: true, answer: (_, { facts, host }) => facts.connect(host) },
  "list-files": {
    looks: true,
    answer: ({ key, path }, { sight }) =>
      askProvider(sight.providers, key, "list-files", { path, limit: 1_000 }),
  },
  "read-file": { looks: true, answer: (params, { sight }) => readFile(sight.providers, params) },
  "write-file": { answer: (params, { sight }) => writeFile(sight.providers, params) },
  "delete-file": {
    async answer({ key, path, expectedHash }, { sight }) {
      await askProvider(sight.providers, key, "delete-file", { path, expectedHash });
      return {};
    },
  },
  peripherals: {
    looks: true,
    answer: ({ key }, { sight }) => askProvider(sight.providers, key, "list-peripherals", {}),
  },
  inventories: {
    looks: true,
    answer: ({ key }, { sight }) => askProvider(sight.providers, key, "list-inventory", {}),
  },
  input: {
    async answer({ key, job, steps }, { sight }) {
      const { name } = sight.viewer;
      const by = name === null ? "the dashboard" : `${name} (dashboard)`;
      await askProvider(
        sight.providers,
        key,
        "send-input",
        {
          ...(job === undefined ? {} : { job }),
          steps,
          by: by.slice(0, 64),
          settle: SETTLE_SECONDS,
        },
        INPUT_MS,
      );
      return {};
    },
  },
  "run-program": {
    async answer({ key, command }, { sight }) {
      const order = { method: "run-program", params: { command }, summary: command };
      const { id } = await sight.providers.jobs.start(key, order);
      return { job: id };
    },
  },
  "stop-job": {
    async answer({ job }, { sight }) {
      const stopped = await sight.providers.jobs.stop(job);
      if (stopped === undefined) throw new ViewError("This job is not known any more.");
      return {};
    },
  },
  "watch-events": {
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
};
