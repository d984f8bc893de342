import { stringArgument } from "./arguments.js";
import type { MainThread } from "./main-thread.js";
import { SIDES, type Side } from "./redstone.js";
import { type LuaValue, toLiteral } from "./vm/literal.js";
import { type HostFunctions, LuaError, Results } from "./vm/lua-vm.js";
import { decodeWire, type LuaData } from "./vm/wire.js";

// biome-ignore lint/suspicious/noConfusingVoidType: many methods return nothing
export type PeripheralMethod = (...args: LuaData[]) => LuaValue | Results | void;

export interface Peripheral {
  readonly types: readonly string[];
  readonly methods: Readonly<Record<string, PeripheralMethod>>;
  /**
   * Methods that run on the server's main thread: they yield and take a tick. `true` for all, as
   * with inventories. @default false
   */
  readonly mainThread?: boolean | ((method: string, args: readonly LuaData[]) => boolean);
}

export function needsMainThread(
  peripheral: Peripheral,
  method: string,
  args: readonly LuaData[],
): boolean {
  const marked = peripheral.mainThread ?? false;
  return typeof marked === "boolean" ? marked : marked(method, args);
}

function toResults(result: ReturnType<PeripheralMethod>): Results {
  if (result === undefined) return new Results();
  return result instanceof Results ? result : new Results(result);
}

export class Peripherals {
  readonly #sides = new Map<Side, Peripheral>();
  readonly #mainThread: MainThread;
  readonly #onChange: (event: "peripheral" | "peripheral_detach", name: string) => void;

  constructor(
    mainThread: MainThread,
    onChange: (event: "peripheral" | "peripheral_detach", name: string) => void,
  ) {
    this.#mainThread = mainThread;
    this.#onChange = onChange;
  }

  attach(side: Side, peripheral: Peripheral): void {
    if (this.#sides.has(side)) this.detach(side);
    this.#sides.set(side, peripheral);
    this.#onChange("peripheral", side);
  }

  detach(side: Side): void {
    if (this.#sides.delete(side)) this.#onChange("peripheral_detach", side);
  }

  notify(event: "peripheral" | "peripheral_detach", name: string): void {
    this.#onChange(event, name);
  }

  hostFunctions(): HostFunctions {
    const at = (name: unknown) => this.#sides.get(name as Side);
    return {
      "peripheral.isPresent": (name) => at(name) !== undefined,
      "peripheral.getType": (name) => new Results(...(at(name)?.types ?? [])),
      "peripheral.hasType": (name, type) => at(name)?.types.includes(String(type)),
      "peripheral.getMethods": (name) => {
        const found = at(name);
        return found === undefined ? undefined : Object.keys(found.methods);
      },
      "peripheral.call": (name, method, encoded) =>
        this.#call(stringArgument(name, 1) as Side, stringArgument(method, 2), String(encoded)),
    };
  }

  #call(side: Side, method: string, encoded: string): Results {
    const peripheral = SIDES.includes(side) ? this.#sides.get(side) : undefined;
    if (peripheral === undefined) return new Results(undefined, "return nil");
    const fn = peripheral.methods[method];
    if (fn === undefined) throw new LuaError(`No such method ${method}`);
    const args = decodeWire(encoded);
    if (needsMainThread(peripheral, method, args)) {
      return new Results(
        this.#mainThread.submit(() => {
          // A peripheral that was removed meanwhile returns nothing.
          if (this.#sides.get(side) !== peripheral) return new Results();
          return toResults(fn(...args));
        }),
      );
    }
    return new Results(
      undefined,
      `return ${toResults(fn(...args))
        .values.map(toLiteral)
        .join(",")}`,
    );
  }
}
