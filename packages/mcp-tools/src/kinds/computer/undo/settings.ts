import type { LuaValue, MethodParams, MethodResult } from "@ccbridge/protocol";
import { isComputer, type KeptState, type NewChange, type ProviderView } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";
import type { Undoer } from "../../../core/undo.js";
import { quoted, toJson } from "../../../format/set-apart.js";
import { type Computer, computerOf } from "../computer.js";
import { type AskContext, request } from "../request.js";
import { askComputer } from "./ask.js";
import type { KeepingContext } from "./keepers.js";

export const REDSTONE = "redstone";
export const LABEL = "label";
export const SETTING = "setting";

const MAX_VALUE_LENGTH = 1_000;

const same = (a: KeptState, b: KeptState) => toJson(a) === toJson(b);

function outputOf({ sides }: MethodResult<"redstone">, side: string): KeptState {
  const found = sides.find((each) => each.side === side);
  return { output: found?.output ?? 0, bundled: found?.bundledOutput ?? 0 };
}

export async function keepRedstone(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"redstone">,
): Promise<MethodResult<"redstone">> {
  const { side, pulseMs } = params;
  const send = () => request(context, computer, "redstone", params);
  // A pulse restores by itself what was before.
  if (side === undefined || pulseMs !== undefined) return send();
  const before = outputOf(await request(context, computer, "redstone", {}), side);
  const change = { what: REDSTONE, subject: side, before, after: outputAfter(before, params) };
  return kept(context, computer, change, send, (result) => outputOf(result, side));
}

/** So that a change in the middle of which the bridge stopped can be recognized. */
function outputAfter(
  before: KeptState,
  { output, strength, bundled }: MethodParams<"redstone">,
): KeptState {
  const set = output === undefined ? before.output : output ? 15 : 0;
  return { output: strength ?? set ?? 0, bundled: bundled ?? before.bundled ?? 0 };
}

export const undoRedstone: Undoer = {
  async read(context, provider, { subject }) {
    return {
      state: outputOf(await request(context, computerOf(provider), "redstone", {}), subject),
    };
  },
  isSame: same,
  stateText: ({ output, bundled }) =>
    bundled === 0 ? `output ${output}` : `output ${output}, bundled ${bundled}`,
  async restore(context, { provider, change, present, target }) {
    const computer = computerOf(provider);
    const side = change.subject;
    const { output, bundled } = target.state;
    if (output !== present.state.output) {
      await askComputer(context, computer, "redstone", { side, strength: Number(output) });
    }
    if (bundled !== present.state.bundled) {
      await askComputer(context, computer, "redstone", { side, bundled: Number(bundled) });
    }
  },
};

function labelOf({ provider }: Pick<ProviderView, "provider">): KeptState {
  return { label: isComputer(provider) ? provider.label : null };
}

export function keepLabel(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"set-label">,
): Promise<MethodResult<"set-label">> {
  const after = { label: params.label === "" ? null : params.label };
  const change = { what: LABEL, subject: "label", before: labelOf(computer), after };
  const send = () => request(context, computer, "set-label", params);
  return kept(context, computer, change, send, ({ label = null }) => ({ label }));
}

export const undoLabel: Undoer = {
  async read(_, provider) {
    return { state: labelOf(provider) };
  },
  isSame: same,
  stateText: ({ label }) => (label === null ? "no label" : toJson(label)),
  async restore(context, { provider, target }) {
    const label = String(target.state.label ?? "");
    await askComputer(context, computerOf(provider), "set-label", { label });
  },
};

type Call = MethodParams<"call-peripheral">["calls"][number];

/** What a setter sets can be read where there is a getter of that name, as with text scales, colours and commands. */
const getterOf = ({ method }: Call) => `get${method.slice("set".length)}`;

const isSetter = ({ method, args }: Call) => /^set[A-Z]/.test(method) && args.length > 0;

