import type { LuaValue, Peripheral } from "@ccbridge/protocol";
import { z } from "zod";
import { acts, readOnly } from "../../../core/annotations.js";
import { offsetOf } from "../../../core/arguments.js";
import { defineTool, type ToolOutcome } from "../../../core/define.js";
import { ReturnsSchema, showLuaValue } from "../../../format/lua-value.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { ask } from "../undo/ask.js";

const PlaceSchema = z.object({
  name: z.string().describe("Its name for other tools: a side, or its name on the network."),
  via: z.string().nullable().describe("The modem's side if it is remote, otherwise null."),
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
    "Lists what is attached to a computer (inventories, monitors, modems, other mods' machines), by " +
    "side or by a name such as minecraft:chest_0, with the methods that call-peripheral can call.",
  input: z.object({
    ...target,
    type: z.string().min(1).optional().describe("Only this type, such as monitor or inventory."),
    offset: offsetOf("peripherals"),
  }),
  output: z.object({
    ...computerShape,
    total: z.int().describe("How many of the wanted type there are."),
    kinds: z.array(KindSchema),
    next: z.int().optional().describe("Call again with this offset for the others."),
  }),
  annotations: readOnly,
  async handler({ computerId, type, offset }, context) {
    const { computer, result } = await ask(context, computerId, "list-peripherals", {});
    const wanted = result.peripherals
      .filter(({ types }) => type === undefined || types.includes(type))
      .map(bounded)
      .sort((a, b) => compare(kindOf(a), kindOf(b)));
    const kinds = fitting(wanted.slice(offset));
    const end = kinds.reduce((sum, kind) => sum + kind.peripherals.length, offset);
    const next = end < wanted.length ? end : undefined;
    return {
      text: [
        headline(computer.name, wanted, type, result.peripherals),
        ...kinds.flatMap(kindLines),
        next === undefined
          ? undefined
          : `${wanted.length - next} more: call list-peripherals with offset ${next}.`,
      ]
        .filter((line) => line !== undefined)
        .join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        total: wanted.length,
        kinds,
        ...(next === undefined ? {} : { next }),
      }),
    };
  },
});

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const kindOf = ({ types, methods }: Peripheral) => JSON.stringify([types, methods]);

const NAME_LENGTH = 120;
const short = (name: string) => cutEnd(name, NAME_LENGTH);

function bounded({ name, types, methods, via }: Peripheral): Peripheral {
  return {
    name: short(name),
    types: types.map(short),
    methods: methods.slice(0, 200).map(short),
    ...(via === undefined ? {} : { via: short(via) }),
  };
}

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
  const others = [...new Set(all.flatMap(({ types }) => types))]
    .slice(0, 40)
    .map(inlineName)
    .join(", ");
  return wanted.length === 0
    ? `No peripheral of type ${inlineName(type)} at ${computer}. ${others === "" ? "Nothing is attached to it." : `There are: ${others}.`}`
    : `${one} of type ${inlineName(type)} at ${computer}:`;
}

function inlineName(name: string): string {
  return inline(name, NAME_LENGTH);
}

function kindLines({ types, methods, peripherals }: Kind): string[] {
  const places = peripherals.map(({ name, via }) =>
    via === null ? inlineName(name) : `${inlineName(name)} (remote, via ${inlineName(via)})`,
  );
  // The game has both spellings of each colour method.
  const once = methods.filter(
    (method) => !method.includes("Color") || !methods.includes(method.replace("Color", "Colour")),
  );
  return [
    `${types.map(inlineName).join(", ")}: ${places.join(", ")}`,
    `  methods: ${once.map(inlineName).join(", ")}`,
  ];
}

const MAX_CALLS = 64;
const RESULTS_BYTES = 10_500;
const RESULT_BYTES = 70;
const MAX_RETURNS = 50;
const NO_ANSWER = "the computer did not answer this call";

