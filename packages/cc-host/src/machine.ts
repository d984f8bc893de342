import type { QueuedEvent } from "./event-queue.js";
import type { ExecutionTimer } from "./execution-timer.js";
import { isScalar, toLiteral } from "./vm/literal.js";
import { HardAbort, type HostFunctions, LuaVm } from "./vm/lua-vm.js";
import type { LuaScalar } from "./vm/memory.js";
import { romSource } from "./vm/rom.js";

export type RunOutcome =
  /** `woken` is false if the event did not pass the program's filter. */
  | { readonly state: "waiting"; readonly woken: boolean }
  | { readonly state: "ended"; readonly message: string }
  | { readonly state: "aborted" };

export class Machine {
  readonly #vm: LuaVm;
  readonly #timer: ExecutionTimer;

  constructor(functions: HostFunctions, timer: ExecutionTimer, hooksYield: boolean) {
    this.#vm = new LuaVm(functions, timer, hooksYield);
    this.#timer = timer;
  }

  boot(): RunOutcome {
    return this.#resume(() => {
      this.#vm.start(romSource("kernel/loader.lua"));
      return this.#vm.call("cc.boot");
    });
  }

  deliver({ name, payload }: QueuedEvent): RunOutcome {
    return this.#resume(() => {
      if (typeof payload === "number") return this.#vm.call("cc.deliver", name, payload);
      if (payload.every(isScalar)) {
        const scalars = payload.map((value) => (value as LuaScalar | null) ?? undefined);
        return this.#vm.call("cc.deliver", name, undefined, ...scalars);
      }
      const literal = `return ${payload.map(toLiteral).join(",")}`;
      return this.#vm.call("cc.deliver", name, "literal", literal);
    });
  }

  collectGarbage(): void {
    this.#vm.call("cc.collect");
  }

  close(): void {
    this.#vm.close();
  }

  #resume(run: () => LuaScalar[]): RunOutcome {
    this.#timer.restart();
    try {
      const [woken, status, message] = run();
      if (status === "dead") return { state: "ended", message: String(message ?? "") };
      return { state: "waiting", woken: woken === true };
    } catch (error) {
      if (error instanceof HardAbort) return { state: "aborted" };
      throw error;
    } finally {
      this.#timer.stop();
    }
  }
}
