import type { ListenerPlan, Side } from "../../config/listeners.js";
import type { Config } from "../../config/settings.js";
import type { Health } from "../../http/health-client.js";
import type { PortHolder } from "../../http/listen.js";
import type { CommandContext } from "../context.js";

export interface DoctorOptions {
  config: Config;
  version: string;
}

export interface ExaminedListener extends ListenerPlan {
  holder: PortHolder;
}

export interface Examination extends DoctorOptions {
  context: CommandContext;
  listeners: readonly ExaminedListener[];
}

export function bridgeOn({ listeners }: Examination, side: Side): Health | undefined {
  const holder = listeners.find((listener) => listener.side === side)?.holder;
  return holder?.kind === "bridge" ? holder.health : undefined;
}

export interface Finding {
  /** A problem keeps something from working; a note does not. */
  level: "fine" | "note" | "problem";
  text: string;
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
