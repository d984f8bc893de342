import type { Config } from "../../config/settings.js";
import type { PortHolder } from "../../startup/ports.js";
import type { CommandContext } from "../context.js";

export interface DoctorOptions {
  config: Config;
  version: string;
}

/** What the doctor knows before it looks closer. */
export interface Examination extends DoctorOptions {
  context: CommandContext;
  mcp: PortHolder;
  link: PortHolder;
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
