import type { ServerResponse } from "node:http";
import { CloseCode, encodeNotification, MAX_FROM_PAGE_BYTES } from "@ccbridge/protocol/btcp";
import { type Channel, type PageOpening, PageStreams, type Pages } from "@ccbridge/registry";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Config, settings } from "../config/settings.js";
import { limitBodies } from "../http/bodies.js";
import { capConnections } from "../http/connections.js";
import type { FailureGate } from "../http/failures.js";
import { capForwarded } from "../http/forwarding.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { limits } from "../limits.js";
import type { PeerLog } from "../peer-log.js";
import { SocketRoom } from "./channel-socket.js";
import { type Judgement, PageAdmission } from "./page-admission.js";
import type { SlowReader, Unread } from "./unread.js";

export interface PageListenerOptions {
  config: Config;
  pages: Pages;
  log: PeerLog;
  /** Knows who showed wrong tokens. */
  gate: FailureGate;
}

/** Browsers and proxies close a stream that is quiet for long. */
const COMMENT_MS = 20_000;
/** Says only who listens here, so that a second bridge and `ccbridge doctor` recognize it. */
const HEALTH = "/health";

/** The side of web pages: WebSockets, or streams of events with messages that are posted. Never listens. */
export async function createPageListener(options: PageListenerOptions): Promise<FastifyInstance> {
  const { config, pages, log, gate } = options;
  const admission = new PageAdmission(config, gate);
  const streams = new PageStreams(pages);
  const app = Fastify({
    ...serverOptions(limits.linkRequestMs, config.trustedProxies),
    bodyLimit: MAX_FROM_PAGE_BYTES,
  });
  const total = config.maxPages + limits.sparePageConnections;
  const caps = {
    perAddress: total,
    total,
    setting: settings.maxPages.env,
    trustedProxies: config.trustedProxies,
  };
  capConnections(app.server, caps, log);
  const room = new SocketRoom(config.maxBufferedBytes);
  await app.register(websocket, {
    options: room.options(MAX_FROM_PAGE_BYTES),
    preClose(done) {
      room.clear();
      this.websocketServer.close();
      done();
    },
  });
  limitPipelining(app);
  capForwarded(app, caps, log);
  limitBodies(app, MAX_FROM_PAGE_BYTES);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => {
    done(null, body);
  });

  const judgements = new WeakMap<FastifyRequest, Judgement>();
  app.addHook("onRequest", async (request, reply) => {
    if (request.url === HEALTH && request.method === "GET" && !request.ws) return;
    const judged = admission.judge(request);
    judgements.set(request, judged);
    const { origin } = request.headers;
    reply.raw.setHeader("Vary", "Origin");
    if (judged.ok) {
      if (origin !== undefined) reply.raw.setHeader("Access-Control-Allow-Origin", origin);
      return;
    }
    log.warn({ address: request.ip, reason: judged.message }, "page refused");
    // A page with a WebSocket learns the reason below: it never sees a status code.
    if (!request.ws) return reply.code(judged.status).send(`${judged.message}\n`);
  });
  app.addHook("preHandler", async (request, reply) => {
    const { socket } = reply.raw;
    // See the link listener: the response would be kept for as long as the socket.
    if (request.ws && socket !== null) reply.raw.detachSocket(socket);
  });

  app.get(HEALTH, async () => ({ ok: true, name: "ccbridge", side: "pages" }));
  app.options("*", async (_, reply) =>
    reply
      .code(204)
      .header("Access-Control-Allow-Methods", "GET, POST")
      .header("Access-Control-Allow-Headers", "Content-Type, X-Session-ID")
      .header("Access-Control-Max-Age", "600")
      .send(),
  );
  app.post("*", async (request, reply) => {
    const judged = judgements.get(request);
    if (judged?.ok !== true || judged.endpoint !== "message") {
      return reply.code(404).send("Pages send messages to /message.\n");
    }
    // A page whose stream has just broken must not fail because of an answer that nobody needs.
    streams.receive(String(request.body), judged.opening);
    return reply.code(202).send();
  });
  app.route({
    method: "GET",
    url: "*",
    handler: (request, reply) => {
      const judged = judgements.get(request);
      if (judged?.ok === true && judged.endpoint === "events") {
        return openStream({ streams, unread: room.unread }, judged.opening, request, reply);
      }
      return reply.code(426).header("Upgrade", "websocket").send("Pages connect by WebSocket.\n");
    },
    wsHandler: (socket, request) => {
      const judged = judgements.get(request);
      const { ip: address } = request;
      const channel = room.admit(socket, request.raw.socket);
      if (judged?.ok === true && judged.endpoint === "ws") {
        channel.listener = pages.attach(channel, { address }, judged.opening);
      } else turnAway(channel, judged?.ok === false ? judged.message : "Pages connect to /ws.");
    },
  });
  return app;
}

/** Browsers tell pages nothing about a refused connection, so it is accepted, told, and closed. */
function turnAway(channel: Channel, message: string): void {
  channel.send(encodeNotification("bridge/refused", { message }));
  channel.close(CloseCode.refused, message);
}

/** Ends a stream. A page that does not read would never let it end by itself. */
function endStream(raw: ServerResponse): void {
  raw.end();
  setTimeout(() => raw.destroy(), limits.goodbyeMs).unref();
}

function openStream(
  { streams, unread }: { streams: PageStreams; unread: Unread },
  opening: PageOpening,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { raw } = reply;
  // A page that is gone shows as a close; without a listener it would end the process.
  raw.on("error", () => {});
  const write = (text: string) => {
    // Node calls a response writable even after its end.
    if (!raw.writableEnded && !raw.destroyed) raw.write(text);
  };
  const channel: Channel & SlowReader = {
    send(text) {
      unread.note(channel, text.length);
      write(`data: ${text}\n\n`);
    },
    close: () => endStream(raw),
    drop: () => void raw.destroy(),
    get bufferedBytes() {
      return raw.writableLength;
    },
  };
  reply.hijack();
  raw.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  // The first bytes: a client waits for them before it counts as connected.
  write(": connected\n\n");
  const ended = streams.open(channel, { address: ip }, opening);
  if (ended === undefined) endStream(raw);
  else {
    const comments = setInterval(() => write(":\n\n"), COMMENT_MS);
    raw.on("close", () => {
      clearInterval(comments);
      unread.forget(channel);
      ended();
    });
  }
  return reply;
}
