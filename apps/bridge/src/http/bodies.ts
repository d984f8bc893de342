import type { FastifyInstance, FastifyRequest } from "fastify";
import { addressKey } from "./address-key.js";
import { type IncomingBudget, UNCOUNTED_BYTES } from "./incoming.js";
import type { Refuse } from "./refusals.js";

const SLOW_MS = 2_000;

/** Counts request bodies while they arrive; beyond the budget requests are refused. */
export function limitBodies(
  app: FastifyInstance,
  incoming: IncomingBudget,
  { bodyLimit, refuse }: { bodyLimit: number; refuse: Refuse },
): void {
  app.addHook("preParsing", (request, reply, payload, done) => {
    const length = Math.min(declaredLength(request, bodyLimit), bodyLimit);
    if (length <= UNCOUNTED_BYTES) return done(null, payload);
    const { raw, ip } = request;
    const body = { address: addressKey(ip), drop: () => void raw.destroy() };
    incoming.set(body, length);
    if (!incoming.shed(SLOW_MS)) {
      incoming.release(body);
      reply.header("Retry-After", "1");
      refuse(reply, 503, "Too many large requests are being received. Try again in a moment.");
      return;
    }
    raw.once("end", () => incoming.release(body));
    raw.once("close", () => incoming.release(body));
    done(null, payload);
  });
}

function declaredLength({ headers }: FastifyRequest, bodyLimit: number): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimit;
  return Number(headers["content-length"] ?? 0);
}
