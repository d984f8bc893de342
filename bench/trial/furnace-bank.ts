import { randomInt } from "node:crypto";
import { type LuaData, LuaError, type Peripheral } from "@ccbridge/cc-host";

const BATCHES = 24;

export class FurnaceBank implements Peripheral {
  readonly types = ["furnace_bank"];
  readonly mainThread = true;
  readonly burned: readonly number[] = [randomInt(2, 9), randomInt(9, 17), randomInt(17, 24)];
  readonly seal = randomInt(100_000, 1_000_000);
  #smelted = 0;

  readonly methods = {
    smelt: (batch: LuaData) => {
      if (batch === 1) this.#smelted = 0;
      if (batch !== this.#smelted + 1) throw new LuaError(`batch ${this.#smelted + 1} comes next`);
      this.#smelted = batch;
      return this.burned.includes(batch) ? 0 : 8;
    },
    seal: () => {
      if (this.#smelted < BATCHES) throw new LuaError("the furnaces are not through");
      return this.seal;
    },
  };
}
