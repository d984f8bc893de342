import { isScalar, type LuaValue, toLiteral } from "./literal.js";
import {
  allowHooks,
  checkLayout,
  getRegistry,
  globalStateOf,
  hookBase,
  hurryHook,
  instructionsSinceHook,
  isNearOverflow,
  isYieldable,
  type LuaScalar,
  loadText,
  push,
  pushFunction,
  readArguments,
  readStack,
  runningChunk,
  setCountHook,
  setHookCount,
  setRegistry,
  stateOfMatch,
  UnsupportedValueError,
  yieldFromHook,
} from "./memory.js";
import { addFunction, type LuaState, luaModule, onMatch } from "./wasm.js";

/** Level 1 adds the position of the calling Lua code, level 0 none. */
export class LuaError extends Error {
  override readonly name = "LuaError";
  constructor(
    message: string,
    readonly level: 0 | 1 = 1,
  ) {
    super(message);
  }
}

export class HardAbort extends Error {
  override readonly name = "HardAbort";
}

type HostResult = LuaValue | Results;
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is the common case
export type HostFunction = (...args: LuaScalar[]) => HostResult | void;
export type HostFunctions = Record<string, HostFunction>;

export class Results {
  readonly values: readonly LuaValue[];
  constructor(...values: LuaValue[]) {
    this.values = values;
  }
}

export type Verdict = "continue" | "soft-abort" | "hard-abort";

export interface ExecutionMonitor {
  /** A soft abort is requested only once. */
  check(instructions: number): Verdict;
  account(instructions: number): Verdict;
}

interface UserHook {
  readonly count: number;
  left: number;
}

const HOOK_INTERVAL = 5_000;
const SOON = 50;
const MATCH_INTERVAL = 64;
const MATCH_INSTRUCTIONS = 8;
/** Native in the game: no hooks or aborts inside. */
const KERNEL_CHUNK = "@kernel/";
/** A C function has at least 20 free stack slots; more results travel as one literal. */
const MAX_DIRECT_RESULTS = 12;
const BIND = 0;

const machines = new Map<number, LuaVm>();

function machineOf(L: LuaState): LuaVm {
  const machine = machines.get(globalStateOf(L));
  if (machine === undefined) throw new Error("no machine for this Lua state");
  return machine;
}

function hookInterval(count: number): number {
  return Math.ceil(count / Math.ceil(count / HOOK_INTERVAL));
}

let trampolines: { host: number; hook: number } | undefined;

let matchSteps = 0;

function sharedTrampolines(): { host: number; hook: number } {
  onMatch((matchState) => {
    if (++matchSteps % MATCH_INTERVAL !== 0) return;
    const L = stateOfMatch(matchState);
    machineOf(L).onLongCall(L);
  });
  trampolines ??= {
    host: addFunction((L) => machineOf(L as LuaState).onHostCall(L as LuaState), 1, 1),
    hook: addFunction(
      (L) => {
        machineOf(L as LuaState).onHook(L as LuaState);
        return undefined;
      },
      2,
      0,
    ),
  };
  return trampolines;
}

function toLuaError(thrown: unknown): LuaError {
  if (thrown instanceof LuaError) return thrown;
  if (thrown instanceof UnsupportedValueError) {
    return new LuaError(`bad argument #${thrown.position} (got ${thrown.luaType})`);
  }
  throw thrown;
}

export class LuaVm {
  readonly #L: LuaState;
  readonly #globalState: number;
  readonly #functions: HostFunction[];
  readonly #ids = new Map<string, number>();
  readonly #monitor: ExecutionMonitor;
  readonly #hooksYield: boolean;
  readonly #userHooks = new Map<LuaState, UserHook>();
  readonly #hookYielded = new Set<LuaState>();
  readonly #raising = new Set<LuaState>();
  #caller: LuaState = 0;
  #closed = false;