const CallResultSchema = z.object({
  name: z.string(),
  method: z.string(),
  ok: z.boolean(),
  returns: ReturnsSchema,
  error: z.string().optional(),
});

interface CallOutcome {
  name: string;
  method: string;
  ok: boolean;
  returns: LuaValue[];
  error?: string;
}

interface Shown {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly isCut: boolean;
}

export const callPeripheral = defineTool({
  name: "call-peripheral",
  title: "Call peripherals",
  effect: "peripherals called",
  description:
    "Calls methods of a computer's peripherals and returns what each returned. The calls run at " +
    "the same time; one that fails does not stop the others.",
  input: z.object({
    ...target,
    calls: z
      .array(
        z.object({
          name: z.string().min(1).describe("The peripheral: a side or a network name."),
          method: z.string().min(1).meta({ description: "One of its methods.", obvious: true }),
          args: z
            .array(z.unknown())
            .max(64)
            .default([])
            .describe("The arguments in order; null is nil."),
        }),
      )
      .min(1)
      .max(MAX_CALLS)
      .meta({ description: "The calls.", obvious: true }),
  }),
  output: z.object({
    ...computerShape,
    results: z.array(CallResultSchema).describe("One for each call, in the same order."),
  }),
  annotations: acts,
  async handler({ computerId, calls }, context): Promise<ToolOutcome> {
    const { computer, result } = await ask(context, computerId, "call-peripheral", {
      calls: calls.map((call) => ({ ...call, count: call.args.length })),
    });
    const called = calls.map((call) => `${shownName(call.name)}.${shownName(call.method)}`);
    const overhead = called.map(({ length }) => length);
    const room = RESULTS_BYTES - overhead.reduce((sum, each) => sum + each + RESULT_BYTES, 0);
    const share = Math.max(40, Math.floor(room / calls.length));
    const shown = calls.map((call, index): Shown => {
      const outcome = result.results[index];
      const [name, method] = [cutEnd(call.name, NAME_LENGTH), cutEnd(call.method, NAME_LENGTH)];
      if (outcome?.ok === true) return succeeded({ name, method }, outcome.returns, share);
      const error = outcome?.error;
      const why = outcome === undefined ? NO_ANSWER : "no reason given";
      return {
        outcome: { name, method, ok: false, returns: [], error: cutEnd(error ?? why, share) },
        text: `FAILED: ${error === undefined ? why : quoted(error, share)}`,
        isCut: false,
      };
    });
    const results = shown.map(({ outcome }) => outcome);
    const failed = results.filter(({ ok }) => !ok).length;
    const lines = shown.map(({ text }, index) => `${called[index]}: ${text}`);
    if (shown.some(({ isCut }) => isCut)) {
      lines.push(
        "A returned value was cut: for the rest, use exec-lua with peripheral.call(name, method) and return part of what it returns.",
      );
    }
    if (failed > 0) {
      lines.push(
        `${failed} of ${calls.length} calls failed on ${computer.name}. Correct only those and call again; list-peripherals shows what can be called.`,
      );
    } else {
      lines.unshift(`Called on ${computer.name}:`);
    }
    return {
      text: lines.join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        results,
      }),
      ...(failed === calls.length ? { isError: true } : {}),
    };
  },
});

const shownName = (name: string) => inline(name, NAME_LENGTH);

function succeeded(
  named: { name: string; method: string },
  returned: readonly LuaValue[],
  share: number,
): Shown {
  const each = Math.max(40, Math.floor(share / Math.max(1, returned.length)));
  const shown = returned.slice(0, MAX_RETURNS).map((value) => showLuaValue(value, each));
  const returns = shown.map(({ value }) => value);
  const more = returned.length - shown.length;
  return {
    outcome: { ...named, ok: true, returns },
    text:
      shown.length === 0
        ? "nothing returned"
        : `${shown.map(({ text }) => text).join(", ")}${more > 0 ? ` and ${more} more values (cut)` : ""}`,
    isCut: more > 0 || returns.some(({ truncated }) => truncated === true),
  };
}
