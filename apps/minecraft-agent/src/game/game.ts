import {
  type BlockInfo,
  type Box,
  type Location,
  ServerErrorCode,
} from "@ccbridge/protocol/minecraft";
import { messageOf, RequestError } from "../errors.js";
import type { ListedPlayer } from "../msmp/client.js";
import { MAX_BODY_BYTES } from "../rcon/packet.js";
import type { ServerStatus } from "../status/ping.js";
import { failureOf, toAscii, withoutColours } from "./answers.js";

export type Software = "vanilla" | "bukkit" | "fabric" | "forge" | "neoforge";

export interface CommandAnswer {
  text: string;
  failed?: boolean;
}

export interface CommandForm {
  maxBytes: number;
  /** Non-ASCII is garbled; in answers, characters beyond Latin-1 become `?`. */
  isAsciiOnly: boolean;
}

export interface GameOptions {
  software: Software;
  run?: ((command: string) => Promise<CommandAnswer>) | undefined;
  form?: CommandForm;
  blocks?: ((centre: Location, radius: number) => Promise<BlockInfo[]>) | undefined;
  /** The ids of the blocks in a box, by "x y z": east first, then south, then up. */
  box?: ((world: string, box: Box) => Promise<ReadonlyMap<string, string>>) | undefined;
  ping?: (() => Promise<ServerStatus>) | undefined;
  msmp?: () => MsmpPort | undefined;
  loggedVersion?: () => string | undefined;
  /** How long to measure the game's clock when no command reports the tick rate. @default 2000 */
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

  get knownVersion(): string | undefined {
    return this.#shownVersion ?? this.#options.loggedVersion?.();
  }

  get hasCommands(): boolean {
    return this.#options.run !== undefined;
  }

  get form(): CommandForm {
    return this.#options.form ?? { maxBytes: MAX_BODY_BYTES, isAsciiOnly: false };
  }

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

  get box(): GameOptions["box"] {
    return this.#options.box;
  }

  async run(command: string): Promise<string> {
    return (await this.perform(command)).text;
  }

  perform(command: string): Promise<CommandAnswer> {
    const { run } = this.#options;
    const [beyond] = this.form.isAsciiOnly ? (/[^ -~]/u.exec(command) ?? []) : [];
    if (beyond !== undefined) {
      throw new RequestError(
        ServerErrorCode.invalidCommand,
        `Nothing was run: the command contains ${JSON.stringify(beyond)}, and a command computer passes only ASCII to the game. Use send_message for text, or write ${toAscii(beyond)} for it where the game takes JSON (tellraw, title).`,
      );
    }
    if (run !== undefined) return run(command);
    throw new RequestError(
      ServerErrorCode.serverError,
      "This server cannot run commands: RCON is off. Set enable-rcon and rcon.password in server.properties.",
    );
  }

  /** Bypasses plugins of Bukkit servers, which override names such as `list`. */
  own(command: string): Promise<string> {
    return this.run(this.#software === "bukkit" ? `minecraft:${command}` : command);
  }

  async ask(command: string): Promise<string> {
    const answer = await this.own(command);
    const failure = failureOf(answer);
    if (failure !== undefined) throw failure;
    return withoutColours(answer);
  }

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

  /** The management protocol comes first: plugins cannot change its answer. */
  async players(): Promise<PlayerList> {
    const msmp = this.msmp;
    if (msmp !== undefined) {
      try {
        return { players: (await msmp.status()).players, max: null };
      } catch (error) {
        if (!this.hasCommands) {
          throw new RequestError(ServerErrorCode.connectionError, messageOf(error), {
            cause: error,
          });
        }
      }
    }
    return parsePlayers(await this.ask("list uuids"));
  }
}

function parsePlayers(answer: string): PlayerList {
  const sentence =
    /There are (\d+) (?:of a max(?: of)?|out of(?: maximum)?) (\d+) players online[.:]?(.*)$/is;
  const [, , max, names] = sentence.exec(withoutColours(answer)) ?? [];
  if (max === undefined || names === undefined) {
    throw new RequestError(
      ServerErrorCode.serverError,
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
