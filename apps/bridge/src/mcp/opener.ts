import type { FastifyRequest } from "fastify";
import { requestCredential } from "../http/credentials.js";
import type { Opener } from "./sessions.js";
import type { ClientFacts } from "./transport/session-transport.js";

/** Who opens a session with a request, and what it wants to see. */
export function openerOf(request: FastifyRequest): Opener {
  const { session, sessionId } = request.query as Record<string, string | string[] | undefined>;
  const [pageSession] = [session, sessionId].flat().filter((id) => id !== undefined && id !== "");
  return { address: request.ip, credential: requestCredential(request), pageSession };
}

/** What decides which part of everything a client sees, with a session or without. */
export function factsOf({ pageSession }: Opener): ClientFacts {
  return { pageSession };
}
