import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import type { FastifyReply, FastifyRequest } from "fastify";
import { limits } from "../config/limits.js";
import { refuse } from "../http/errors.js";
import { isOwnOrigin } from "../http/forwarding.js";
import type { HttpListener } from "../http/listener.js";
import type { SendPage } from "../mcp/landing.js";
import type { ViewerSockets, ViewerSocketsOptions } from "./socket/viewer-sockets.js";

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  readonly isHashed: boolean;
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

class PageFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(path: string): Promise<PageFile | undefined> {
    this.#files ??= readFiles(this.#folder);
    return (await this.#files).get(path);
  }
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.flatMap(async (entry) => {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join("/")}`;
    const bytes = await readFile(file);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const zipped = await promisify(gzip)(bytes);
    const isHashed = path.startsWith("/dashboard/");
    return [[path, { type, bytes, zipped, etag, isHashed }] as const];
  });
  return new Map((await Promise.all(files)).flat());
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface DashboardOptions extends ViewerSocketsOptions {
  readonly folder: string;
  readonly publicUrl: string;
}

export function registerDashboard(listener: HttpListener, options: DashboardOptions): SendPage {
  const { app } = listener;
  const files = new PageFiles(options.folder);
  app.get("/dashboard/*", async (request, reply) => {
    const { pathname } = new URL(request.url, "http://bridge");
    return sendFile(request, reply, await files.get(pathname));
  });

  // Loaded for the first viewer: many bridges never have one.
  let sockets: Promise<ViewerSockets> | undefined;
  const load = async () => {
    const { ViewerSockets } = await import("./socket/viewer-sockets.js");
    return new ViewerSockets(options);
  };
  app.route({
    method: "GET",
    url: DASHBOARD_PATH,
    onRequest: async (request, reply) => {
      // Browsers always send an Origin with a WebSocket handshake.
      if (!isOwnOrigin(request, options.publicUrl)) {
        return refuse(reply, 403, "Only the dashboard's own page may connect here.");
      }
    },
    handler: (_, reply) => refuse(reply, 426, "This is for the dashboard's page: a WebSocket."),
    wsHandler: async (socket, request) => {
      const peer = listener.accept(socket, request, { maxUnreadBytes: limits.dashboardUnread });
      // Nothing is read before there is a listener for it.
      peer.pause();
      sockets ??= load();
      (await sockets).open(peer, { address: request.ip, origin: request.headers.origin ?? "" });
      peer.resume();
    },
  });
  return async (request, reply) => sendFile(request, reply, await files.get("/index.html"));
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  file: PageFile | undefined,
): FastifyReply {
  if (file === undefined) return refuse(reply, 404, "The dashboard has no such file.");
  const { type, bytes, zipped, etag, isHashed } = file;
  reply
    .header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .header("Cross-Origin-Opener-Policy", "same-origin")
    .header("Cross-Origin-Resource-Policy", "same-origin")
    .header("Cache-Control", isHashed ? "public, max-age=31536000, immutable" : "no-cache")
    .header("Vary", "Accept, Accept-Encoding")
    .header("ETag", etag);
  if (headers["if-none-match"] === etag) return reply.code(304).send();
  const isZipped = /\bgzip\b/.test(String(headers["accept-encoding"] ?? ""));
  if (isZipped) reply.header("Content-Encoding", "gzip");
  return reply.type(type).send(isZipped ? zipped : bytes);
}
