import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  decodeMessage,
  encodeError,
  encodeNotification,
  PageCloseCode,
  RpcCode,
} from "@ccbridge/protocol/btcp";
import { type Channel, type PageOpening, PageStreams, type Pages } from "@ccbridge/registry";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { limits } from "../config/limits.js";
import { settings } from "../config/settings.js";
import { refuseInText } from "../http/errors.js";
import { createListener } from "../http/listener.js";
import { MESSAGE_COST, type Reader, type UnreadBudget } from "../http/outgoing.js";
import type { PeerSocket } from "../http/peer-socket.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { AgentOpening } from "./agent-admission.js";
import { PageAdmission, type PageAdmissionOptions, type PageDecision } from "./page-admission.js";

export interface PageListenerOptions extends PageAdmissionOptions {
  pages: Pages;
  log: PeerLog;
  /** Serves an agent that calls the tools of pages. */
  onAgent(peer: PeerSocket, agent: AgentOpening): Promise<void>;
}

const COMMENT_MS = 20_000;
const HEALTH = "/health";

/** Creates the listener for web pages, without starting it: WebSockets, or event streams with posted messages. */
export async function createPageListener(options: PageListenerOptions): Promise<FastifyInstance> {
  const { config, pages, log } = options;
  const admission = new PageAdmission(options);
  const decisions = new WeakMap<FastifyRequest, PageDecision>();
  const streams = new PageStreams(pages);
  const total = config.maxPages + limits.sparePageConnections;
  const listener = await createListener({
    connections: {
      perAddress: total,
      total,
      setting: settings.maxPages.env,
      trustedProxies: config.trustedProxies,
    },
    requestTimeoutMs: limits.linkRequestMs,
    bodyLimit: 2 * config.pageMaxResultBytes,
    // An answer that is too large fails its call; only one far beyond the limit costs the connection.
    maxMessageBytes: 2 * config.pageMaxResultBytes,
    maxUnreadBytes: limits.linkUnreadBytes,
    guard: pageGuard(admission, decisions, log),
    refuse: refuseInText,
    notFound: "There is nothing here.",
    log,
  });
  const { app, unread } = listener;
  const { maxBufferedBytes: maxUnreadBytes } = config;

  app.get(HEALTH, async () => ({ ok: true, name: "ccbridge", side: "pages" }));
  for (const path of ["/pages.js", "/webmcp.js"]) {
    app.get(path, async (_, reply) => {
      const text = pageScript(path);
      if (text === undefined) {
        return refuseInText(reply, 404, "This bridge was built without its scripts for pages.");
      }
      return reply
        .type("text/javascript; charset=utf-8")
        .header("Cache-Control", "no-cache")
        .header("Cross-Origin-Resource-Policy", "cross-origin")
        .header("X-Content-Type-Options", "nosniff")
        .send(text);
    });
  }
  app.options("*", async (_, reply) =>
    reply
      .code(204)
      .header("Access-Control-Allow-Methods", "GET, POST")
      .header("Access-Control-Allow-Headers", "Content-Type, X-Session-ID")
      .header("Access-Control-Max-Age", "600")
      .send(),
  );
  app.post("*", async (request, reply) => {
    const decision = decisions.get(request);
    if (decision?.ok !== true || decision.endpoint !== "message") {
      return refuseInText(reply, 404, "Pages send messages to /message.");
    }
    if (streams.receive(String(request.body), decision.opening)) return reply.code(202).send();
    return withoutStream(reply, String(request.body));
  });
  app.route({
    method: "GET",
    url: "*",
    handler: (request, reply) => {
      const decision = decisions.get(request);
      if (decision?.ok === true && decision.endpoint === "events") {
        return openStream({ streams, unread }, decision.opening, request, reply);
      }
      return refuseInText(reply.header("Upgrade", "websocket"), 426, "Pages connect by WebSocket.");
    },
    wsHandler: (socket, request) => {
      const decision = decisions.get(request);
      const { ip: address } = request;
      const channel = listener.accept(socket, request, { maxUnreadBytes });
      if (decision?.ok === true && decision.endpoint === "agent") {
        return options.onAgent(channel, decision.agent);
      }
      if (decision?.ok === true && decision.endpoint === "ws") {
        channel.listener = pages.attach(channel, { address }, decision.opening);
      } else
        refuseSocket(channel, decision?.ok === false ? decision.message : "Pages connect to /ws.");
    },
  });
  return app;
}

