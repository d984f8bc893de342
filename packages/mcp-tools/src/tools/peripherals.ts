import type { LuaValue, Peripheral } from "@ccbridge/protocol";
import { printable } from "@ccbridge/registry";
import { z } from "zod";
import { ask } from "../ask.js";
import { defineTool, type ToolOutcome } from "../define-tool.js";
import { boundLuaValue, formatLuaValue } from "../format/lua-value.js";
import { cleanText, cutEnd } from "../format/text.js";
import { target } from "./target.js";

/** Calls in one request; the agent takes no more. */
const MAX_CALLS = 64;
/** What the results of all calls of one request may take, and each beside what it names and returns. */
const RESULTS_BYTES = 10_500;
const RESULT_BYTES = 70;

const PlaceSchema = z.object({
  name: z.string().describe("What other tools call it by: a side, or its name on the network."),
  via: z.string().nullable().describe("For a remote one the side of the modem, otherwise null."),
});

const KindSchema = z.object({
  types: z.array(z.string()).describe("What it is, the main type first."),
  methods: z.array(z.string()).describe("What call-peripheral can call."),
  peripherals: z.array(PlaceSchema),
});

type Kind = z.infer<typeof KindSchema>;

export const listPeripherals = defineTool({
  name: "list-peripherals",
  title: "List peripherals",
  description:
    "Lists what is attached to a computer: chests and other inventories, monitors, modems, printers, " +
    "speakers, machines of other mods. Those that touch it are named by their side (top, bottom, left, " +
    "right, front, back); those behind a wired modem by a name such as minecraft:chest_0. Peripherals of " +
    "one kind are listed together, with the methods that call-peripheral can call. For what chests " +
    "contain use list-inventory.",
  input: z.object({
    ...target,
    type: z
      .string()
      .min(1)
      .optional()
      .describe("Only peripherals of this type, such as monitor, modem or inventory."),
    offset: z.int().nonnegative().default(0).describe("Skip this many peripherals."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    total: z.int().describe("How many there are of the wanted type."),
    kinds: z.array(KindSchema),
    next: z.int().optional().describe("Call again with this offset for the others."),
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, type, offset }, context) {
    const { link, result } = await ask(context, { computerId, world }, "list-peripherals", {});
    const wanted = result.peripherals
      .filter(({ types }) => type === undefined || types.includes(type))
      .map(shown)
      .sort((a, b) => compare(kindOf(a), kindOf(b)));
    const kinds = fitting(wanted.slice(offset));
    const end = kinds.reduce((sum, kind) => sum + kind.peripherals.length, offset);
    const next = end < wanted.length ? end : undefined;
    return {
      text: [
        headline(link.name, wanted, type, result.peripherals),
        ...kinds.flatMap(kindLines),
        next === undefined
          ? undefined
          : `${wanted.length - next} more: call list-peripherals with offset ${next}.`,
      ]
        .filter((line) => line !== undefined)
        .join("\n"),
      structured: {
        computerId: link.identity.computerId,
        label: link.identity.label,
        total: wanted.length,
        kinds,
        ...(next === undefined ? {} : { next }),
      },
    };
  },
});

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const kindOf = ({ types, methods }: Peripheral) => JSON.stringify([types, methods]);
const name = (text: string) => cutEnd(printable(text), 120);

function shown({ name: called, types, methods, via }: Peripheral): Peripheral {
  return {
    name: name(called),
    types: types.map(name),
    methods: methods.slice(0, 200).map(name),
    ...(via === undefined ? {} : { via: name(via) }),
  };
}

/** Gathers peripherals that differ only in their names, as many as fit into an answer. */
function fitting(peripherals: readonly Peripheral[]): Kind[] {
  const kinds = new Map<string, Kind>();
  let room = 8_000;
  for (const peripheral of peripherals) {
    const key = kindOf(peripheral);
    const place = { name: peripheral.name, via: peripheral.via ?? null };
    room -= JSON.stringify(place).length + (kinds.has(key) ? 1 : key.length + 50);
    if (room < 0 && kinds.size > 0) break;
    const { types, methods } = peripheral;
    const kind = kinds.get(key) ?? { types, methods, peripherals: [] };
    kind.peripherals.push(place);
    kinds.set(key, kind);
  }
  return [...kinds.values()];
}

function headline(
  computer: string,
  wanted: readonly Peripheral[],
  type: string | undefined,
  all: readonly Peripheral[],
): string {
  const one = wanted.length === 1 ? "1 peripheral" : `${wanted.length} peripherals`;
  if (type === undefined) {
    return all.length === 0
      ? `Nothing is attached to ${computer}.`
      : `${one} at ${computer}, by kind:`;
  }
  const others = [...new Set(all.flatMap(({ types }) => types.map(name)))].slice(0, 40).join(", ");
  return wanted.length === 0
    ? `No peripheral of type ${name(type)} at ${computer}. ${others === "" ? "Nothing is attached to it." : `There are: ${others}.`}`
    : `${one} of type ${name(type)} at ${computer}:`;
}

function kindLines({ types, methods, peripherals }: Kind): string[] {
  const places = peripherals.map(({ name, via }) =>
    via === null ? name : `${name} (remote, via ${via})`,
  );
  return [`${types.join(", ")}: ${places.join(", ")}`, `  methods: ${methods.join(", ")}`];
}

const CallResultSchema = z.object({
  name: z.string(),
  method: z.string(),
  ok: z.boolean(),
  returns: z
    .array(
      z.looseObject({
        type: z.string().describe("The Lua type."),
        value: z.unknown().optional(),
        encoding: z.string().optional(),
        truncated: z.boolean().optional(),
      }),
    )
    .describe("The returned values, in order."),
  error: z.string().optional(),
});

interface CallOutcome {
  name: string;
  method: string;
  ok: boolean;
  returns: LuaValue[];
  error?: string;
}

export const callPeripheral = defineTool({
  name: "call-peripheral",
  title: "Call peripherals",
  description:
    "Calls methods of the peripherals of a computer, as list-peripherals shows them, and returns what " +
    "each returned. Several calls in one request run at the same time, not one after another: use that " +
    "to read many at once, since most calls take a game tick; make calls that depend on each other in " +
    "several requests. Each call has its own outcome: one that fails does not stop the others. " +
    'Examples: {"name":"minecraft:chest_0","method":"pushItems","args":["minecraft:chest_1",3,16]}, ' +
    '{"name":"monitor_0","method":"setCursorPos","args":[1,1]}.',
  input: z.object({
    ...target,
    calls: z
      .array(
        z.object({
          name: z.string().min(1).describe("The peripheral: a side or a network name."),
          method: z.string().min(1).describe("One of its methods."),
          args: z
            .array(z.unknown())
            .max(64)
            .default([])
            .describe("The arguments in order; null is nil."),
        }),
      )
      .min(1)
      .max(MAX_CALLS)
      .describe(`The calls, at most ${MAX_CALLS}.`),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    results: z.array(CallResultSchema).describe("One for each call, in the same order."),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  async handler({ computerId, world, calls }, context): Promise<ToolOutcome> {
    const { link, result } = await ask(context, { computerId, world }, "call-peripheral", {
      calls: calls.map((call) => ({ ...call, count: call.args.length })),
    });
    const overhead = calls.map((call) => name(call.name).length + name(call.method).length);
    const room = RESULTS_BYTES - overhead.reduce((sum, each) => sum + each + RESULT_BYTES, 0);
    const share = Math.max(40, Math.floor(room / calls.length));
    const results = calls.map((call, index): CallOutcome => {
      const outcome = result.results[index];
      const named = { name: name(call.name), method: name(call.method) };
      if (outcome === undefined) {
        return { ...named, ok: false, returns: [], error: "the computer did not answer this call" };
      }
      if (outcome.ok) return { ...named, ok: true, returns: bounded(outcome.returns, share) };
      const error = cutEnd(cleanText(outcome.error ?? "no reason given"), share);
      return { ...named, ok: false, returns: [], error };
    });
    const failed = results.filter(({ ok }) => !ok).length;
    const lines = results.map(({ name, method, returns, error }) => {
      const values =
        returns.length === 0 ? "nothing returned" : returns.map(formatLuaValue).join(", ");
      return `${name}.${method}: ${error === undefined ? values : `FAILED: ${error}`}`;
    });
    if (failed > 0) {
      lines.push(
        `${failed} of ${calls.length} calls failed on ${link.name}. Correct only those and call again; list-peripherals shows what can be called.`,
      );
    } else {
      lines.unshift(`Called on ${link.name}:`);
    }
    return {
      text: lines.join("\n"),
      structured: {
        computerId: link.identity.computerId,
        label: link.identity.label,
        results,
      },
      ...(failed === calls.length ? { isError: true } : {}),
    };
  },
});

function bounded(returns: readonly LuaValue[], share: number): LuaValue[] {
  const each = Math.max(40, Math.floor(share / Math.max(1, returns.length)));
  return returns.slice(0, 50).map((value) => boundLuaValue(value, each));
}
