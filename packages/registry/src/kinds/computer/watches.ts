import {
  decodeText,
  type MethodParams,
  methods,
  type Screen,
  type ScreenFrame,
  type ScreenRow,
} from "@ccbridge/protocol";
import type { WatchSubject } from "../../dialect.js";
import type { Registry } from "../../registry.js";
import type { ProviderSession } from "../../session.js";
import { poll, type StartWatching, type Stop, Watchers } from "../../watchers.js";

/**
 * The screen after a frame of `watch-screen`: the whole one that it brings, or the earlier one with the rows
 * that changed. Undefined when rows come without a screen that they fit.
 */
export function applyScreenFrame(
  before: Screen | undefined,
  { screen, rows = [], cursor, palette }: ScreenFrame,
): Screen | undefined {
  const base = screen ?? before;
  if (base === undefined) return undefined;
  const fits = rows.every(
    ({ y, foreground }) => y <= base.height && foreground.length === base.width,
  );
  if (!fits) return undefined;
  const changes = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(palette === undefined ? {} : { palette }),
  };
  return { ...(rows.length === 0 ? base : withRows(base, rows)), ...changes };
}

function withRows(screen: Screen, rows: readonly ScreenRow[]): Screen {
  const text = rowsOf(decodeText(screen.text, screen.encoding), screen);
  const foreground = rowsOf(screen.foreground ?? "0".repeat(screen.width * screen.height), screen);
  const background = rowsOf(screen.background ?? "f".repeat(screen.width * screen.height), screen);
  for (const row of rows) {
    text[row.y - 1] = decodeText(row.text, row.encoding);
    foreground[row.y - 1] = row.foreground;
    background[row.y - 1] = row.background;
  }
  // The encoding is that of the new text: what was base64 may be plain now.
  const { encoding: _, ...rest } = screen;
  return {
    ...rest,
    ...encodeCells(text.join("")),
    foreground: foreground.join(""),
    background: background.join(""),
  };
}

function rowsOf(cells: string, { width, height }: Screen): string[] {
  return Array.from({ length: height }, (_, row) => cells.slice(row * width, (row + 1) * width));
}

/** Cells as the wire writes them: as they are when they are plain, otherwise as base64. */
function encodeCells(cells: string): Pick<Screen, "text" | "encoding"> {
  return /^[ -~]*$/.test(cells) ? { text: cells } : { text: btoa(cells), encoding: "base64" };
}

/** Files and screens that may be watched at once, by all clients together. */
const MAX_WATCHED = 256;
/** How often what changes without a word is looked at. */
const POLL_MS = 2_000;
/** How often an agent that pushes is asked which screen it is: the newest program may be another one. */
const CHOOSE_MS = 5_000;
const ASK_TIMEOUT_MS = 20_000;

export interface WatchedScreen {
  readonly job: string | undefined;
  readonly screen: Screen | undefined;
  readonly ended: boolean;
  readonly problem: string | undefined;
}

/** Something that differs when a file, or what is in a folder, has changed. */
export interface WatchedFile {
  readonly fingerprint: string;
}

const noScreen = (problem: string): WatchedScreen => ({
  job: undefined,
  screen: undefined,
  ended: false,
  problem,
});

/**
 * Watched screens and files of computers, each watched once for all listeners. Agents that can push
 * their screen do so; files, and the screens of older agents, are looked at every two seconds. What is
 * followed outlasts a link: it continues when the computer is back.
 */