/** Checks Host, Origin and token together: whether an Origin is needed depends on the token. */
function pageGuard(
  admission: PageAdmission,
  decisions: WeakMap<FastifyRequest, PageDecision>,
  log: PeerLog,
): onRequestHookHandler {
  return (request, reply, done) => {
    const [path = ""] = request.url.split("?", 1);
    if (request.method === "GET" && !request.ws && (path === HEALTH || isPageScript(path))) {
      // Nothing here is secret. A page that may not connect learns why from the client that it loads.
      reply.raw.setHeader("Access-Control-Allow-Origin", "*");
      return done();
    }
    const decision = admission.decide(request);
    decisions.set(request, decision);
    const { origin } = request.headers;
    reply.raw.setHeader("Vary", "Origin");
    if (decision.ok) {
      if (origin !== undefined) reply.raw.setHeader("Access-Control-Allow-Origin", origin);
      return done();
    }
    log.warn({ address: request.ip, reason: decision.message }, "page refused");
    // A page with a WebSocket gets the reason as a message: browsers do not show it a status code.
    if (request.ws && decision.isProgram !== true) return done();
    refuseInText(reply, decision.status, decision.message);
  };
}

/** A response needs no answer: its stream has just broken. A request without a stream would wait in vain. */
function withoutStream(reply: FastifyReply, body: string): FastifyReply {
  const decoded = decodeMessage(body);
  if (decoded.ok && decoded.message.kind !== "request") return reply.code(202).send();
  const id = decoded.ok && decoded.message.kind === "request" ? decoded.message.id : undefined;
  const message = "This page has no open stream here: open /events with the same session first.";
  return reply
    .code(409)
    .type("application/json")
    .send(encodeError(id, { code: RpcCode.invalidRequest, message }));
}

/** Browsers show pages nothing about a refused upgrade, so it is accepted, then closed with a reason. */
function refuseSocket(channel: Channel, message: string): void {
  channel.send(encodeNotification("bridge/refused", { message }));
  channel.close(PageCloseCode.refused, message);
}

function openStream(
  { streams, unread }: { streams: PageStreams; unread: UnreadBudget },
  opening: PageOpening,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { raw } = reply;
  // A disconnected page is reported by "close"; an unhandled "error" would end the process.
  raw.on("error", () => {});
  let waiting = 0;
  const write = (text: string) => {
    // Node calls a response writable even after its end.
    if (raw.writableEnded || raw.destroyed) return;
    waiting += 1;
    raw.write(text, () => {
      waiting -= 1;
    });
    unread.note(channel);
  };
  // A page that does not read would never let the stream end.
  const end = () => {
    raw.end();
    setTimeout(() => raw.destroy(), limits.goodbyeMs).unref();
  };
  const channel: Channel & Reader = {
    send: (text) => write(`data: ${text}\n\n`),
    close: end,
    drop: () => void raw.destroy(),
    get bufferedBytes() {
      return raw.writableLength;
    },
    get unreadBytes() {
      return raw.writableLength + waiting * MESSAGE_COST;
    },
  };
  reply.hijack();
  raw.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  // Clients wait for the first bytes before they count as connected.
  write(": connected\n\n");
  const ended = streams.open(channel, { address: ip }, opening);
  if (ended === undefined) end();
  else {
    const comments = setInterval(() => write(":\n\n"), COMMENT_MS);
    raw.on("close", () => {
      clearInterval(comments);
      unread.release(channel);
      ended();
    });
  }
  return reply;
}

/** What the pages port serves: the client as a module, and the script that bridges WebMCP. */
const files: ReadonlyMap<string, string> = new Map([
  ["/pages.js", "index.js"],
  ["/webmcp.js", "webmcp.js"],
]);

/** Beside the built program, or in the workspace for a bridge that runs from its source. */
const folders = ["./pages/", "../../../../packages/pages/dist/"];

function isPageScript(path: string): boolean {
  return files.has(path);
}

/** The text of a script; undefined for a bridge that was built without it. */
function pageScript(path: string): string | undefined {
  const file = files.get(path);
  if (file === undefined) return undefined;
  const place = folders
    .map((folder) => fileURLToPath(new URL(`${folder}${file}`, import.meta.url)))
    .find((candidate) => existsSync(candidate));
  return place === undefined ? undefined : readFileSync(place, "utf8");
}
