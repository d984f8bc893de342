import type { CpuClock } from "./execution-timer.js";
import type { HttpRule } from "./http/address-rules.js";
import type { HostFunctions } from "./vm/lua-vm.js";

export type ComputerKind = "computer" | "turtle" | "pocket" | "command";

/** Columns and rows of the screen. */
export const SCREEN_SIZES: Readonly<Record<ComputerKind, readonly [number, number]>> = {
  computer: [51, 19],
  command: [51, 19],
  turtle: [39, 13],
  pocket: [26, 20],
};

export interface ComputerOptions {
  /** @default the next free one */
  readonly id?: number;
  readonly label?: string;
  /** @default "computer" */
  readonly kind?: ComputerKind;
  /** Colour and multishell; command computers always have them. @default false */
  readonly advanced?: boolean;
  /** CC:Tweaked version, 1.100 to 1.116. @default the world's */
  readonly version?: string;
  /** Files on the disk before the first boot, text as UTF-8. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Bytes of disk. @default 1000000 */
  readonly capacity?: number;
  /** How the time of the seven-second rule is measured. @default the world's */
  readonly cpuClock?: CpuClock;
  /** `http.enabled`; without it there is no `http` global. @default true */
  readonly http?: boolean;
  /** `http.websocket_enabled`; without it opening one throws. @default true */
  readonly websockets?: boolean;
  /**
   * Whether hooks of `debug.sethook` may yield, as they may in the game. Without, a yield in one is
   * an error, as in plain Lua. @default true
   */
  readonly hooksYield?: boolean;
  /** Server-wide `default_computer_settings`, such as "shell.autocomplete=false". */
  readonly defaultSettings?: string;
}

/** What a computer needs of the world around it. */
export interface ComputerWorld {
  readonly ticks: number;
  readonly realTimeMs: number;
  readonly isDriven: boolean;
  readonly httpRules: readonly HttpRule[];
  readonly minecraftVersion: string;
  /** Called now and then while Lua runs. */
  whileComputing(): void;
}

/** Host functions and behaviour that a kind of computer adds. */
export interface Extension {
  readonly functions: HostFunctions;
  tick(): void;
  reset(): void;
}

export interface ComputerStats {
  /** Events taken from the queue, wanted by the program or not. */
  readonly eventsHandled: number;
  /** Events lost because the queue was full. */
  readonly eventsDropped: number;
  /** Times Lua was resumed: the events that passed the program's filter, and boots. */
  readonly wakeups: number;
  readonly boots: number;
  readonly softAborts: number;
  readonly hardAborts: number;
  readonly timersActive: number;
  readonly websocketsOpen: number;
  readonly queueLength: number;
}
