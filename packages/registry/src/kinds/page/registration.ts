import { type PageTool, readTools, type ToolProblem } from "@ccbridge/protocol/btcp";

/** Registrations that are read at once; what follows in the same span is read at its end, the last only. */
const BURST = 10;
const SPAN_MS = 5_000;

/** The tools that a page has registered last. A page that registers without end costs little. */
export class Registration {
  readonly #onChange: () => void;
  #tools: readonly PageTool[] = [];
  #problems: readonly ToolProblem[] = [];
  #known = false;
  #count = 0;
  #waiting: readonly unknown[] | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get tools(): readonly PageTool[] {
    return this.#tools;
  }

  get problems(): readonly ToolProblem[] {
    return this.#problems;
  }

  get isKnown(): boolean {
    return this.#known;
  }

  /** Takes the whole list. False when it is read later. */
  take(list: readonly unknown[]): boolean {
    this.#known = true;
    this.#count += 1;
    this.#timer ??= setTimeout(() => this.#onSpan(), SPAN_MS);
    if (this.#count > BURST) {
      this.#waiting = list;
      return false;
    }
    this.#read(list);
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
  }

  #read(list: readonly unknown[]): void {
    const { tools, problems } = readTools(list);
    this.#tools = tools;
    this.#problems = problems;
    this.#onChange();
  }

  #onSpan(): void {
    this.#timer = undefined;
    this.#count = 0;
    const list = this.#waiting;
    this.#waiting = undefined;
    if (list !== undefined) this.#read(list);
  }
}
