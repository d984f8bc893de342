import type { ListenerPlan, Side } from "../../config/listeners.js";
import type { Config } from "../../config/settings.js";
import type { Health } from "../../http/health-client.js";
import type { PortHolder } from "../../http/ports.js";
import type { CommandContext } from "../context.js";

export interface DoctorOptions {
  config: Config;
  version: string;
}

export interface ExaminedListener extends ListenerPlan {
  holder: PortHolder;
}

/** What the doctor knows before it looks closer. */
export interface Examination extends DoctorOptions {
  context: CommandContext;
  /** The ports of the bridge, and who has each. */
  listeners: readonly ExaminedListener[];
}

/** The bridge on one of its ports, if one runs there. */
export function bridgeOn({ listeners }: Examination, side: Side): Health | undefined {
  const holder = listeners.find((listener) => listener.side === side)?.holder;
  return holder?.kind === "bridge" ? holder.health : undefined;
}

/** One thing that the doctor looked at. */
export interface Finding {
  /** A note is worth knowing; a problem keeps something from working. */
  level: "fine" | "note" | "problem";
  text: string;
  /** What to do about it, a line each. */
  advice?: readonly string[];
}

export function fine(text: string): Finding {
  return { level: "fine", text };
}

export function note(text: string, ...advice: string[]): Finding {
  return { level: "note", text, advice };
}

export function problem(text: string, ...advice: string[]): Finding {
  return { level: "problem", text, advice };
}
