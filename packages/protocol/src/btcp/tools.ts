import { inputSchemaProblem } from "../input-schema.js";
import { isRecord } from "../json-schema.js";
import { isCapability } from "./capabilities.js";
import {
  DEFAULT_CALL_MS,
  MAX_CALL_MS,
  MAX_CAPABILITIES,
  MAX_DESCRIPTION_LENGTH,
  MAX_PAGE_TOOLS,
  MAX_TITLE_LENGTH,
  MAX_TOOL_LENGTH,
  MAX_TOOL_NAME_LENGTH,
  MAX_TOOLS_LENGTH,
  META_TOOL_PREFIX,
  MIN_CALL_MS,
  UNASKED_TOOLS,
} from "./constants.js";
import { cutText } from "./text.js";

export interface PageTool {
  name: string;
  title?: string;
  /** Hints of MCP, as far as they are true or false. */
  annotations?: Record<string, boolean>;
  description: string;
  inputSchema: Record<string, unknown>;
  capabilities: string[];
  timeoutMs: number;
}

/** Pages do not notice a refused registration, so it is reported to people. */
export interface ToolProblem {
  tool: string;
  problem: string;
}

export interface ReadTools {
  tools: PageTool[];
  problems: ToolProblem[];
}

const namePattern = /^[A-Za-z_][\w.-]*$/;

export function toolListOf(value: unknown): unknown[] | undefined {
  const list = isRecord(value) ? value.tools : value;
  return Array.isArray(list) ? list : undefined;
}

/** An invalid tool does not affect the others. */
export function readTools(list: readonly unknown[]): ReadTools {
  const tools = new Map<string, PageTool>();
  const problems: ToolProblem[] = [];
  let length = 0;
  for (const value of list.slice(0, MAX_PAGE_TOOLS)) {
    const read = readTool(value);
    const name = typeof read === "string" ? nameOf(value) : read.name;
    const size = typeof read === "string" ? 0 : JSON.stringify(read).length;
    if (typeof read === "string") problems.push({ tool: name, problem: read });
    else if (tools.has(name)) problems.push({ tool: name, problem: "registered twice" });
    else if (length + size > MAX_TOOLS_LENGTH) {
      problems.push({ tool: name, problem: "the tools of the page are too large together" });
    } else {
      length += size;
      tools.set(name, read);
    }
  }
  const left = list.length - MAX_PAGE_TOOLS;
  if (left > 0) {
    const problem = `a page may register ${MAX_PAGE_TOOLS} tools; ${left} more were left out`;
    problems.push({ tool: nameOf(list[MAX_PAGE_TOOLS]), problem });
  }
  return { tools: [...tools.values()], problems };
}

function nameOf(value: unknown): string {
  const name = isRecord(value) ? value.name : undefined;
  return typeof name === "string" ? cutText(name, MAX_TOOL_NAME_LENGTH) : "(no name)";
}

function readTool(value: unknown): PageTool | string {
  if (!isRecord(value)) return "not an object";
  if (JSON.stringify(value).length > MAX_TOOL_LENGTH) {
    return `larger than ${MAX_TOOL_LENGTH} characters`;
  }
  const { name } = value;
  if (typeof name !== "string" || name === "") return "it has no name";
  if (name.length > MAX_TOOL_NAME_LENGTH || !namePattern.test(name)) {
    return `its name is not 1 to ${MAX_TOOL_NAME_LENGTH} letters, digits and _ . -`;
  }
  if (UNASKED_TOOLS.has(name))
    return "every page answers this name without registering it, so it is never offered";
  if (name.startsWith(META_TOOL_PREFIX)) return `names with ${META_TOOL_PREFIX} are reserved`;
  const problem = inputSchemaProblem(value.inputSchema);
  if (problem !== undefined) return problem;
  const inputSchema = isRecord(value.inputSchema) ? value.inputSchema : {};
  const capabilities = readCapabilities(value.capabilities);
  if (typeof capabilities === "string") return capabilities;
  return {
    name,
    ...titleOf(value),
    ...hintsOf(value.annotations),
    description: descriptionOf(value),
    ...{ inputSchema, capabilities, timeoutMs: callTime(value.timeout) },
  };
}

function titleOf({ title, annotations }: Record<string, unknown>): Pick<PageTool, "title"> {
  const text = title ?? (isRecord(annotations) ? annotations.title : undefined);
  if (typeof text !== "string" || text.trim() === "") return {};
  return { title: cutText(text.trim(), MAX_TITLE_LENGTH) };
}

const hints = [
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
  "untrustedContentHint",
  "consequentialHint",
];

function hintsOf(annotations: unknown): Pick<PageTool, "annotations"> {
  if (!isRecord(annotations)) return {};
  const known = hints.flatMap((hint): [string, boolean][] => {
    const value = annotations[hint];
    return typeof value === "boolean" ? [[hint, value]] : [];
  });
  // WebMCP's word for what a person may not be able to undo. MCP clients know another one, and ask before such a call.
  if (annotations.consequentialHint === true)
    known.push(["destructiveHint", true], ["readOnlyHint", false]);
  return known.length === 0 ? {} : { annotations: Object.fromEntries(known) };
}

function descriptionOf({ description, deprecated, deprecationMessage }: Record<string, unknown>) {
  const text = typeof description === "string" ? description.trim() : "";
  const advice = typeof deprecationMessage === "string" ? ` ${deprecationMessage}` : "";
  const full = deprecated === true ? `Deprecated.${advice} ${text}` : text;
  return cutText(full, MAX_DESCRIPTION_LENGTH).trim();
}

function readCapabilities(value: unknown): string[] | string {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_CAPABILITIES || !value.every(isCapability)) {
    return "its capabilities are not a short list of names such as dom:read";
  }
  return [...new Set(value)];
}

export function callTime(timeout: unknown): number {
  if (typeof timeout !== "number" || Number.isNaN(timeout)) return DEFAULT_CALL_MS;
  return Math.round(Math.min(MAX_CALL_MS, Math.max(MIN_CALL_MS, timeout)));
}
