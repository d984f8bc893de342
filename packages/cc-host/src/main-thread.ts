import type { LuaValue } from "./vm/literal.js";
import { LuaError, type Results } from "./vm/lua-vm.js";

const TASK_LIMIT = 5_000;

export class MainThread {
  readonly #queueEvent: (name: string, ...args: LuaValue[]) => void;
  #tasks: { id: number; run: () => Results }[] = [];
  #nextId = 1;

  constructor(queueEvent: (name: string, ...args: LuaValue[]) => void) {
    this.#queueEvent = queueEvent;
  }

  submit(run: () => Results): number {
    if (this.#tasks.length >= TASK_LIMIT) throw new LuaError("Task limit exceeded");
    const id = this.#nextId++;
    this.#tasks.push({ id, run });
    return id;
  }

  tick(): void {
    const due = this.#tasks;
    this.#tasks = [];
    for (const task of due) {
      try {
        this.#queueEvent("task_complete", task.id, true, ...task.run().values);
      } catch (error) {
        if (!(error instanceof LuaError)) throw error;
        this.#queueEvent("task_complete", task.id, false, error.message);
      }
    }
  }

  clear(): void {
    this.#tasks = [];
  }
}