export async function keepSettings(
  context: KeepingContext,
  computer: Computer,
  params: MethodParams<"call-peripheral">,
): Promise<MethodResult<"call-peripheral">> {
  const setters = params.calls.filter(isSetter);
  const before = await readSettings(context, computer, setters);
  const { key, provider } = computer;
  const begun = await Promise.all(
    setters.flatMap((call, index) => {
      const state = before[index];
      if (state === undefined) return [];
      const subject = `${call.name}.${call.method}`;
      const change = { key, provider: provider.name, what: SETTING, subject, before: state };
      return [context.changes.begin(change).then((open) => ({ call, open }))];
    }),
  );
  let result: MethodResult<"call-peripheral">;
  try {
    result = await request(context, computer, "call-peripheral", params);
  } catch (error) {
    if (error instanceof ToolError) await Promise.all(begun.map(({ open }) => open.drop()));
    throw error;
  }
  if (begun.length === 0) return result;
  const after = await readSettings(
    context,
    computer,
    begun.map(({ call }) => call),
  );
  await Promise.all(begun.map(({ open }, index) => open.end(after[index] ?? null)));
  return result;
}

/** Undefined for what cannot be read, or not be written again. */
async function readSettings(
  context: AskContext,
  computer: Computer,
  setters: readonly Call[],
): Promise<readonly (KeptState | undefined)[]> {
  if (setters.length === 0) return [];
  const calls = setters.map((call) => ({
    name: call.name,
    method: getterOf(call),
    args: [],
    count: 0,
  }));
  const { results } = await request(context, computer, "call-peripheral", { calls });
  return setters.map((_, index) => {
    const found = results[index];
    return found?.ok === true ? valuesOf(found.returns) : undefined;
  });
}

function valuesOf(returns: readonly LuaValue[]): KeptState | undefined {
  const isPlain = returns.every(
    ({ type, value, encoding, truncated }) =>
      ["string", "number", "boolean"].includes(type) &&
      typeof value === type &&
      encoding === undefined &&
      truncated !== true,
  );
  const values = JSON.stringify(returns.map(({ value }) => value));
  return isPlain && returns.length > 0 && values.length <= MAX_VALUE_LENGTH
    ? { values }
    : undefined;
}

export const undoSetting: Undoer = {
  async read(context, provider, { subject }) {
    const [state] = await readSettings(context, computerOf(provider), [callOf(subject, "[]")]);
    if (state !== undefined) return { state };
    throw new ToolError("it cannot be read now", "See what is attached with list-peripherals.");
  },
  isSame: same,
  stateText: ({ values }) =>
    argumentsOf(values)
      .map((value) => toJson(value))
      .join(", "),
  async restore(context, { provider, change, target }) {
    const calls = [callOf(change.subject, String(target.state.values))];
    const computer = computerOf(provider);
    const { results } = await askComputer(context, computer, "call-peripheral", { calls });
    const [result] = results;
    if (result?.ok !== true) {
      throw new ToolError(
        quoted(result?.error ?? "it did not answer", 300),
        "Set it with call-peripheral.",
      );
    }
  },
};

function argumentsOf(values: unknown): unknown[] {
  try {
    const args: unknown = JSON.parse(String(values));
    return Array.isArray(args) ? args : [];
  } catch {
    return [];
  }
}

function callOf(subject: string, values: string): Call {
  const dot = subject.lastIndexOf(".");
  const args = argumentsOf(values);
  const [name, method] = [subject.slice(0, dot), subject.slice(dot + 1)];
  return { name, method, args, count: args.length };
}

async function kept<R>(
  { changes }: KeepingContext,
  { key, provider }: Computer,
  change: Pick<NewChange, "what" | "subject" | "before" | "after">,
  send: () => Promise<R>,
  after: (result: R) => KeptState,
): Promise<R> {
  const open = await changes.begin({ key, provider: provider.name, ...change });
  try {
    const result = await send();
    await open.end(after(result));
    return result;
  } catch (error) {
    if (error instanceof ToolError) await open.drop();
    throw error;
  }
}
