import { methods, type Screen, type ScreenFrame } from "@ccbridge/protocol";
import type { WatchSubject } from "../../dialect.js";
import type { Registry } from "../../registry.js";
import type { Session } from "../../session.js";
import { poll, type StartWatching, type Stop, Watchers } from "../../watchers.js";
import { applyScreenFrame } from "./screen-rows.js";

/** Files and screens that may be watched at once, by all clients together. */
const MAX_WATCHED = 256;
/** How often what changes without a word is looked at. */
const LOOK_MS = 2_000;
/** How often an agent that pushes is asked which screen it is: the newest program may be another one. */
const CHOOSE_MS = 5_000;
const ASK_TIMEOUT_MS = 20_000;

/** A screen as it is now. */
export interface WatchedScreen {
  /** The program whose screen it is; undefined for the computer's own. */
  readonly job: string | undefined;
  readonly screen: Screen | undefined;
  /** Whether the program is over: this is what it showed last. */
  readonly ended: boolean;
  /** Why there is no screen to see. */
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
 * Screens and files of computers that somebody follows, each watched once for all. Agents that can push
 * their screen do so; files, and the screens of older agents, are looked at every two seconds. What is
 * followed outlasts a link: it goes on when the computer is back.
 */
export class ComputerWatches {
  readonly #registry: Registry;
  readonly #screens = new Watchers<WatchedScreen>(MAX_WATCHED);
  readonly #files = new Watchers<WatchedFile>(MAX_WATCHED);
  /** Takes the frames of computers that push, by key. */
  readonly #receivers = new Map<string, (frame: ScreenFrame) => void>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Follows a screen or a file, whichever is meant. */
  follow(key: string, { what, path }: WatchSubject, listener: (state: unknown) => void): Stop {
    if (what === "screen") return this.screen(key, listener);
    if (what === "file" && path !== undefined) return this.file(key, path, listener);
    throw new Error(`a computer has no ${what} to follow`);
  }

  /** Follows the screen that `read-screen` would show, until the returned function is called. */
  screen(key: string, listener: (screen: WatchedScreen) => void): Stop {
    const start: StartWatching<WatchedScreen> = (tell) =>
      this.#whileLinked(key, (session) =>
        session.provider.methods.includes("watch-screen")
          ? this.#push(session, tell)
          : poll(() => this.#look(session, tell), LOOK_MS),
      );
    return this.#screens.watch(key, start, listener);
  }

  /** Follows a file, or what a folder holds, until the returned function is called. */
  file(key: string, path: string, listener: (file: WatchedFile) => void): Stop {
    const start: StartWatching<WatchedFile> = (tell) =>
      this.#whileLinked(key, (session) =>
        poll(async () => tell({ fingerprint: await fingerprint(session, path) }), LOOK_MS),
      );
    return this.#files.watch(JSON.stringify([key, path]), start, listener);
  }

  /** Takes what an agent pushed. */
  receive(key: string, frame: ScreenFrame): void {
    this.#receivers.get(key)?.(frame);
  }

  /** Begins with each link of a computer, and ends with it. */
  #whileLinked(key: string, begin: (session: Session) => Stop): Stop {
    let current: Session | undefined;
    let stop: Stop = () => {};
    const look = () => {
      const session = this.#registry.session(key);
      if (session === current) return;
      stop();
      current = session;
      stop = session === undefined ? () => {} : begin(session);
    };
    const unsubscribe = this.#registry.changes.subscribe((change) => {
      const isLink = change.topic === "linked" || change.topic === "unlinked";
      if (isLink && change.provider.key === key) look();
    });
    look();
    return () => {
      unsubscribe();
      stop();
    };
  }

  #push(session: Session, tell: (screen: WatchedScreen) => void): Stop {
    const { key } = session.provider;
    let screen: Screen | undefined;
    let isChoosing = false;
    const choose = async () => {
      // However many frames ask for it, one question at a time.
      if (isChoosing) return;
      isChoosing = true;
      const problem = await problemOf(session, { on: true });
      isChoosing = false;
      if (problem !== undefined) tell(noScreen(problem));
    };
    this.#receivers.set(key, (frame) => {
      screen = applyScreenFrame(screen, frame);
      const { job, ended = false } = frame;
      if (screen !== undefined) tell({ job, screen, ended, problem: undefined });
      // Rows without their screen, or the end of a program: there is another one to ask for.
      if (screen === undefined || ended) void choose();
    });
    const stop = poll(choose, CHOOSE_MS);
    return () => {
      stop();
      this.#receivers.delete(key);
      void problemOf(session, { on: false });
    };
  }

  async #look(session: Session, tell: (screen: WatchedScreen) => void): Promise<void> {
    try {
      const answer = await session.request("read-screen", { colours: true }, quickly);
      const parsed = methods["read-screen"].result.safeParse(answer.result);
      if (!answer.ok || !parsed.success)
        return tell(noScreen(answer.ok ? "not readable" : answer.error));
      const { job, screen } = parsed.data;
      tell({ job, screen, ended: false, problem: undefined });
    } catch (error) {
      tell(noScreen((error as Error).message));
    }
  }
}

const quickly = { timeoutMs: ASK_TIMEOUT_MS };

/** Asks an agent to push its screen, or not to; returns why it does not. */
async function problemOf(session: Session, params: { on: boolean }): Promise<string | undefined> {
  try {
    const answer = await session.request("watch-screen", params, quickly);
    return answer.ok ? undefined : answer.error;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Not there, or not to be read: that is a state too. */
async function fingerprint(session: Session, path: string): Promise<string> {
  try {
    const answer = await session.request("list-files", { path }, quickly);
    const parsed = methods["list-files"].result.safeParse(answer.result);
    if (!answer.ok) return `failed: ${answer.error}`;
    return parsed.success ? JSON.stringify(parsed.data.entries) : "failed: not readable";
  } catch (error) {
    return `failed: ${(error as Error).message}`;
  }
}
