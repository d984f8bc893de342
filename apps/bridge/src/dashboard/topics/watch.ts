import type { ToolContext, ToolFacts } from "@ccbridge/mcp-tools";
import { type Stop, stopOnceStarted } from "@ccbridge/registry";
import { type PollSubject, pollTool } from "../context/tools.js";
import type { ViewerCalls } from "../context/viewer-calls.js";

export interface Watch<Data = unknown> {
  /** What is new since the last poll, if anything. Rejects when the page may no longer read it. */
  poll(): Promise<Data | undefined>;
  close(): void;
}

export interface Source<Data> {
  read(context: ToolContext): Data | undefined | Promise<Data | undefined>;
  close(): void;
}

export function watchByCalls<Data>(
  calls: ViewerCalls,
  shownBy: ToolFacts | (() => Promise<ToolFacts>),
  subject: PollSubject,
  source: Source<Data>,
): Watch<Data> {
  let isClosed = false;
  const read = async (context: ToolContext) =>
    // It may have been closed during the checks of the call.
    isClosed ? undefined : source.read(context);
  return {
    async poll() {
      const facts = typeof shownBy === "function" ? await shownBy() : shownBy;
      return (await calls.run(pollTool(facts, subject, read), subject.args)).data;
    },
    close() {
      isClosed = true;
      source.close();
    },
  };
}

export function latest<Data>(
  ready: () => void,
  begin: (notify: (data: Data) => void, context: ToolContext) => Stop | Promise<Stop>,
): Source<Data> {
  let newest: Data | undefined;
  let starting: Promise<Stop> | undefined;
  return {
    async read(context) {
      starting ??= (async () =>
        begin((data) => {
          newest = data;
          ready();
        }, context))();
      try {
        await starting;
      } catch (error) {
        starting = undefined;
        throw error;
      }
      const data = newest;
      newest = undefined;
      return data;
    },
    close: () => starting && stopOnceStarted(starting)(),
  };
}

export function watchShared<State, Data>(
  ready: () => void,
  begin: (notify: (state: State | Error) => void) => Stop,
  show: (state: State) => Data | undefined,
): Watch<Data> {
  let newest: State | Error | undefined;
  const stop = begin((state) => {
    newest = state;
    ready();
  });
  return {
    async poll() {
      const state = newest;
      newest = undefined;
      if (state instanceof Error) throw state;
      return state === undefined ? undefined : show(state);
    },
    close: stop,
  };
}