  constructor(functions: HostFunctions, monitor: ExecutionMonitor, hooksYield: boolean) {
    this.#monitor = monitor;
    this.#hooksYield = hooksYield;
    const all = { ...functions, ...this.#ownFunctions() };
    this.#functions = [(name) => this.#ids.get(String(name)), ...Object.values(all)];
    Object.keys(all).forEach((name, index) => {
      this.#ids.set(name, index + 1);
    });
    const module = luaModule();
    this.#L = module._luaL_newstate();
    checkLayout(this.#L);
    module._luaL_openlibs(this.#L);
    this.#globalState = globalStateOf(this.#L);
    machines.set(this.#globalState, this);
    pushFunction(this.#L, sharedTrampolines().host);
    setRegistry(this.#L, "cc.host");
    // New coroutines inherit their creator's hook.
    setCountHook(this.#L, sharedTrampolines().hook, HOOK_INTERVAL);
  }

  start(source: string): void {
    if (loadText(this.#L, source) !== 0) throw new Error(String(readStack(this.#L).at(-1)));
    getRegistry(this.#L, "cc.host");
    this.#call(1);
  }

  call(key: string, ...args: LuaScalar[]): LuaScalar[] {
    getRegistry(this.#L, key);
    for (const arg of args) push(this.#L, arg);
    return this.#call(args.length);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    luaModule()._lua_close(this.#L);
    machines.delete(this.#globalState);
  }

  #call(args: number): LuaScalar[] {
    const module = luaModule();
    const stack = module.stackSave();
    let status: number;
    try {
      status = module._lua_pcallk(this.#L, args, -1, 0, 0, 0);
    } catch (error) {
      module.stackRestore(stack);
      throw error;
    }
    const values = readStack(this.#L);
    module._lua_settop(this.#L, 0);
    if (status !== 0) throw new Error(`Lua kernel error: ${String(values.at(-1))}`);
    return values;
  }

  onHostCall(L: LuaState): number {
    if (this.#closed) return 0;
    this.#caller = L;
    let result: ReturnType<HostFunction>;
    try {
      const [id, ...args] = readArguments(L);
      const fn = this.#functions[id === undefined ? BIND : Number(id)];
      if (fn === undefined) throw new Error(`no host function ${String(id)}`);
      result = fn(...args);
    } catch (thrown) {
      const error = toLuaError(thrown);
      push(L, error.level === 0 ? undefined : false);
      push(L, error.message);
      return 2;
    }
    // `undefined` is no value, like Java's null; `null` is one nil.
    if (result === undefined) return this.#pushResults(L, []);
    return this.#pushResults(L, result instanceof Results ? result.values : [result]);
  }

  #pushResults(L: LuaState, values: readonly LuaValue[]): number {
    if (values.length <= MAX_DIRECT_RESULTS && values.every(isScalar)) {
      push(L, true);
      for (const value of values) push(L, (value as LuaScalar | null) ?? undefined);
      return values.length + 1;
    }
    push(L, "literal");
    push(L, `return ${values.map(toLiteral).join(",")}`);
    return 2;
  }

  onHook(L: LuaState): void {
    if (this.#raising.delete(L)) {
      const base = hookInterval(this.#userHooks.get(L)?.count ?? HOOK_INTERVAL);
      setHookCount(L, base, base);
      this.#runInHook(L, "cc.raise");
      return;
    }
    const base = hookBase(L);
    const native = runningChunk(L)?.startsWith(KERNEL_CHUNK) === true;
    const verdict = native ? this.#monitor.account(base) : this.#monitor.check(base);
    if (verdict === "hard-abort") throw new HardAbort("Too long without yielding");
    if (verdict === "continue") this.#countUserHook(L, base, native);
    else if (native) setHookCount(L, Math.min(base, SOON), Math.min(base, SOON));
    else this.#runInHook(L, "cc.softAbort");
  }

  onLongCall(L: LuaState): void {
    const verdict = this.#monitor.check(MATCH_INSTRUCTIONS);
    if (verdict === "hard-abort") throw new HardAbort("Too long without yielding");
    if (verdict === "soft-abort") this.#runInHook(L, "cc.softAbort");
  }

  #countUserHook(L: LuaState, instructions: number, native: boolean): void {
    const hook = this.#userHooks.get(L);
    if (hook === undefined) {
      if (instructions !== HOOK_INTERVAL) setHookCount(L, HOOK_INTERVAL, HOOK_INTERVAL);
      return;
    }
    hook.left -= instructions;
    if (hook.left > 0) return;
    if (native) {
      setHookCount(L, Math.min(instructions, SOON), Math.min(instructions, SOON));
      return;
    }
    hook.left = hook.count;
    const base = hookInterval(hook.count);
    setHookCount(L, base, base);
    if (this.#hooksYield && isYieldable(L)) {
      this.#hookYielded.add(L);
      yieldFromHook(L);
    } else this.#runInHook(L, "cc.hookDirect");
  }

  // Counts the instructions since the coroutine's last hook, or short-lived coroutines would run
  // for free. Returns whether a program's hook suspended it.
  #afterResume(L: LuaState): boolean {
    if (this.#hookYielded.delete(L)) return true;
    if (this.#raising.has(L)) return false;
    const instructions = instructionsSinceHook(L);
    if (instructions <= 0) return false;
    const hook = this.#userHooks.get(L);
    if (hook !== undefined) hook.left -= instructions;
    const base = hook === undefined ? HOOK_INTERVAL : hookInterval(Math.max(1, hook.left));
    setHookCount(L, base, base);
    const verdict = this.#monitor.account(instructions);
    if (verdict === "hard-abort") throw new HardAbort("Too long without yielding");
    // Only a hook can raise the soft abort: let the resumer's fire soon.
    if (verdict === "soft-abort") hurryHook(this.#caller, SOON);
    return false;
  }

  #runInHook(L: LuaState, key: string): void {
    // Otherwise an xpcall handler called by an overflow here would run where no hook fires,
    // forever.
    if (isNearOverflow(L)) allowHooks(L);
    getRegistry(L, key);
    luaModule()._lua_callk(L, 0, 0, 0, 0);
  }

  #ownFunctions(): HostFunctions {
    return {
      "vm.setHook": (thread, count) => {
        const L = Number(thread);
        if (count === undefined) {
          this.#userHooks.delete(L);
          return;
        }
        this.#userHooks.set(L, { count: Number(count), left: Number(count) });
        const base = hookInterval(Number(count));
        setHookCount(L, base, base);
      },
      "vm.forget": (thread) => {
        const L = Number(thread);
        this.#userHooks.delete(L);
        this.#hookYielded.delete(L);
        this.#raising.delete(L);
      },
      "vm.afterResume": (thread) => this.#afterResume(Number(thread)),
      "vm.raiseIn": (thread) => {
        const L = Number(thread);
        this.#raising.add(L);
        // The VM skips the hook once where it yielded; a base of one makes it fire right after.
        setHookCount(L, 1, 1);
      },
      "vm.allowHooks": () => allowHooks(this.#caller),
      "vm.isYieldable": () => isYieldable(this.#caller),
    };
  }
}
