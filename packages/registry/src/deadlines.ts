/** Something that happens at a time, unless it is called off. */
export interface Deadline {
  at: number;
  /** Undefined once it happened or was called off. */
  action: (() => void) | undefined;
  readonly lane: Lane;
}

/** Deadlines of one length: they come due in the order in which they were set. */
interface Lane {
  readonly ms: number;
  items: Deadline[];
  /** Items that are not called off. */
  live: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** Lanes that keep their timer while nothing waits in them, since something probably will again. */
const IDLE_LANES = 64;

/** Called-off items that a lane may hold beyond as many as are live. */
const SLACK = 256;

/**
 * Many deadlines on few timers: one for each length that is in use. A probe of a thousand providers sets
 * and calls off a thousand deadlines, and one timer.
 */
export class Deadlines {
  readonly #lanes = new Map<number, Lane>();

  set(ms: number, action: () => void): Deadline {
    let lane = this.#lanes.get(ms);
    if (lane === undefined) {
      lane = { ms, items: [], live: 0, timer: undefined };
      this.#lanes.set(ms, lane);
    }
    const deadline: Deadline = { at: performance.now() + ms, action, lane };
    lane.items.push(deadline);
    lane.live += 1;
    if (lane.timer === undefined) this.#arm(lane, ms);
    return deadline;
  }

  cancel(deadline: Deadline): void {
    if (deadline.action === undefined) return;
    deadline.action = undefined;
    const { lane } = deadline;
    lane.live -= 1;
    if (lane.live === 0) this.#rest(lane);
    else if (lane.items.length > 2 * lane.live + SLACK) {
      lane.items = lane.items.filter(({ action }) => action !== undefined);
    }
  }

  /** Time is up for everything that still waits. */
  close(): void {
    for (const lane of [...this.#lanes.values()]) {
      const { items } = lane;
      this.#close(lane);
      for (const deadline of items) happen(deadline);
    }
  }

  /** Nothing waits any more. Most calls come one by one, and each would need a new timer. */
  #rest(lane: Lane): void {
    if (this.#lanes.size > IDLE_LANES) this.#close(lane);
    else lane.items.length = 0;
  }

  #arm(lane: Lane, ms: number): void {
    lane.timer = setTimeout(() => this.#fire(lane), ms);
  }

  #fire(lane: Lane): void {
    lane.timer = undefined;
    const now = performance.now();
    // Timers may fire a fraction of a millisecond early.
    const due = lane.items.findIndex(({ at }) => at > now + 1);
    const passed = lane.items.splice(0, due < 0 ? lane.items.length : due);
    for (const deadline of passed) happen(deadline);
    // An action may have set a deadline and with it the timer, but those that wait come first.
    clearTimeout(lane.timer);
    const [next] = lane.items;
    if (lane.live === 0 || next === undefined) this.#close(lane);
    else this.#arm(lane, Math.max(1, next.at - performance.now()));
  }

  #close(lane: Lane): void {
    clearTimeout(lane.timer);
    lane.timer = undefined;
    lane.items = [];
    if (this.#lanes.get(lane.ms) === lane) this.#lanes.delete(lane.ms);
  }
}

function happen(deadline: Deadline): void {
  const { action, lane } = deadline;
  if (action === undefined) return;
  deadline.action = undefined;
  lane.live -= 1;
  action();
}
