import { finiteArgument, numberArgument, stringArgument } from "./arguments.js";
import { formatDate } from "./date.js";
import { TICK_MS, type Timers } from "./timers.js";
import { type HostFunctions, LuaError } from "./vm/lua-vm.js";

const MAX_LABEL_LENGTH = 32;
const TICKS_PER_DAY = 24_000;
const MS_PER_GAME_HOUR = 3_600_000;

export interface OsHost {
  readonly id: number;
  readonly labelled: { label: string | undefined };
  readonly timers: Timers;
  readonly alarms: Timers;
  uptimeTicks(): number;
  worldTicks(): number;
  realTimeMs(): number;
  requestPower(state: "off" | "reboot"): void;
}

function gameTime(ticks: number): number {
  return ((ticks + 6_000) % TICKS_PER_DAY) / 1_000;
}

function gameDay(ticks: number): number {
  return Math.floor((ticks + 6_000) / TICKS_PER_DAY) + 1;
}

function cleanLabel(label: string): string {
  return Array.from(label.slice(0, MAX_LABEL_LENGTH), (char) => {
    const code = char.charCodeAt(0);
    return (code >= 32 && code <= 126) || code >= 161 ? char : "?";
  }).join("");
}

export function osFunctions(host: OsHost): HostFunctions {
  const locale = (value: unknown) => (value === undefined ? "ingame" : String(value).toLowerCase());
  return {
    "os.getComputerID": () => host.id,
    "os.getComputerLabel": () => host.labelled.label,
    "os.setComputerLabel": (label) => {
      host.labelled.label = label === undefined ? undefined : cleanLabel(stringArgument(label, 1));
    },
    "os.startTimer": (seconds) => host.timers.start(finiteArgument(seconds, 1), host.uptimeTicks()),
    "os.cancelTimer": (id) => host.timers.cancel(numberArgument(id, 1)),
    "os.setAlarm": (time) => {
      const hour = finiteArgument(time, 1);
      if (hour < 0 || hour >= 24) throw new LuaError("Number out of range");
      const wait = (hour - gameTime(host.worldTicks()) + 24) % 24;
      return host.alarms.start((wait * 1_000 * TICK_MS) / 1_000, host.uptimeTicks());
    },
    "os.cancelAlarm": (id) => host.alarms.cancel(numberArgument(id, 1)),
    "os.clock": () => (host.uptimeTicks() * TICK_MS) / 1_000,
    "os.time": (value) => {
      switch (locale(value)) {
        case "ingame":
          return gameTime(host.worldTicks());
        case "utc":
        case "local":
          return (host.realTimeMs() % 86_400_000) / MS_PER_GAME_HOUR;
        default:
          throw new LuaError("Unsupported operation");
      }
    },
    "os.day": (value) => {
      switch (locale(value)) {
        case "ingame":
          return gameDay(host.worldTicks());
        case "utc":
        case "local":
          return Math.floor(host.realTimeMs() / 86_400_000);
        default:
          throw new LuaError("Unsupported operation");
      }
    },
    "os.epoch": (value) => {
      switch (locale(value)) {
        case "ingame":
          return (
            gameDay(host.worldTicks()) * 24 * MS_PER_GAME_HOUR +
            gameTime(host.worldTicks()) * MS_PER_GAME_HOUR
          );
        case "utc":
        case "local":
          return host.realTimeMs();
        default:
          throw new LuaError("Unsupported operation");
      }
    },
    "os.date": (format, time) =>
      formatDate(
        format === undefined ? "%c" : stringArgument(format, 1),
        time === undefined ? host.realTimeMs() : numberArgument(time, 2) * 1_000,
      ),
    "os.shutdown": () => host.requestPower("off"),
    "os.reboot": () => host.requestPower("reboot"),
  };
}
