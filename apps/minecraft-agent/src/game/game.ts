import { type BlockInfo, ErrorCode, type Location } from "@ccbridge/protocol/minecraft";
import { messageOf, RequestError } from "../errors.js";
import type { ListedPlayer } from "../msmp/client.js";
import { MAX_BODY_BYTES } from "../rcon/packet.js";
import type { ServerStatus } from "../status/ping.js";
import { failureOf, toAscii, withoutColours } from "./answers.js";

/** What runs the game, as far as it matters: whose commands have which names. */
export type Software = "vanilla" | "bukkit" | "fabric" | "forge" | "neoforge";

/** What the game said to a command. */
export interface Said {
  text: string;
  /** Whether the command failed; undefined where only its text shows it. */
  failed?: boolean;
}

/** What a command can be on its way to the game. */
export interface CommandForm {
  /** Bytes, in UTF-8. */
  maxBytes: number;
  /** Whether only ASCII arrives as it was sent. In answers, what is beyond Latin-1 then comes as `?`. */
  isAsciiOnly: boolean;
}

/** The routes to a server. A missing one is undefined. */
export interface GameOptions {
  software: Software;
  /** Runs a command. */
  run?: ((command: string) => Promise<Said>) | undefined;
  /** @default what RCON carries */
  form?: CommandForm;
  /** Reads the blocks around a place, air left out. Undefined where nothing can. */
  blocks?: ((centre: Location, radius: number) => Promise<BlockInfo[]>) | undefined;
  /** Asks for the entry in the list of servers. */
  ping?: (() => Promise<ServerStatus>) | undefined;
  /** The management protocol, while it is connected. */
  msmp?: () => MsmpPort | undefined;
  /** The version according to the log. */
  loggedVersion?: () => string | undefined;
  /** How long to watch the game's clock when nothing else shows its speed. @default 2000 */
  measureMs?: number;
}

export interface MsmpPort {
  status(): Promise<{ players: ListedPlayer[]; version: string | undefined }>;
  request(method: string, params: unknown[]): Promise<unknown>;
}

export interface PlayerList {
  players: { name: string; uuid: string | null }[];
  max: number | null;
}

/** One server, whichever routes lead to it. */
export class Game {
  readonly #options: GameOptions;
  #software: Software;
  #shownVersion: string | undefined;

  constructor(options: GameOptions) {
    this.#options = options;
    this.#software = options.software;
  }

  get software(): Software {
    return this.#software;
  }

  /** The version as far as it is known without asking. */
  get knownVersion(): string | undefined {
    return this.#shownVersion ?? this.#options.loggedVersion?.();
  }

  get hasCommands(): boolean {
    return this.#options.run !== undefined;
  }

  get form(): CommandForm {
    return this.#options.form ?? { maxBytes: MAX_BODY_BYTES, isAsciiOnly: false };
  }

  /** What to add to an answer that may have lost characters on its way. */
  lossNote(texts: readonly string[]): string[] {
    const mayHave = this.form.isAsciiOnly && texts.some((text) => text.includes("?"));
    return mayHave ? ["A ? may stand for a character that a command computer cannot read."] : [];
  }

  get measureMs(): number {
    return this.#options.measureMs ?? 2_000;
  }

  get msmp(): MsmpPort | undefined {
    return this.#options.msmp?.();
  }

  get blocks(): GameOptions["blocks"] {
    return this.#options.blocks;
  }

  /** Runs a command as it is; gives the game's words. */
  async run(command: string): Promise<string> {
    return (await this.perform(command)).text;
  }

  /** Runs a command as it is. */
  perform(command: string): Promise<Said> {
    const { run } = this.#options;
    const [beyond] = this.form.isAsciiOnly ? (/[^ -~]/u.exec(command) ?? []) : [];
    if (beyond !== undefined) {
      throw new RequestError(
        ErrorCode.invalidCommand,
        `Nothing was run: the command contains ${JSON.stringify(beyond)}, and a command computer passes only ASCII to the game. Use send_message for text, or write ${toAscii(beyond)} for it where the game takes JSON (tellraw, title).`,
      );
    }
    if (run !== undefined) return run(command);
    throw new RequestError(
      ErrorCode.serverError,
      "This server cannot run commands: RCON is off. Set enable-rcon and rcon.password in server.properties.",
    );
  }

  /** Runs a command of the game itself. Plugins of Bukkit servers like to take names such as `list`. */
  own(command: string): Promise<string> {
    return this.run(this.#software === "bukkit" ? `minecraft:${command}` : command);
  }

  /** Runs a command of the game itself, and throws if the game refused it. */
  async ask(command: string): Promise<string> {
    const answer = await this.own(command);
    const failure = failureOf(answer);
    if (failure !== undefined) throw failure;
    return withoutColours(answer);
  }

  /** What the list of servers shows; undefined when the game's port does not answer. */
  async ping(): Promise<ServerStatus | undefined> {
    try {
      const status = await this.#options.ping?.();
      if (/paper|spigot|bukkit|purpur|folia|pufferfish/i.test(status?.version ?? "")) {
        this.#software = "bukkit";
      }
      this.#shownVersion = status?.version ?? this.#shownVersion;
      return status;
    } catch {
      return undefined;
    }
  }

  async version(status?: ServerStatus): Promise<string | null> {
    const shown = status?.version ?? this.#options.loggedVersion?.();
    if (shown !== undefined) return shown;
    try {
      return (await this.msmp?.status())?.version ?? null;
    } catch {
      return null;
    }
  }

  /** Who is online. The management protocol knows best: no plugin changes what it says. */
  async players(): Promise<PlayerList> {
    const msmp = this.msmp;
    if (msmp !== undefined) {
      try {
        return { players: (await msmp.status()).players, max: null };
      } catch (error) {
        if (!this.hasCommands) {
          throw new RequestError(ErrorCode.connectionError, messageOf(error), { cause: error });
        }
      }
    }
    return parsePlayers(await this.ask("list uuids"));
  }
}

/** Reads the answer to `list uuids`, or to `list`. */
function parsePlayers(answer: string): PlayerList {
  const sentence =
    /There are (\d+) (?:of a max(?: of)?|out of(?: maximum)?) (\d+) players online[.:]?(.*)$/is;
  const [, , max, names] = sentence.exec(withoutColours(answer)) ?? [];
  if (max === undefined || names === undefined) {
    throw new RequestError(
      ErrorCode.serverError,
      `The server's list of players cannot be read: ${answer.trim().slice(0, 200)}`,
    );
  }
  const players = names
    .split(/, ?/)
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .map((entry) => {
      const [, name, uuid] = /^(\S+) \(([\da-f-]{32,36})\)$/i.exec(entry) ?? [];
      return { name: name ?? entry, uuid: uuid ?? null };
    });
  return { players, max: Number(max) };
}