export class ComputerWatches {
  readonly #registry: Registry;
  readonly #screens = new Watchers<WatchedScreen>(MAX_WATCHED);
  readonly #files = new Watchers<WatchedFile>(MAX_WATCHED);
  readonly #receivers = new Map<string, Set<(frame: ScreenFrame) => void>>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  follow(key: string, subject: WatchSubject, listener: (state: unknown) => void): Stop {
    const { what, path } = subject;
    if (what === "screen") return this.screen(key, listener, subject);
    if (what === "file" && path !== undefined) return this.file(key, path, listener);
    throw new Error(`a computer has no ${what} to follow`);
  }

  /**
   * Follows the screen of a program, or without one that which `read-screen` would show, until the returned
   * function is called.
   */
  screen(
    key: string,
    listener: (screen: WatchedScreen) => void,
    { job, lingerMs }: Pick<WatchSubject, "job" | "lingerMs"> = {},
  ): Stop {
    const start: StartWatching<WatchedScreen> = (notify) =>
      this.#whileLinked(key, (session) =>
        session.provider.methods.includes("watch-screen")
          ? this.#push(session, job, notify)
          : poll(() => this.#refresh(session, job, notify), POLL_MS),
      );
    return this.#screens.watch(JSON.stringify([key, job]), start, listener, { lingerMs });
  }

  file(key: string, path: string, listener: (file: WatchedFile) => void): Stop {
    const start: StartWatching<WatchedFile> = (notify) =>
      this.#whileLinked(key, (session) =>
        poll(async () => notify({ fingerprint: await fingerprint(session, path) }), POLL_MS),
      );
    return this.#files.watch(JSON.stringify([key, path]), start, listener);
  }

  receive(key: string, frame: ScreenFrame): void {
    for (const receive of [...(this.#receivers.get(key) ?? [])]) receive(frame);
  }

  #whileLinked(key: string, begin: (session: ProviderSession) => Stop): Stop {
    let current: ProviderSession | undefined;
    let stop: Stop = () => {};
    const refresh = () => {
      const session = this.#registry.session(key);
      if (session === current) return;
      stop();
      current = session;
      stop = session === undefined ? () => {} : begin(session);
    };
    const topics = ["linked", "unlinked"] as const;
    const unsubscribe = this.#registry.changes.subscribe(refresh, { topics, key });
    refresh();
    return () => {
      unsubscribe();
      stop();
    };
  }

  #push(
    session: ProviderSession,
    named: string | undefined,
    notify: (screen: WatchedScreen) => void,
  ): Stop {
    const { key } = session.provider;
    const params = named === undefined ? {} : { job: named };
    let screen: Screen | undefined;
    /** Whose frames count: those of others may come too. */
    let chosen = named;
    let isChoosing = false;
    let isOver = false;
    const choose = async () => {
      // However many frames ask for it, one question at a time. A program that is over has no other screen.
      if (isChoosing || isOver) return;
      isChoosing = true;
      // What is known already is not sent again.
      const whole = screen === undefined ? { whole: true } : {};
      const outcome = await askToWatch(session, { ...params, on: true, ...whole });
      isChoosing = false;
      if ("problem" in outcome) notify(noScreen(outcome.problem));
      else if (named === undefined && outcome.job !== chosen) {
        chosen = outcome.job;
        screen = undefined;
      }
    };
    const receive = (frame: ScreenFrame) => {
      const { job, ended = false } = frame;
      // The whole screen of the one that is chosen may be read before the answer that names it.
      const isChosen = isChoosing && named === undefined && frame.screen !== undefined;
      if (job !== chosen && !isChosen) return;
      chosen = job;
      screen = applyScreenFrame(screen, frame);
      if (screen !== undefined) notify({ job, screen, ended, problem: undefined });
      isOver = named !== undefined && ended;
      // Rows without their screen, or the end of a program: the whole screen is needed.
      if (screen === undefined || ended) void choose();
    };
    const receivers = this.#receivers.get(key) ?? new Set();
    this.#receivers.set(key, receivers.add(receive));
    const stop = poll(choose, CHOOSE_MS);
    return () => {
      stop();
      receivers.delete(receive);
      if (receivers.size === 0) this.#receivers.delete(key);
      void askToWatch(session, { ...params, on: false });
    };
  }

  async #refresh(
    session: ProviderSession,
    named: string | undefined,
    notify: (screen: WatchedScreen) => void,
  ): Promise<void> {
    const params = { ...(named === undefined ? {} : { job: named }), colours: true };
    try {
      const answer = await session.request("read-screen", params, quickly);
      const parsed = methods["read-screen"].result.safeParse(answer.result);
      if (!answer.ok || !parsed.success)
        return notify(noScreen(answer.ok ? "not readable" : answer.error));
      const { job, screen } = parsed.data;
      notify({ job, screen, ended: false, problem: undefined });
    } catch (error) {
      notify(noScreen((error as Error).message));
    }
  }
}

const quickly = { timeoutMs: ASK_TIMEOUT_MS };

/** Asks an agent to push a screen, or not to; returns whose it is, or why it does not. */
async function askToWatch(
  session: ProviderSession,
  params: MethodParams<"watch-screen">,
): Promise<{ job: string | undefined } | { problem: string }> {
  try {
    const answer = await session.request("watch-screen", params, quickly);
    if (!answer.ok) return { problem: answer.error };
    return { job: methods["watch-screen"].result.safeParse(answer.result).data?.job };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Not there, or not to be read: that is a state too. */
async function fingerprint(session: ProviderSession, path: string): Promise<string> {
  try {
    const answer = await session.request("list-files", { path }, quickly);
    const parsed = methods["list-files"].result.safeParse(answer.result);
    if (!answer.ok) return `failed: ${answer.error}`;
    return parsed.success ? JSON.stringify(parsed.data.entries) : "failed: not readable";
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}
