import {
  type Answers,
  type ComputerView,
  computerName,
  LinkError,
  LinkErrorCode,
  linkedComputers,
  type ProviderPort,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { limitOf, offsetOf } from "../../../core/arguments.js";
import { defineTool, type ToolSettings } from "../../../core/define.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { cutEnd, pageOf } from "../../../format/text.js";
import { computerShape } from "../computer.js";
import { lockText } from "../request.js";
import { ComputerSchema, type DescribedComputer, describeComputers } from "./describe-computer.js";
import { expectedText } from "./expected.js";

const LIST_BYTES = 10_000;

function waitingText(count: number, mayApprove: boolean): string | undefined {
  if (count === 0) return undefined;
  const who = count === 1 ? "1 computer waits" : `${count} computers wait`;
  const how = mayApprove
    ? "Ask the user for the code on its screen and call approve-computer, or have the user approve it"
    : "The bridge's owner approves it once,";
  return `${who} for approval and cannot be used before. ${how} in the dashboard or with \`ccbridge pair\`.`;
}

export const listComputers = defineTool({
  name: "list-computers",
  title: "List computers",
  description:
    "Lists the computers and turtles (robots) that are linked now: id, label, kind, what is attached, the " +
    "player's programs, what is running. Call it first; the id or label is the other tools' computerId.",
  input: z.object({
    offset: offsetOf("computers"),
    limit: limitOf(100, 25),
  }),
  output: z.object({
    total: z.int().describe("How many computers are linked."),
    waiting: z.int().optional().describe("How many wait for approval."),
    offset: z.int(),
    computers: z.array(ComputerSchema),
  }),
  annotations: readOnly,
  async handler({ offset, limit }, context) {
    const { providers, settings, pairing } = context;
    const all = await linkedComputers(providers);
    const wanted = all.slice(offset, offset + limit);
    const computers = await describeComputers(providers, wanted, all);
    const waiting = settings.waiting?.() ?? 0;
    const isWaiting = waitingText(waiting, pairing !== undefined);
    // A computer waiting for approval already has the program.
    const expected = await expectedText(context, all);
    const link = expected?.isNamed === true ? undefined : linkText(settings.linkCommand);
    const parts =
      all.length === 0
        ? [
            "No computers connected.",
            expected?.text,
            await othersText(providers, settings),
            isWaiting ?? link,
            providers.unseen?.(),
          ]
        : [
            listText(computers, all.length, offset),
            expected?.text,
            isWaiting,
            providers.unseen?.(),
          ];
    const text = parts.filter((part) => part !== undefined).join(all.length === 0 ? " " : "\n");
    return {
      text,
      structured: () => ({ total: all.length, ...(waiting > 0 && { waiting }), offset, computers }),
    };
  },
});

/** What else is linked, and where to find it: a model asks for computers first. */
async function othersText(providers: ProviderPort, { kinds }: ToolSettings) {
  const linked = await providers.list();
  const others = kinds.all.flatMap(({ name, noun, listedBy }) => {
    const count = linked.filter(({ provider }) => provider.kind === name).length;
    return count === 0 ? [] : `${count} ${noun}${count === 1 ? "" : "s"} (${listedBy})`;
  });
  return others.length === 0 ? undefined : `Linked instead: ${others.join(", ")}.`;
}

function linkText(linkCommand: string): string {
  return `To link one, ask the player to type this on it in the game: ${linkCommand}`;
}

function listText(computers: DescribedComputer[], total: number, offset: number): string {
  const common = commonOf(computers);
  const { items: lines } = pageOf(
    computers.map((computer) => line(computer, common)),
    0,
    LIST_BYTES,
  );
  const end = offset + lines.length;
  const about = [
    common.host === null ? null : inline(common.host, 256),
    common.agent === null ? null : `agent ${inline(common.agent)}`,
  ];
  if (computers.length > 0) {
    const known = about.filter((part) => part !== null).join(", ");
    const head = total === 1 ? "1 computer is linked" : `${total} computers are linked`;
    lines.unshift(`${head}${known === "" ? "" : ` (${known})`}:`);
  }
  if (total > end) {
    lines.push(`${total - end} more: call list-computers with offset ${end}.`);
  } else if (computers.length === 0) {
    lines.push(`There are only ${total}: call list-computers with a smaller offset.`);
  }
  return lines.join("\n");
}

function line(computer: DescribedComputer, common: Common): string {
  const { kind, advanced, world, agent, host, state, selector, fuel } = computer;
  const { attached, programs, runs, allow, pausedSince } = computer;
  const named = (what: string, names: readonly string[]) =>
    names.length === 0 ? undefined : `${what} ${names.join(", ")}`;
  const parts = [
    `${advanced === true ? "advanced " : ""}${kind === "command" ? "command computer" : kind}`,
    selector === String(computer.computerId) ? undefined : `computerId ${quoted(selector)}`,
    world === null ? undefined : `world ${quoted(world)}`,
    host === common.host ? undefined : host === null ? "unknown version" : inline(host, 256),
    agent === null
      ? "old agent, which only runs Lua"
      : agent.version === common.agent
        ? undefined
        : `agent ${inline(agent.version)}`,
    allow === null ? undefined : lockText(allow),
    pausedSince === undefined ? undefined : `its world is paused since ${pausedSince}`,
    fuel === undefined ? undefined : `fuel ${fuel}`,
    named("attached:", attached ?? []),
    named("programs:", programs ?? []),
    agent === null ? undefined : unknownText(computer),
    named("running:", runs),
    offersText(computer),
    state === "live" ? undefined : `unresponsive: linked, but silent since ${computer.lastSeen}`,
  ];
  return `${computerName(computer)}: ${parts.filter((part) => part !== undefined).join("; ")}`;
}

/** An agent that knows what is there did not say. */
function unknownText({ attached, programs }: DescribedComputer): string | undefined {
  const unknown = [
    ...(attached === null ? ["what is attached"] : []),
    ...(programs === null ? ["which programs it has"] : []),
  ];
  return unknown.length === 0 ? undefined : `unknown: ${unknown.join(" and ")}`;
}

function offersText({ tools, brokenTools }: DescribedComputer): string | undefined {
  const names = tools.slice(0, 5).join(", ") + (tools.length > 5 ? ", ..." : "");
  const parts = [
    tools.length === 0 ? undefined : `offers ${names}`,
    brokenTools === 0
      ? undefined
      : `${brokenTools} of its tools cannot be used: list-offered-tools says why`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("; ");
}

interface Common {
  host: string | null;
  agent: string | null;
}

function commonOf(computers: readonly DescribedComputer[]): Common {
  return {
    host: mostFrequent(computers.map(({ host }) => host)),
    agent: mostFrequent(computers.map(({ agent }) => agent?.version ?? null)),
  };
}

function mostFrequent(values: readonly (string | null)[]): string | null {
  const counts = new Map<string | null, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const ProbeSchema = z.object({
  ...computerShape,
  status: z.enum(["pong", "timeout", "error"]),
  reason: z.string().optional().describe("Why the computer did not answer properly."),
});

interface Probe {
  line: string;
  facts: z.infer<typeof ProbeSchema>;
}

export const probeComputers = defineTool({
  name: "probe-computers",
  title: "Probe computers",
  description:
    "Pings every linked computer and says which ones answer: `pong from 12 (Label: base-turtle)`, " +
    "`timeout from ...` or `error from ...`.",
  input: z.object({
    offset: z
      .int()
      .nonnegative()
      .default(0)
      .meta({ description: "Skip this many of those that answered.", obvious: true }),
  }),
  output: z.object({
    computers: z.array(ProbeSchema),
    waiting: z.int().optional().describe("How many wait for approval."),
  }),
  annotations: readOnly,
  async handler({ offset }, { providers, settings, pairing }) {
    const computers = await linkedComputers(providers);
    const keys = computers.map(({ key }) => key);
    const patience = { timeoutMs: settings.probeTimeoutMs };
    const answers = await providers.requestAll(keys, "ping", patience);
    const probes: Probe[] = [];
    for (const [index, answer] of answers.entries()) {
      const computer = computers[index];
      if (computer !== undefined) probes.push(probed(computer, answer));
    }
    const waiting = settings.waiting?.() ?? 0;
    const lines = probeLines(probes, offset);
    if (probes.length === 0) lines.push("No computers connected.");
    const isWaiting = waitingText(waiting, pairing !== undefined);
    if (isWaiting !== undefined) lines.push(isWaiting);
    return {
      text: lines.join("\n"),
      structured: () => ({
        computers: probes.map(({ facts }) => facts),
        ...(waiting > 0 && { waiting }),
      }),
    };
  },
});

const PROBLEM_BYTES = 6_000;
const PONG_BYTES = 4_000;

/** What did not answer comes first and is never left out: at worst by its id alone. */
function probeLines(probes: readonly Probe[], offset: number): string[] {
  const good = probes.filter(({ facts }) => facts.status === "pong");
  const bad = probes.filter(({ facts }) => facts.status !== "pong");
  if (offset > 0 && offset >= good.length) {
    return [`Only ${good.length} answered: call probe-computers with a smaller offset.`];
  }
  const problems = offset > 0 ? [] : pageOf(lineOf(bad), 0, PROBLEM_BYTES).items;
  const others = offset > 0 ? [] : bad.slice(problems.length);
  const { items, next } = pageOf(lineOf(good), offset, PONG_BYTES);
  const ids = (status: "timeout" | "error") =>
    idRanges(probes, new Set(others.filter(({ facts }) => facts.status === status)));
  return [
    ...problems,
    ...(["timeout", "error"] as const).flatMap((status) =>
      ids(status) === "" ? [] : [`${status} also from ${ids(status)}`],
    ),
    ...items,
    ...(next === undefined
      ? []
      : [`and ${good.length - next} more answered: call probe-computers with offset ${next}.`]),
  ];
}

const lineOf = (probes: readonly Probe[]) => probes.map(({ line }) => line);

/** Such as `3, 7-12`: a range is only interrupted by linked computers that are not meant. */
function idRanges(all: readonly Probe[], meant: ReadonlySet<Probe>): string {
  const ranges: [number, number][] = [];
  let open: [number, number] | undefined;
  for (const probe of all) {
    const { computerId } = probe.facts;
    if (!meant.has(probe)) open = undefined;
    else if (open !== undefined) open[1] = computerId;
    else {
      open = [computerId, computerId];
      ranges.push(open);
    }
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(", ");
}

// No spreads or closures: runs a thousand times per call.
function probed(computer: ComputerView, answer: Answers[number]): Probe {
  const { provider } = computer;
  const { computerId, label } = provider;
  if (answer.status === "fulfilled") {
    const { value } = answer;
    if (!value.ok) return failedProbe(computer, value.error);
    const current = ownLabel(value.result, computerId);
    const isNew = current !== undefined && current !== label;
    const name = computerName(isNew ? { computerId, label: current } : provider);
    return { line: `pong from ${name}`, facts: { computerId, label, status: "pong" } };
  }
  const { reason } = answer;
  if (reason instanceof LinkError && reason.code === LinkErrorCode.timedOut) {
    const line = `timeout from ${computerName(provider)}`;
    return { line, facts: { computerId, label, status: "timeout" } };
  }
  const message = reason instanceof Error ? reason.message : String(reason);
  return failedProbe(computer, message, reason instanceof LinkError ? message : undefined);
}

function failedProbe(
  { provider }: ComputerView,
  reason: string,
  shown = inline(reason, 200),
): Probe {
  const { computerId, label } = provider;
  return {
    line: `error from ${computerName(provider)}: ${shown}`,
    facts: { computerId, label, status: "error", reason: cutEnd(reason, 200) },
  };
}

function ownLabel(result: unknown, id: number): string | null | undefined {
  if (typeof result !== "string" || result.length > 300) return undefined;
  const start = `pong from ${id} (Label: `;
  if (!result.startsWith(start) || !result.endsWith(")")) return undefined;
  const label = printable(result.slice(start.length, -1));
  return label === "null" ? null : label;
}
