import type { FastifyRequest } from "fastify";
import { requestCredential } from "../../auth/credentials.js";
import type { Client } from "../../auth/rights/client.js";
import type { ClientFacts } from "../server/session.js";
import type { Opener } from "./sessions.js";

export function openerOf(request: FastifyRequest): Opener {
  const { session, sessionId } = request.query as Record<string, string | string[] | undefined>;
  const [pageSession] = [session, sessionId].flat().filter((id) => id !== undefined && id !== "");
  const credential = requestCredential(request);
  return { address: request.ip, client: clientOf(request), credential, pageSession };
}

export function clientOf({ client }: FastifyRequest): Client {
  if (client === null) throw new Error("this route does not ask for a token");
  return client;
}

/** What a client sees depends on this, with a session or without. */
export function factsOf({ client, pageSession }: Opener): ClientFacts {
  return { client, pageSession };
}
