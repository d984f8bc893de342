import {
  type ActionName,
  type ActionParams,
  type ActionResult,
  actions,
  CloseReason,
  DASHBOARD_PATH,
  type DashboardMessage,
  type TopicData,
  type TopicName,
  type TopicParams,
  topics,
  type Viewer,
  type ViewMessage,
  ViewMessageSchema,
} from "@ccbridge/protocol/dashboard";
import { signal } from "@preact/signals";
import { forget, keep, kept } from "../kept.js";
import { said } from "../said.js";

export type ConnectionState =
  | { readonly kind: "connecting" }
  | {
      readonly kind: "open";
      readonly viewer: Viewer;
      readonly version: string;
      readonly isDemo: boolean;
    }
  | { readonly kind: "lost" }
  | { readonly kind: "token"; readonly wasWrong: boolean }
  | { readonly kind: "refused"; readonly reason: string };

export const connection = signal<ConnectionState>({ kind: "connecting" });

/** Null without tokens. Kept while the bridge is unreachable. */
export const viewerName = signal<string | null | undefined>(undefined);

const TOKEN = "ccbridge-token";
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 8_000;
/** Browsers treat a longer timeout as 0. */
const MAX_TIMER_MS = 2_147_483_647;

interface Watch {
  readonly topic: TopicName;
  readonly params: unknown;
  data(data: unknown): void;
  failed(error: string): void;
  retry?: ReturnType<typeof setTimeout> | undefined;
}

type FailedMessage = Extract<ViewMessage, { type: "failed" }>;

export class ActionError extends Error {
  override readonly name = "ActionError";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

interface OpenAction {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const watches = new Map<number, Watch>();
const openActions = new Map<number, OpenAction>();
let nextNumber = 1;
let socket: WebSocket | undefined;
let retryMs = FIRST_RETRY_MS;
let version: string | undefined;

/** Kept until the tab is closed; never part of a URL. */
export function token(): string | undefined {
  return kept(TOKEN);
}

export function useToken(text: string): void {
  keep(TOKEN, text);
  connect();
}

export function forgetToken(): void {
  forget(TOKEN);
  viewerName.value = undefined;
  connect();
}

export function connect(): void {
  const protocol = location.protocol === "https:" ? "wss" : "ws";
  if (socket !== undefined) {
    socket.onclose = null;
    socket.close();
  }
  const own = new WebSocket(`${protocol}://${location.host}${DASHBOARD_PATH}`);
  socket = own;
  const shown = token();
  own.onopen = () => send({ type: "hello", ...(shown === undefined ? {} : { token: shown }) });
  own.onmessage = ({ data }) => receive(String(data));
  own.onclose = ({ code, reason }) => {
    socket = undefined;
    for (const { reject } of openActions.values())
      reject(new Error("The connection to the bridge was lost."));
    openActions.clear();
    if (code === CloseReason.token) {
      viewerName.value = undefined;
      connection.value = { kind: "token", wasWrong: shown !== undefined };
      return;
    }
    if (code === CloseReason.loopback || code === CloseReason.malformed) {
      connection.value = { kind: "refused", reason };
      return;
    }
    connection.value = { kind: "lost" };
    setTimeout(() => {
      if (socket === undefined) connect();
    }, retryMs);
    retryMs = Math.min(MAX_RETRY_MS, retryMs * 2);
  };
}

function send(message: DashboardMessage): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function receive(text: string): void {
  const { data: message } = ViewMessageSchema.safeParse(JSON.parse(text));
  // A bridge of another version: reload to get its page.
  if (message === undefined) return location.reload();
  handle(message);
}

function handle(message: ViewMessage): void {
  switch (message.type) {
    case "welcome": {
      if (version !== undefined && version !== message.version) return location.reload();
      version = message.version;
      retryMs = FIRST_RETRY_MS;
      viewerName.value = message.viewer.name;
      const { viewer, isDemo = false } = message;
      connection.value = { kind: "open", viewer, version, isDemo };
      for (const [watch, { topic, params }] of watches) {
        send({ type: "watch", watch, topic, params });
      }
      return;
    }
    case "data":
      return watches.get(message.watch)?.data(message.data);
    case "failed":
      return watchFailed(message);
    case "answer":
      return takeAction(message.action)?.resolve(message.result);
    case "declined":
      return takeAction(message.action)?.reject(new ActionError(said(message.error), message.code));
  }
}

/** Retries when the bridge says so, as after its rate limit. */
function watchFailed({ watch: number, error, retryMs }: FailedMessage): void {
  const watched = watches.get(number);
  if (watched === undefined) return;
  watched.failed(said(error));
  if (retryMs === undefined) return;
  clearTimeout(watched.retry);
  watched.retry = setTimeout(
    () => {
      const { topic, params } = watched;
      if (watches.get(number) === watched) send({ type: "watch", watch: number, topic, params });
    },
    Math.min(retryMs, MAX_TIMER_MS),
  );
}

function takeAction(number: number): OpenAction | undefined {
  const action = openActions.get(number);
  openActions.delete(number);
  return action;
}

export function watch<T extends TopicName>(
  topic: T,
  params: TopicParams<T>,
  listener: (data: TopicData<T>) => void,
  onFailed: (error: string) => void = () => {},
): () => void {
  const number = nextNumber++;
  watches.set(number, {
    topic,
    params,
    data(data) {
      const parsed = topics[topic].data.safeParse(data);
      if (parsed.success) listener(parsed.data as TopicData<T>);
      else onFailed("The bridge sent something that this page cannot read. Load it again.");
    },
    failed: onFailed,
  });
  if (connection.value.kind === "open") send({ type: "watch", watch: number, topic, params });
  return () => {
    clearTimeout(watches.get(number)?.retry);
    watches.delete(number);
    send({ type: "unwatch", watch: number });
  };
}

export function act<A extends ActionName>(
  name: A,
  params: ActionParams<A>,
): Promise<ActionResult<A>> {
  if (connection.value.kind !== "open")
    return Promise.reject(new Error("The connection to the bridge is lost."));
  const number = nextNumber++;
  const done = new Promise<ActionResult<A>>((resolve, reject) => {
    openActions.set(number, {
      resolve(result) {
        const parsed = actions[name].result.safeParse(result);
        if (parsed.success) resolve(parsed.data as ActionResult<A>);
        else reject(new Error("The bridge sent something that this page cannot read."));
      },
      reject,
    });
    send({ type: "action", action: number, name, params });
  });
  countWhileSlow(done);
  return done;
}

/** Long-running actions: for some viewers they wait for approval. */
export const slowActions = signal(0);
const SLOW_MS = 1_000;

function countWhileSlow(done: Promise<unknown>): void {
  let isCounted = false;
  const timer = setTimeout(() => {
    isCounted = true;
    slowActions.value += 1;
  }, SLOW_MS);
  const end = () => {
    clearTimeout(timer);
    if (isCounted) slowActions.value -= 1;
  };
  done.then(end, end);
}
