import { randomInt } from "node:crypto";
import type { Computer } from "@ccbridge/cc-host";

const FIRST_AFTER = 400;
const EVERY = 1_200;
const STAYS = 200;

export class Gate {
  readonly functions = {};
  readonly #computer: Computer;
  readonly #parcels: number[] = [];
  #noted = "";
  #acceptable: readonly number[] = [];
  #doorWasOpen = false;
  #ticks: number | undefined;

  constructor(computer: Computer) {
    this.#computer = computer;
  }

  begin(): void {
    this.#ticks ??= EVERY - FIRST_AFTER;
  }

  get wasUsed(): boolean {
    return this.#doorWasOpen && this.#computer.redstone.output("right") === 0;
  }

  get parcelNoted(): boolean {
    return this.#acceptable.includes(Number.parseInt(this.#noted, 10));
  }

  tick(): void {
    if (this.#computer.redstone.output("right") > 0) this.#doorWasOpen = true;
    this.#lookAtNote();
    if (this.#ticks === undefined) return;
    const phase = ++this.#ticks % EVERY;
    if (phase === 0) {
      const others = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].filter(
        (strength) => strength !== this.#parcels.at(-1),
      );
      const strength = others[randomInt(others.length)] as number;
      this.#parcels.push(strength);
      this.#computer.redstone.setInput("left", strength);
    } else if (phase === STAYS) this.#computer.redstone.setInput("left", 0);
  }

  reset(): void {}

  /** A guess must not become right later, so compare with the parcels at the time of writing. */
  #lookAtNote(): void {
    const { fs } = this.#computer;
    const text = fs.exists("/parcel.txt") ? fs.read("/parcel.txt").trim() : "";
    if (text === this.#noted) return;
    this.#noted = text;
    this.#acceptable = this.#parcels.slice(-2);
  }
}
