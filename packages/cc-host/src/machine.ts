import type { QueuedEvent } from "./event-queue.js";
import type { ExecutionTimer } from "./execution-timer.js";
import { isScalar, toLiteral } from "./vm/literal.js";
import { HardAbort, type HostFunctions, LuaVm } from "./vm/lua-vm.js";
import type { LuaScalar } from "./vm/memory.js";
import { romSource } from "./vm/rom.js";

/** How Lua came back from one event. */
export type Outcome =
  /** It waits for the next event; `woken` is false if this one did not pass its filter. */
  | { readonly state: "waiting"; readonly woken: boolean }
  /** The bios itself came to an end, which only an error inside it can do. */
  | { readonly state: "ended"; readonly message: string }
  /** Killed by the hard abort. */
  | { readonly state: "aborted" };

/** A computer's Lua from boot to power off: events go in, one at a time. */
export class Machine {
  readonly #vm: LuaVm;
  readonly #timer: ExecutionTimer;

  constructor(functions: HostFunctions, timer: ExecutionTimer, hooksYield: boolean) {
    this.#vm = new LuaVm(functions, timer, hooksYield);
    this.#timer = timer;
  }

  boot(): Outcome {
    return this.#resume(() => {
      this.#vm.start(romSource("kernel/loader.lua"));
      return this.#vm.call("cc.boot");
    });
  }

  deliver({ name, payload }: QueuedEvent): Outcome {
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

  #resume(run: () => LuaScalar[]): Outcome {
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
