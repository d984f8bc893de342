import type { FastifyInstance, FastifyRequest } from "fastify";
import { limits } from "../limits.js";
import { addressKey } from "../net/address-key.js";
import { refuse } from "./guard.js";

/** Shorter ones are bounded by the number of connections. */
const SHORT = 65_536;
/** A body that takes longer than this makes room for others. */
const SLOW_MS = 2_000;

/** A long body that has not come in whole yet. */
interface Coming {
  readonly address: string;
  readonly length: number;
  readonly since: number;
  end(): void;
}

/**
 * Bounds the bodies that are on their way, all together: each has a bound of its own, but hundreds of
 * clients may send half of one and wait. When there is no room, the slowest of the address that sends the
 * most is ended; without a slow one the new request is refused.
 */
export function limitBodies(app: FastifyInstance, bodyLimit: number): void {
  // Insertion order is the order in which they began.
  const coming = new Set<Coming>();
  let bytes = 0;
  const over = (body: Coming) => {
    if (coming.delete(body)) bytes -= body.length;
  };
  app.addHook("preParsing", (request, reply, payload, done) => {
    const length = Math.min(lengthOf(request, bodyLimit), bodyLimit);
    if (length <= SHORT) return done(null, payload);
    const now = performance.now();
    while (bytes + length > limits.bodyBytes) {
      const slow = slowest(coming, now);
      if (slow === undefined) {
        reply.header("Retry-After", "1");
        refuse(reply, 503, "Too many large requests are being received. Try again in a moment.");
        return;
      }
      over(slow);
      slow.end();
    }
    const { raw } = request;
    const body = {
      address: addressKey(request.ip),
      length,
      since: now,
      end: () => void raw.destroy(),
    };
    coming.add(body);
    bytes += length;
    raw.once("end", () => over(body));
    raw.once("close", () => over(body));
    done(null, payload);
  });
}

/** How long a body says that it is; one that does not may be as long as any. */
function lengthOf({ headers }: FastifyRequest, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Number(headers["content-length"] ?? 0);
}

function slowest(coming: ReadonlySet<Coming>, now: number): Coming | undefined {
  const held = new Map<string, number>();
  for (const { address, length } of coming) held.set(address, (held.get(address) ?? 0) + length);
  const most = Math.max(...held.values());
  for (const body of coming) {
    if (now - body.since < SLOW_MS) return undefined;
    if (held.get(body.address) === most) return body;
  }
  return undefined;
}
