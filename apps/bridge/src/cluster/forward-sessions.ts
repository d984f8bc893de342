import type { ServerResponse } from "node:http";
import { StringDecoder } from "node:string_decoder";
import type { Cluster, Operations } from "@ccbridge/cluster";
import { createId } from "@ccbridge/registry";
import type { FastifyInstance, FastifyRequest, preHandlerAsyncHookHandler } from "fastify";
import { SESSION_GONE } from "../http/errors.js";

/** Which bridge a session is on is the first part of its id. */
const SEPARATOR = ".";
/** A stream of a session lasts for as long as its client; whether the other bridge lives is asked all the time. */
const STREAM_MS = 86_400_000;
const PART_MS = 60_000;

export function sessionPrefix(bridge: string): string {
  return bridge + SEPARATOR;
}

interface Forwarded {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly address: string;
}

interface Part {
  readonly id: string;
  readonly head?: { readonly status: number; readonly headers: Record<string, string | string[]> };
  readonly text?: string;
}

/** Headers of the first connection that mean nothing on the second. */
const ownHeaders =
  /^(connection|content-length|transfer-encoding|keep-alive|forwarded|x-forwarded-.*|x-real-ip)$/;

/**
 * Requests of sessions that another bridge has, so that a load balancer need not know of sessions. The other bridge
 * checks the token again.
 */
export class SessionForwarding {
  readonly #cluster: Cluster;
  readonly #open = new Map<string, ServerResponse>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Forwards what belongs to a session elsewhere. That of a bridge that is gone is answered with a 404 here. */
  readonly hook: preHandlerAsyncHookHandler = async (request, reply) => {
    const [bridge, rest] = sessionOf(request)?.split(SEPARATOR) ?? [];
    if (bridge === undefined || rest === undefined || bridge === this.#cluster.id) return;
    if (this.#cluster.directory.member(bridge) === undefined) return;
    reply.hijack();
    const response = reply.raw;
    const id = createId();
    const stop = new AbortController();
    this.#open.set(id, response);
    response.on("error", () => {});
    response.on("close", () => {
      this.#open.delete(id);
      stop.abort();
    });
    const args = forwardedOf(id, request);
    try {
      await this.#cluster.call(bridge, "mcp.forward", args, {
        timeoutMs: STREAM_MS,
        signal: stop.signal,
      });
      response.end();
    } catch {
      if (response.headersSent) response.destroy();
      else response.writeHead(404, { "Content-Type": "application/json" }).end(GONE);
    }
  };

  operations(app: () => FastifyInstance): Operations {
    return {
      "mcp.forward": (args: Forwarded, { from, signal }) => this.#serve(app(), args, from, signal),
      "mcp.part": (part: Part) => this.#write(part),
    };
  }

  async #serve(
    app: FastifyInstance,
    { id, method, url, headers, body, address }: Forwarded,
    from: string,
    signal: AbortSignal,
  ): Promise<void> {
    const send = async (part: Omit<Part, "id">) => {
      const isRead = await this.#cluster.call(
        from,
        "mcp.part",
        { id, ...part },
        { timeoutMs: PART_MS },
      );
      if (isRead === false) throw new Error("the client is gone");
    };
    const response = await app.inject({
      method: method as "POST",
      url,
      headers,
      remoteAddress: address,
      payloadAsStream: true,
      ...(body === undefined ? {} : { payload: body }),
    });
    const raw = response.raw.res as ServerResponse;
    const stop = () => raw.destroy();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const kept = Object.entries(response.headers).filter(([name]) => !ownHeaders.test(name));
      const head = { status: response.statusCode, headers: Object.fromEntries(kept) };
      await send({ head: head as Required<Part>["head"] });
      const decoder = new StringDecoder("utf8");
      for await (const chunk of response.stream()) {
        const text = decoder.write(chunk as Buffer);
        if (text !== "") await send({ text });
      }
    } catch {
      // The client, or this response, is gone.
    } finally {
      signal.removeEventListener("abort", stop);
      stop();
    }
  }

  async #write({ id, head, text }: Part): Promise<boolean> {
    const response = this.#open.get(id);
    if (response === undefined || response.destroyed) return false;
    if (head !== undefined) response.writeHead(head.status, head.headers).flushHeaders();
    if (text !== undefined && !response.write(text)) {
      await new Promise<void>((resolve) => {
        response.once("drain", resolve);
        response.once("close", resolve);
      });
    }
    return true;
  }
}

const GONE = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32001, message: SESSION_GONE },
});

function sessionOf({ headers, query, url }: FastifyRequest): string | undefined {
  const id = headers["mcp-session-id"];
  if (typeof id === "string") return id;
  const { sessionId } = query as { sessionId?: unknown };
  return url.startsWith("/mcp/messages") && typeof sessionId === "string" ? sessionId : undefined;
}

function forwardedOf(id: string, request: FastifyRequest): Forwarded {
  const { method, url, body, ip: address } = request;
  const headers = Object.entries(request.headers).flatMap(([name, value]) =>
    ownHeaders.test(name) || value === undefined ? [] : [[name, String(value)]],
  );
  return {
    ...{ id, method, url, address },
    headers: Object.fromEntries(headers),
    body: typeof body === "string" && body !== "" ? body : undefined,
  };
}
