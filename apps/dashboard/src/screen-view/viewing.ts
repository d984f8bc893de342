import type { InputStep } from "@ccbridge/protocol";
import { JOB_META_KEY, type ScreenView } from "@ccbridge/protocol/screen";
import { signal } from "@preact/signals";
import { toolStep } from "../screen/tool-step.js";
import type { Host, ToolResult } from "./host.js";
import { problemOf, readView, textOf } from "./read-view.js";
import type { Visibility } from "./visibility.js";

const WAIT_MS = 5_000;
const PACE_MS = 200;
const START_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

type Target = { readonly jobId: string } | { readonly computerId: string | number };

export class Viewing {
  readonly view = signal<ScreenView | undefined>(undefined);
  readonly problem = signal<string | undefined>(undefined);
  /** The model's text, for a host that does not let views call tools. */
  readonly modelText = signal<string | undefined>(undefined);
  readonly #host: Host;
  readonly #visibility: Visibility;
  #isLive = false;
  #canTellModel = false;
  #target: Target | undefined;
  #starting: ReturnType<typeof setTimeout> | undefined;
  #loop = new AbortController();
  #call = new AbortController();
  #retry: () => void = () => {};

  constructor(host: Host, visibility: Visibility) {
    this.#host = host;
    this.#visibility = visibility;
    visibility.onHidden(() => this.#call.abort());
  }

  begin({ canTellModel = false }: { canTellModel?: boolean } = {}): void {
    this.#isLive = true;
    this.#canTellModel = canTellModel;
    this.#restart();
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  takeInput({ jobId, computerId, command }: Record<string, unknown>): void {
    if (typeof jobId === "string") return this.#follow({ jobId });
    if (typeof computerId !== "string" && typeof computerId !== "number") return;
    if (command === undefined) return this.#follow({ computerId });
    // run-program: its answer names the job. Until it arrives, show the computer's screen.
    this.#starting = setTimeout(() => this.#follow({ computerId }), START_MS);
  }

  takeResult(result: ToolResult): void {
    clearTimeout(this.#starting);
    this.modelText.value = textOf(result);
    const job = result._meta?.[JOB_META_KEY];
    if (typeof job === "string") this.#follow({ jobId: job });
    else if (this.#target === undefined && result.isError === true)
      this.problem.value = problemOf(result);
    else if (this.#target === undefined) this.problem.value = "The answer does not name a screen.";
  }

  takeCancelled(): void {
    clearTimeout(this.#starting);
    if (this.#target === undefined) this.problem.value = "The call was cancelled.";
  }

  retry(): void {
    this.#retry();
  }

  close(): void {
    clearTimeout(this.#starting);
    this.#loop.abort();
    this.#call.abort();
  }

  async type(steps: readonly InputStep[]): Promise<void> {
    const { job, computerId } = this.view.value ?? {};
    const terminal = typeof job === "string" ? { jobId: job } : { computerId };
    const args = { ...terminal, steps: steps.map(toolStep), waitMs: 0 };
    const result = await this.#host.callTool("send-input", args);
    if (result.isError === true) throw new Error(problemOf(result));
    this.#tellModel(terminal);
  }

  /** Informs the model that a person typed. Contains no text from the game. */
  #tellModel(terminal: object): void {
    if (!this.#canTellModel) return;
    this.#canTellModel = false;
    const text = `The user has typed into the screen that read-screen ${JSON.stringify(terminal)} shows.`;
    const params = { content: [{ type: "text", text }] };
    this.#host.request("ui/update-model-context", params).catch(() => {
      // The host may refuse; the screen still shows the input.
    });
  }

  #follow(target: Target): void {
    this.#target = target;
    this.#restart();
  }

  #restart(): void {
    if (!this.#isLive || this.#target === undefined) return;
    this.#loop.abort();
    this.#call.abort();
    this.#loop = new AbortController();
    void this.#run(this.#target, this.#loop.signal);
  }

  async #run(target: Target, over: AbortSignal): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    let seen: string | undefined;
    while (!over.aborted) {
      await this.#visibility.seen();
      if (over.aborted) return;
      const earliest = performance.now() + PACE_MS;
      try {
        const view = await this.#poll(target, seen);
        if (over.aborted) return;
        this.#show(view);
        seen = view.version;
        retryMs = FIRST_RETRY_MS;
        if (view.state === "ended" && "jobId" in target) return;
        await pause(earliest - performance.now());
      } catch (error) {
        if (over.aborted) return;
        if (!this.#visibility.isSeen) continue;
        this.problem.value = (error as Error).message;
        await Promise.race([
          pause(retryMs),
          new Promise<void>((resolve) => {
            this.#retry = resolve;
          }),
        ]);
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      }
    }
  }

  async #poll(target: Target, seen: string | undefined): Promise<ScreenView> {
    this.#call = new AbortController();
    const args =
      seen === undefined ? { ...target, view: {} } : { ...target, view: { seen }, waitMs: WAIT_MS };
    const result = await this.#host.callTool("read-screen", args, this.#call.signal);
    const view = result.isError === true ? undefined : readView(result);
    if (view === undefined) throw new Error(problemOf(result));
    return view;
  }

  #show(view: ScreenView): void {
    const { screen = this.view.peek()?.screen } = view;
    this.problem.value = undefined;
    if (view.version === this.view.peek()?.version) return;
    this.view.value = screen === undefined ? view : { ...view, screen };
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, ms)));
