import { isDeepStrictEqual } from "node:util";
import { parse, TomlError } from "smol-toml";
import { type AddressRule, type BridgeAddress, decide } from "./address-rules.js";
import { type TomlStatement, tomlStatements } from "./toml-statements.js";

export class RefusedConfigError extends Error {
  override readonly name = "RefusedConfigError";
}

export interface Edit {
  text: string;
  /** The added or removed lines, without line breaks. Empty: nothing to change. */
  lines: string[];
}

const MARK = "#For ccbridge; `ccbridge allow --remove` takes this rule away.";

/** Adds a rule for each denied address, before the rule that denies it. */
export function allowAddresses(text: string, addresses: readonly BridgeAddress[]): Edit {
  const edit: Edit = { text, lines: [] };
  for (const address of addresses) {
    const { data, rules, blocks } = read(edit.text);
    const { allowed, index = 0 } = decide(rules, address);
    if (allowed) continue;
    const block = blocks[index] as RuleBlock;
    const lines = ruleLines(address, block.header.indent, block.indent);
    const added = lines.map((line) => `${line}${lineBreak(edit.text)}`).join("");
    const { start } = block.header;
    const changed = `${edit.text.slice(0, start)}${added}${edit.text.slice(start)}`;
    const rule = { host: address.host, port: address.port, action: "allow" };
    check(changed, withRules(data, [...rules.slice(0, index), rule, ...rules.slice(index)]));
    edit.text = changed;
    edit.lines.push(...lines);
  }
  return edit;
}

/** Removes everything that {@link allowAddresses} added, for any address, and nothing else. */
export function removeAddresses(text: string, addresses: readonly BridgeAddress[]): Edit {
  const { data, rules, blocks } = read(text);
  const isOurs = (rule: AddressRule, { start, end }: RuleBlock) =>
    text.slice(start, end).includes(MARK) ||
    addresses.some((address) => isDeepStrictEqual(plain(rule), { ...address, action: "allow" }));
  const kept = rules.filter((rule, index) => !isOurs(rule, blocks[index] as RuleBlock));
  const edit: Edit = { text, lines: [] };
  for (const [index, block] of [...blocks.entries()].reverse()) {
    if (!isOurs(rules[index] as AddressRule, block)) continue;
    const blank = /[ \t]*\r?\n/y;
    blank.lastIndex = block.end;
    const end = blank.test(text) ? blank.lastIndex : block.end;
    edit.lines.unshift(
      ...text
        .slice(block.start, end)
        .replace(/\r?\n$/, "")
        .split(/\r?\n/),
    );
    edit.text = `${edit.text.slice(0, block.start)}${edit.text.slice(end)}`;
  }
  if (edit.lines.length > 0) check(edit.text, withRules(data, kept));
  return edit;
}

export function ruleText(address: BridgeAddress): string {
  return ruleLines(address, "    ", "        ")
    .filter((line) => !line.includes(MARK))
    .join("\n");
}

export function switchedOff(text: string): string[] {
  const { http = {} } = parseConfig(text) as { http?: Record<string, unknown> };
  return ["enabled", "websocket_enabled"].filter((key) => http[key] === false);
}

interface RuleBlock {
  header: TomlStatement;
  start: number;
  end: number;
  indent: string;
}

interface Config {
  data: Record<string, unknown>;
  rules: AddressRule[];
  blocks: RuleBlock[];
}

function read(text: string): Config {
  const data = parseConfig(text);
  const rules = (data.http as Record<string, unknown> | undefined)?.rules;
  if (rules === undefined) {
    throw new RefusedConfigError(
      "it has no [[http.rules]]; open the world once with CC:Tweaked 1.87 or newer, which writes them",
    );
  }
  const blocks = ruleBlocks(tomlStatements(text));
  if (!Array.isArray(rules) || rules.length === 0 || blocks.length !== rules.length) {
    throw new RefusedConfigError(
      "its http.rules are not written as [[http.rules]], so they must be changed by hand",
    );
  }
  return { data, rules: rules as AddressRule[], blocks };
}

function parseConfig(text: string): Record<string, unknown> {
  try {
    return parse(text.replace(/^\ufeff/, ""), { integersAsBigInt: "asNeeded" });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first] = error.message.split("\n");
    throw new RefusedConfigError(
      `line ${error.line}, column ${error.column} is not valid TOML (${first}); the game would not read it either. Fix it, or restore a copy`,
      { cause: error },
    );
  }
}

function ruleBlocks(statements: readonly TomlStatement[]): RuleBlock[] {
  const blocks: RuleBlock[] = [];
  let current: RuleBlock | undefined;
  for (const statement of statements) {
    const { start, end, indent } = statement;
    if (statement.kind === "header") {
      current = undefined;
      if (!isRulesHeader(statement.text)) continue;
      current = { header: statement, start, end, indent: `${indent}${indent || "\t"}` };
      blocks.push(current);
    } else if (current !== undefined) {
      if (current.end === current.header.end) current.indent = indent;
      current.end = end;
    }
  }
  return blocks;
}

/** `[[http.rules]]` with any spacing and quoting. */
function isRulesHeader(text: string): boolean {
  return isDeepStrictEqual(plain(parse(text)), { http: { rules: [{}] } });
}

function ruleLines({ host, port }: BridgeAddress, outer: string, indent: string): string[] {
  return [
    `${outer}[[http.rules]]`,
    `${indent}${MARK}`,
    `${indent}host = ${JSON.stringify(host)}`,
    `${indent}port = ${port}`,
    `${indent}action = "allow"`,
    "",
  ];
}

function lineBreak(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

function withRules(data: Record<string, unknown>, rules: readonly AddressRule[]): unknown {
  const http = data.http as Record<string, unknown>;
  if (rules.length > 0) return { ...data, http: { ...http, rules } };
  const { rules: _, ...rest } = http;
  return { ...data, http: rest };
}

/** Parses the result again, to verify that nothing else changed. */
function check(text: string, wanted: unknown): void {
  if (!isDeepStrictEqual(plain(parseConfig(text)), plain(wanted))) {
    throw new RefusedConfigError("it is written in a way that this command does not understand");
  }
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}
