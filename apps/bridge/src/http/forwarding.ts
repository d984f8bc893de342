import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressKey, isLoopback, proxyTrust } from "../config/addresses.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { type ConnectionCaps, tooManyConnections } from "./connections.js";
import type { Refuse } from "./errors.js";

/** A proxy may send any of these without the others. */
const forwardingHeader =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*)$/;

/**
 * Whether a request comes from this machine, and not through a proxy on it. With trusted proxies no
 * request counts as local: one without a forwarding header may come from a misconfigured proxy.
 */
export function isLocal(
  { raw, headers }: FastifyRequest,
  { trustedProxies }: { readonly trustedProxies: readonly string[] },
): boolean {
  if (trustedProxies.length > 0 || !isLoopback(raw.socket.remoteAddress ?? "")) return false;
  for (const name in headers) if (forwardingHeader.test(name)) return false;
  return true;
}

/**
 * The address that an untrusted proxy claims to forward for. Each proxy appends, so only the last
 * entry can be from this proxy. Undefined for trusted proxies, whose claim already is the address
 * of the request.
 */
export function forwardedFor({ headers, ip, raw }: FastifyRequest): string | undefined {
  if (ip !== raw.socket.remoteAddress) return undefined;
  const list = String(
    headers["x-forwarded-for"] ?? headers.forwarded ?? headers["x-real-ip"] ?? "",
  );
  const last = list.slice(list.lastIndexOf(",") + 1);
  const [, bracketed, plain = ""] =
    /^(?:.*\bfor=)?"?(?:\[([\da-f:.]+)\](?::\d+)?|([\da-f:.]+))"?(?:;|$)/i.exec(last.trim()) ?? [];
  const address = bracketed ?? plain.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
  return isIP(address) === 0 ? undefined : address;
}

/** The URL of the listener for this client: the public one, or else the one that it used. */
export function ownOrigin(request: FastifyRequest, publicUrl: string): string {
  if (publicUrl !== "") return publicUrl;
  return `${request.protocol === "https" ? "https" : "http"}://${request.headers.host}`;
}

export function isOwnOrigin({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  return origin === `http://${host}` || origin === `https://${host}` || origin === publicUrl;
}

/**
 * Bounds requests through trusted proxies by the forwarded address: their connections all have the
 * proxy's address, and a proxy holds one for each open request and WebSocket.
 */
export function capForwarded(
  app: FastifyInstance,
  { perAddress, setting, trustedProxies }: ConnectionCaps,
  { refuse, log }: { refuse: Refuse; log: PeerLog },
): void {
  if (trustedProxies.length === 0) return;
  const isProxy = proxyTrust(trustedProxies);
  const open = new Map<string, number>();
  app.addHook("onRequest", async (request, reply) => {
    const { remoteAddress: proxy = "" } = request.raw.socket;
    if (!isProxy(proxy)) return;
    if (isIP(request.ip) === 0) {
      log.warn({ address: proxy }, "request refused: the proxy forwards no valid address");
      const message =
        "The X-Forwarded-For of the proxy must be the address of its client, without a port.";
      return refuse(reply, 400, message);
    }
    const address = addressKey(request.ip);
    const count = (open.get(address) ?? 0) + 1;
    if (count > perAddress) {
      log.warn({ address, setting }, "request refused: too many from one address");
      reply.header("Retry-After", "30");
      return refuse(reply, 503, tooManyConnections(perAddress, setting));
    }
    open.set(address, count);
    // The response of an upgrade is never written, and so never closes.
    const held = request.ws ? request.raw.socket : reply.raw;
    held.once("close", () => {
      const rest = (open.get(address) ?? 1) - 1;
      if (rest === 0) open.delete(address);
      else open.set(address, rest);
    });
  });
}
