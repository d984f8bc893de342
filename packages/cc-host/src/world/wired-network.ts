import type { Computer } from "../computer.js";
import { needsMainThread, type Peripheral, type PeripheralMethod } from "../peripherals.js";
import type { Side } from "../redstone.js";
import type { LuaValue } from "../vm/literal.js";
import { LuaError, Results } from "../vm/lua-vm.js";
import type { LuaData } from "../vm/wire.js";
import { Radio } from "./modems.js";

export class WiredNetwork {
  readonly #members = new Map<string, Peripheral>();
  readonly #computers = new Set<Computer>();
  readonly #messages = new Radio();

  connect(computer: Computer, side: Side): void {
    this.#computers.add(computer);
    computer.attach(side, {
      types: ["modem", "peripheral_hub"],
      methods: { ...this.#messages.join(computer, side), ...this.#modemMethods() },
      // Remote calls wait on the main thread if the remote method does.
      mainThread: (method, [name, remoteMethod, ...args]) => {
        const remote = this.#members.get(String(name));
        if (method !== "callRemote" || remote === undefined) return false;
        return needsMainThread(remote, String(remoteMethod), args);
      },
    });
  }

  add(peripheral: Peripheral, name?: string): string {
    const given = name ?? this.#freeName(peripheral.types[0] ?? "peripheral");
    this.#members.set(given, peripheral);
    for (const computer of this.#computers) computer.peripherals.notify("peripheral", given);
    return given;
  }

  remove(name: string): void {
    if (!this.#members.delete(name)) return;
    for (const computer of this.#computers) computer.peripherals.notify("peripheral_detach", name);
  }

  get(name: string): Peripheral | undefined {
    return this.#members.get(name);
  }

  #freeName(type: string): string {
    for (let index = 0; ; index++) {
      const name = `${type}_${index}`;
      if (!this.#members.has(name)) return name;
    }
  }

  #modemMethods(): Record<string, PeripheralMethod> {
    const member = (name: LuaData) => this.#members.get(String(name));
    return {
      isWireless: () => false,
      getNamesRemote: () => [...this.#members.keys()],
      isPresentRemote: (name) => member(name) !== undefined,
      getTypeRemote: (name) => new Results(...(member(name)?.types ?? [])),
      hasTypeRemote: (name, type) => member(name)?.types.includes(String(type)),
      getMethodsRemote: (name) => {
        const found = member(name);
        return found === undefined ? undefined : Object.keys(found.methods);
      },
      callRemote: (name, method, ...args): LuaValue | Results | undefined => {
        const found = member(name);
        if (found === undefined) throw new LuaError(`No peripheral: ${String(name)}`);
        const fn = found.methods[String(method)];
        if (fn === undefined) throw new LuaError(`No such method ${String(method)}`);
        return fn(...args) as LuaValue | Results | undefined;
      },
    };
  }
}
