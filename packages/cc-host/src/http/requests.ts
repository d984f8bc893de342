import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { gunzipSync, inflateSync } from "node:zlib";
import { numberArgument, stringArgument } from "../arguments.js";
import type { FileHandles } from "../fs/handles.js";
import { LuaExpression, toLiteral } from "../vm/literal.js";
import { type HostFunctions, LuaError, Results } from "../vm/lua-vm.js";
import {
  decodeHeaders,
  friendlyError,
  NetworkFailure,
  type NetworkHost,
  resolveHost,
  timeoutMs,
} from "./network.js";

const MAX_REDIRECTS = 16;
const MAX_PARALLEL = 16;
const MAX_QUEUED = 512;

interface Request {
  readonly url: string;
  readonly target: URL;
  readonly method: string;
  readonly body: string | undefined;
  readonly headers: Record<string, string>;
  readonly binary: boolean;
  readonly redirect: boolean;
  readonly limitMs: number;
}

interface Response {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function parseUrl(text: string): URL | string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return text.includes("://") ? "URL malformed" : "Must specify http or https";
  }
  const scheme = url.protocol.slice(0, -1);
  if (url.host === "") return "Must specify http or https";
  if (scheme !== "http" && scheme !== "https") return `Invalid protocol '${scheme}'`;
  return url;
}

function headersOf(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index] as string;
    const value = message.rawHeaders[index + 1] as string;
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  return headers;
}

function decompress(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(body);
  if (encoding === "deflate") return inflateSync(body);
  return body;
}

export class HttpRequests {
  readonly #host: NetworkHost;
  readonly #handles: FileHandles;
  readonly #running = new Set<ClientRequest>();
  readonly #waiting: Request[] = [];
  #active = 0;
  #generation = 0;

  constructor(host: NetworkHost, handles: FileHandles) {
    this.#host = host;
    this.#handles = handles;
  }

  get pending(): number {
    return this.#active + this.#waiting.length;
  }

  abortAll(): void {
    this.#generation++;
    this.#active = 0;
    this.#waiting.length = 0;
    for (const request of this.#running) request.destroy();
    this.#running.clear();
  }

  hostFunctions(): HostFunctions {
    return {
      "http.request": (url, body, headers, binary, method, redirect, timeout) => {
        const limitMs = timeoutMs(timeout === undefined ? undefined : numberArgument(timeout, 7));
        if (limitMs === undefined) throw new LuaError(`timeout out of range (${timeout})`);
        const text = stringArgument(url, 1);
        const target = parseUrl(text);
        if (typeof target === "string") return new Results(false, target);
        const bytes = body === undefined ? undefined : stringArgument(body, 2);
        return this.#submit({
          url: text,
          target,
          method: method === undefined ? (bytes === undefined ? "GET" : "POST") : String(method),
          body: bytes,
          headers: decodeHeaders(stringArgument(headers, 3)),
          binary: binary === true,
          redirect: redirect !== false,
          limitMs,
        });
      },
      "http.checkURL": (url) => this.#check(stringArgument(url, 1)),
    };
  }

  #check(text: string): Results {
    const url = parseUrl(text);
    if (typeof url === "string") return new Results(false, url);
    const generation = this.#generation;
    this.#active++;
    resolveHost(url, this.#host)
      .then(
        () => [true, undefined] as const,
        (error) => [false, friendlyError(error)] as const,
      )
      .then(([allowed, reason]) => {
        if (generation !== this.#generation) return;
        this.#active--;
        this.#host.queueEvent("http_check", text, allowed, reason);
        this.#host.changed();
      });
    return new Results(true);
  }

  #submit(request: Request): Results {
    if (this.#active >= MAX_PARALLEL) {
      if (this.#waiting.length >= MAX_QUEUED) throw new LuaError("Too many ongoing HTTP requests");
      this.#waiting.push(request);
    } else this.#run(request);
    return new Results(true);
  }

  #run(request: Request): void {
    const generation = this.#generation;
    this.#active++;
    this.#follow(request, request.target, 0)
      .then(
        (response) => () => this.#succeed(request, response),
        (error) => () => this.#host.queueEvent("http_failure", request.url, friendlyError(error)),
      )
      .then((report) => {
        if (generation !== this.#generation) return;
        this.#active--;
        report();
        const next = this.#waiting.shift();
        if (next !== undefined) this.#run(next);
        this.#host.changed();
      });
  }

  #succeed(request: Request, response: Response): void {
    const options = {
      binary: request.binary,
      readable: true,
      append: false,
      transcode: !this.#host.features.rawBytes,
    };
    const id = this.#handles.open({ read: () => response.body }, options);
    const methods = this.#handles.methods(options, false);
    const args = [id, response.status, response.message, response.headers, methods];
    const handle = new LuaExpression(`response(${args.map(toLiteral).join(",")})`);
    if (response.status < 400) this.#host.queueEvent("http_success", request.url, handle);
    else this.#host.queueEvent("http_failure", request.url, response.message, handle);
  }

  async #follow(request: Request, url: URL, redirects: number): Promise<Response> {
    const options = await resolveHost(url, this.#host);
    if (options.maxUpload !== 0 && (request.body?.length ?? 0) > options.maxUpload) {
      throw new NetworkFailure("Request body is too large");
    }
    const message = await this.#send(request, url);
    const location = message.headers.location;
    const status = message.statusCode ?? 0;
    const redirected = location !== undefined && status >= 300 && status < 400;
    // The last allowed redirect is returned as the response.
    if (redirected && request.redirect && redirects < MAX_REDIRECTS) {
      message.resume();
      return this.#follow(request, new URL(location, url), redirects + 1);
    }
    const body = await this.#body(message, options.maxDownload);
    return {
      status,
      message: message.statusMessage ?? "",
      headers: headersOf(message),
      body: decompress(body, message.headers["content-encoding"]).toString("latin1"),
    };
  }

  #send(request: Request, url: URL): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const start = url.protocol === "https:" ? httpsRequest : httpRequest;
      const body = request.body === undefined ? undefined : Buffer.from(request.body, "latin1");
      const client = start(url, {
        method: request.method,
        agent: false,
        timeout: request.limitMs,
        headers: {
          "User-Agent": `computercraft/${this.#host.version}`,
          "Accept-Charset": "UTF-8",
          "Accept-Encoding": "gzip",
          ...(body === undefined ? {} : { "Content-Length": String(body.length) }),
          ...request.headers,
        },
      });
      this.#running.add(client);
      client.on("close", () => this.#running.delete(client));
      client.on("timeout", () => client.destroy(new NetworkFailure("Timed out")));
      client.on("error", reject);
      client.on("response", resolve);
      client.end(body);
    });
  }

  #body(message: IncomingMessage, limit: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      message.on("data", (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (limit !== 0 && size > limit) {
          message.destroy();
          reject(new NetworkFailure("Response is too large"));
        }
      });
      message.on("end", () => resolve(Buffer.concat(chunks)));
      message.on("error", reject);
    });
  }
}
