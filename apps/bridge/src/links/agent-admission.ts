import type { PageAddress } from "@ccbridge/protocol/btcp";
import type { FastifyRequest } from "fastify";
import type { Clients } from "../auth/clients.js";
import type { GuessLimiter } from "../auth/guess-limiter.js";
import type { Client } from "../auth/rights/client.js";
import { bearerToken } from "../auth/tokens.js";
import type { HostCheck } from "../config/addresses.js";
import type { Config } from "../config/settings.js";
import { TOO_MANY_GUESSES } from "../http/errors.js";
import { isLocal } from "../http/forwarding.js";

/** An agent that may call the tools of pages, with the rights of its token. */
export interface AgentOpening {
  readonly client: Client;
  readonly credential: string | undefined;
  readonly session: string | undefined;
}

export interface AgentAdmissionOptions {
  config: Config;
  clients: Clients;
  guesses: GuessLimiter;
  hosts: HostCheck;
  onRefused(address: string): void;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Decides which agents may connect to the port for pages: programs with the token of a client. */
export class AgentAdmission {
  readonly #options: AgentAdmissionOptions;

  constructor(options: AgentAdmissionOptions) {
    this.#options = options;
  }

  decide(request: FastifyRequest, { token, sessionId }: PageAddress): AgentOpening | Refusal {
    const { config, clients, guesses, hosts } = this.#options;
    const { ip } = request;
    const { origin, host, authorization } = request.headers;
    if (!request.ws) return refused(404, "Pages connect to /ws, or to /events and /message.");
    // The pages that offer tools must not become clients that call those of others.
    if (origin !== undefined)
      return refused(403, "Pages connect to /ws. Only programs call tools.");
    const credential = bearerToken(authorization) ?? token;
    if (!clients.required) {
      if (hosts.accepts(host) && isLocal(request, config))
        return this.#opening(undefined, sessionId);
      return refused(403, "Agents on other machines need a token: set MCP_TOKENS.");
    }
    if (credential === undefined) {
      return refused(401, "Agents need one of MCP_TOKENS: ws://<host>:<port>/<token>");
    }
    if (guesses.waitMs(ip, credential) > 0) return refused(429, TOO_MANY_GUESSES);
    const opening = this.#opening(credential, sessionId);
    if ("client" in opening) guesses.passed(ip, credential);
    else {
      guesses.failed(ip);
      this.#options.onRefused(ip);
    }
    return opening;
  }

  #opening(credential: string | undefined, session: string | undefined): AgentOpening | Refusal {
    const client = this.#options.clients.find(credential);
    if (client === undefined) return refused(401, "This token is not one of MCP_TOKENS.");
    return { client, credential, session };
  }
}

function refused(status: number, message: string): Refusal {
  return { status, message };
}
