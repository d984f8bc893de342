import { utf8Length } from "@ccbridge/protocol";
import {
  cutText,
  decodeMessage,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
  isSessionId,
  MAX_TO_PAGE_BYTES,
  type MessageId,
  PageCloseCode,
  PageErrorCode,
  type PageMessage,
  type PageOutcome,
  RpcCode,
  toolListOf,
} from "@ccbridge/protocol/btcp";
import { LinkError, LinkErrorCode } from "../../errors.js";
import { type KeptResult, keepValue } from "../../jobs/job-session.js";
import type { Outgoing } from "../../provider.js";
import type { Channel, Origin } from "../../session.js";
import { TextSession } from "../../text-session.js";
import type { Pages } from "./pages.js";
import type { PageOpening, PageProvider } from "./provider.js";
import { Registration } from "./registration.js";

/** A page that has said nothing for this long is asked for its tools: some never send them by themselves. */
const QUIET_MS = 1_000;
const LIST_TIMEOUT_MS = 20_000;

const MAX_PROGRESS_LENGTH = 500;

const CALL = "call-tool";
const wireMethods = new Map([[CALL, "tools/call"]]);

export class PageLink extends TextSession {
  readonly #pages: Pages;
  readonly #opening: PageOpening;
  readonly #registration = new Registration(() => this.offer());
  #provider: PageProvider | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(pages: Pages, channel: Channel, origin: Origin, opening: PageOpening) {
    super(pages.registry, channel, origin);
    this.#pages = pages;
    this.#opening = opening;
  }

  get provider(): PageProvider {
    if (this.#provider === undefined) throw new Error("this page has not joined a session");
    return this.#provider;
  }

  get identified(): boolean {
    return this.#provider !== undefined;
  }

  /** Joins the session that the address named. Without one, the first message may still name it. */
  start(): void {
    if (this.#opening.session !== undefined) this.#join(this.#opening.session);
    if (this.open) this.#quiet = setTimeout(() => this.#onQuiet(), QUIET_MS);
  }

  prepare(id: string, method: string, params: unknown): Outgoing {
    this.#checkCall(method, params);
    const text = encodeRequest(id, wireMethods.get(method) ?? method, params ?? {});
    const request = this.checked({ id, method, bytes: utf8Length(text), text });
    this.#pages.sessions.use(this.provider.session);
    return request;
  }

  cancel(id: string, reason: string): boolean {
    this.write(encodeNotification("notifications/cancelled", { requestId: id, reason }));
    return false;
  }

  acknowledge(): void {}

  keep(result: unknown): KeptResult {
    return keepValue(result);
  }

  ping(): void {
    this.write(encodeRequest(this.host.nextId(), "ping"));
  }

  receive(text: string): void {
    if (!this.open) return;
    this.seen();
    const decoded = decodeMessage(text, this.#pages.limits.maxResultBytes);
    if (!decoded.ok && decoded.tooLarge && this.#refuseAnswer(decoded.id, decoded.reason)) return;
    if (decoded.ok) {
      this.wellFormed();
      this.#dispatch(decoded.message);
    } else {
      this.write(
        encodeError(decoded.id, { code: RpcCode.invalidRequest, message: decoded.reason }),
      );
      this.malformed(decoded.reason);
    }
  }

  /** Says why and closes: clients show the message, and browsers hide everything else. */
  refuse(closeCode: PageCloseCode, message: string): void {
    this.turnAway(closeCode, encodeNotification("bridge/refused", { message }), message);
  }

  /** What waits fails for the reason: the message may have been an answer. */
  override closed(reason: string, isTooLarge = false): void {
    if (isTooLarge) this.end(reason, LinkErrorCode.tooLarge);
    else super.closed(reason);
  }

  notify(message: string): void {
    if (this.open) this.write(encodeNotification("bridge/notice", { message }));
  }

  offer(): void {
    if (this.#provider === undefined || !this.open) return;
    const { session, site } = this.#provider;
    const { tools, problems } = this.#registration;
    this.#pages.registry.offered.offer(this.#provider, {
      tools: tools.map(({ capabilities, ...tool }) => {
        const missing = this.#pages.sessions.missing(session, site, capabilities);
        return missing.length === 0 ? tool : { ...tool, missing };
      }),
      broken: problems.map(({ tool, problem }) => ({ file: tool, problem })),
    });
  }

  protected override get closeCodes() {
    return { replaced: PageCloseCode.replaced };
  }

  protected maxRequestBytes(): number {
    return MAX_TO_PAGE_BYTES;
  }

  protected override onHeartbeat(now: number): void {
    this.#pages.sessions.sweep(now);
  }

  protected override onEnd(): void {
    clearTimeout(this.#quiet);
    this.#registration.close();
    this.#pages.detach(this);
  }

  /** Clients answer names that they never registered, an `eval` among them: those are not passed on. */
  #checkCall(method: string, params: unknown): void {
    if (method !== CALL) return;
    const { name } = Object(params) as { name?: unknown };
    if (this.#registration.tools.some((tool) => tool.name === name)) return;
    throw new LinkError(LinkErrorCode.notLinked, `${this.name} no longer offers this tool`);
  }

  #dispatch(message: PageMessage): void {
    if (message.kind === "answer") return this.#onAnswer(message.id, message.outcome);
    if (message.kind === "notification") {
      if (message.method === "notifications/progress") this.#onProgress(message.params);
      return;
    }
    const { id, method, params } = message;
    const isSession = method === "session/create" || method === "session/join";
    if (this.#provider === undefined && !isSession) this.#join(undefined);
    if (!this.open) return;
    switch (method) {
      case "ping":
        return this.write(encodeResult(id, { pong: true }));
      case "tools/register":
        return this.#onRegister(id, params);
      case "session/create":
        return this.#onSession(id, globalThis.crypto.randomUUID());
      case "session/join":
        return this.#onSession(id, params.sessionId);
      case "capabilities/grant":
      case "capabilities/request":
        return this.#fail(
          id,
          RpcCode.internalError,
          "The owner of the bridge grants capabilities.",
          {
            btcpCode: PageErrorCode.capabilityDenied,
          },
        );
      default:
        return this.#fail(id, RpcCode.methodNotFound, `Method not found: ${method}`);
    }
  }

  /** The token of a call's progress is its id. */
  #onProgress({ progressToken, progress, total, message }: Record<string, unknown>): void {
    if (typeof progressToken !== "string") return;
    const share = [progress, total].filter((value) => typeof value === "number").join(" of ");
    const words = typeof message === "string" ? cutText(message, MAX_PROGRESS_LENGTH) : "";
    const text = [share, words].filter((part) => part !== "").join(": ");
    if (text !== "") this.progress(progressToken, text);
  }

  /** An answer that is too large fails its own call, and no other. */
  #refuseAnswer(id: MessageId | undefined, reason: string): boolean {
    if (typeof id !== "string") return false;
    const error = `Its answer is too large: ${reason}. Let the tool return less, or raise CC_PAGES_MAX_RESULT_BYTES.`;
    const result = { btcpCode: "RESULT_TOO_LARGE" };
    if (this.settle(id, { ok: false, error, result }) === undefined) return false;
    this.notify(`The answer of a tool was refused: ${error}`);
    return true;
  }

  #onAnswer(id: MessageId, outcome: PageOutcome): void {
    const answer = outcome.ok
      ? { ok: true as const, result: outcome.result }
      : {
          ok: false as const,
          error: outcome.error.message,
          result: { btcpCode: outcome.error.code },
        };
    // Ids never repeat, so a late answer on a new connection fits nothing.
    if (typeof id === "string" && this.settle(id, answer) !== undefined) return;
    this.report("debug", "ignored: an answer without a request");
  }

  #onRegister(id: MessageId, params: Record<string, unknown>): void {
    const list = toolListOf(params);
    if (list === undefined) {
      return this.#fail(id, RpcCode.invalidParams, "params.tools must be a list of tools.");
    }
    clearTimeout(this.#quiet);
    const isRead = this.#registration.take(list);
    const { tools, broken } = this.#pages.registry.offered.of(this.provider.key);
    const registered = isRead ? tools.length : list.length;
    const leftOut = broken.map(({ file, problem }) => ({ tool: file, problem }));
    this.#pages.sessions.use(this.provider.session);
    const { maxResultBytes } = this.#pages.limits;
    this.write(encodeResult(id, { success: true, registered, leftOut, maxResultBytes }));
  }

  /** A connection joins one session, and only before anything else. */
  #onSession(id: MessageId, session: unknown): void {
    if (typeof session !== "string" || !isSessionId(session)) {
      const message = "A session id is 1 to 128 letters, digits and . _ ~ -";
      return this.#fail(id, RpcCode.invalidParams, message);
    }
    if (this.#provider === undefined) this.#join(session);
    if (!this.open) return;
    const joined = this.provider.session;
    if (joined !== session) {
      const message = "This connection is in a session already; connect again to join another.";
      return this.#fail(id, RpcCode.invalidRequest, message);
    }
    const expiresAt = this.#pages.sessions.expiresAt();
    this.write(encodeResult(id, { success: true, sessionId: joined, expiresAt, tools: [] }));
  }

  #join(session: string | undefined): void {
    const provider = this.#pages.place({ ...this.#opening, session });
    if (typeof provider === "string") return this.refuse(PageCloseCode.tooManyPages, provider);
    this.#provider = provider;
    this.#pages.sessions.enter(session);
    this.#pages.registry.join(this, { welcome: () => {} });
  }

  /** Pages that stored their tools before they connected never send them; others have none. */
  #onQuiet(): void {
    if (this.#provider === undefined) this.#join(undefined);
    if (!this.open) return;
    this.request("tools/list", {}, { timeoutMs: LIST_TIMEOUT_MS }).then(
      (answer) => {
        const list = answer.ok ? toolListOf(answer.result) : undefined;
        if (list !== undefined && !this.#registration.isKnown) this.#registration.take(list);
      },
      // A page that does not answer has no tools that anybody could call.
      () => {},
    );
  }

  #fail(id: MessageId, code: number, message: string, data?: object): void {
    this.write(encodeError(id, { code, message, ...(data === undefined ? {} : { data }) }));
  }
}
