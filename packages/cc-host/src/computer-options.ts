import type { CpuClock } from "./execution-timer.js";
import type { HttpRule } from "./http/address-rules.js";
import type { HostFunctions } from "./vm/lua-vm.js";

export type ComputerKind = "computer" | "turtle" | "pocket" | "command";

export const SCREEN_SIZES: Readonly<Record<ComputerKind, readonly [number, number]>> = {
  computer: [51, 19],
  command: [51, 19],
  turtle: [39, 13],
  pocket: [26, 20],
};

export interface ComputerOptions {
  readonly id?: number;
  readonly label?: string;
  readonly kind?: ComputerKind;
  /** Colour and multishell; command computers always have them. @default false */
  readonly advanced?: boolean;
  /** CC:Tweaked version, 1.100 to 1.116. @default the world's */
  readonly version?: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Bytes of disk. @default 1000000 */
  readonly capacity?: number;
  /** For the seven-second limit. @default the world's */
  readonly cpuClock?: CpuClock;
  /** `http.enabled`; without it there is no `http` global. @default true */
  readonly http?: boolean;
  /** `http.websocket_enabled`; without it opening one throws. @default true */
  readonly websockets?: boolean;
  /**
   * Whether `debug.sethook` hooks may yield, as in the game; otherwise that is an error, as in
   * plain Lua. @default true
   */
  readonly hooksYield?: boolean;
  readonly defaultSettings?: string;
}

export interface ComputerWorld {
  readonly ticks: number;
  readonly realTimeMs: number;
  readonly isDriven: boolean;
  readonly httpRules: readonly HttpRule[];
  readonly minecraftVersion: string;
  whileComputing(): void;
}

export interface Extension {
  readonly functions: HostFunctions;
  tick(): void;
  reset(): void;
}

export function newCounters() {
  return {
    ...{ eventsHandled: 0, eventsDropped: 0, wakeups: 0, boots: 0 },
    ...{ softAborts: 0, hardAborts: 0 },
  };
}

export interface ComputerStats {
  readonly eventsHandled: number;
  readonly eventsDropped: number;
  /** Times Lua was resumed: events that passed the program's filter, and boots. */
  readonly wakeups: number;
  readonly boots: number;
  readonly softAborts: number;
  readonly hardAborts: number;
  readonly timersActive: number;
  readonly websocketsOpen: number;
  readonly queueLength: number;
}
