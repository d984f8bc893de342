import { readAddress } from "@ccbridge/protocol/btcp";
import { type PageOpening, printable } from "@ccbridge/registry";
import type { FastifyRequest } from "fastify";
import type { Clients } from "../auth/clients.js";
import type { GuessLimiter } from "../auth/guess-limiter.js";
import { TokenCheck } from "../auth/tokens.js";
import { HostCheck, reachableAddresses } from "../config/addresses.js";
import type { Config } from "../config/settings.js";
import { TOO_MANY_GUESSES } from "../http/errors.js";
import { isLocal } from "../http/forwarding.js";
import { AgentAdmission, type AgentOpening } from "./agent-admission.js";

export type PageDecision =
  | { ok: true; endpoint: "ws" | "events" | "message"; opening: PageOpening }
  | { ok: true; endpoint: "agent"; agent: AgentOpening }
  /** Browsers show a page nothing about a refused upgrade; programs see the status. */
  | { ok: false; status: number; message: string; isProgram?: true };

export interface PageAdmissionOptions {
  config: Config;
  guesses: GuessLimiter;
  clients: Clients;
  onAgentRefused(address: string): void;
}

/**
 * Decides which pages may connect. Browsers let any site open a WebSocket to this machine, so the
 * Origin, which scripts cannot forge, must be listed exactly, or a token is needed. Programs send
 * no Origin: without a token they must be on this machine.
 */
export class PageAdmission {
  readonly #origins: ReadonlySet<string>;
  readonly #tokens: TokenCheck;
  readonly #hosts: HostCheck;
  readonly #guesses: GuessLimiter;
  readonly #config: Config;
  readonly #agents: AgentAdmission;

  constructor({ config, guesses, clients, onAgentRefused }: PageAdmissionOptions) {
    this.#origins = new Set(config.pagesOrigins);
    this.#tokens = new TokenCheck(config.pagesTokens);
    // DNS rebinding would make a foreign page look like one of this listener.
    this.#hosts = new HostCheck([
      "localhost",
      "127.0.0.1",
      "::1",
      ...reachableAddresses(config.pagesHost),
      ...(this.#tokens.required ? ["*"] : []),
    ]);
    this.#guesses = guesses;
    this.#config = config;
    this.#agents = new AgentAdmission({
      ...{ config, guesses, clients, hosts: this.#hosts },
      onRefused: onAgentRefused,
    });
  }

  isListed(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  decide(request: FastifyRequest): PageDecision {
    const { headers } = request;
    const header = headers["x-session-id"];
    const read = readAddress(request.raw.url ?? "/", Array.isArray(header) ? header[0] : header);
    if (!read.ok) return refused(read.status, read.reason);
    const { endpoint, sessionId, token, name, tab } = read.address;
    if (endpoint === "agent") {
      const agent = this.#agents.decide(request, read.address);
      if ("client" in agent) return { ok: true, endpoint, agent };
      return { ok: false, isProgram: true, ...agent };
    }
    const problem = this.#problem(request, token);
    if (problem !== undefined) return problem;
    const opening = { session: sessionId, site: headers.origin, name, tab };
    return { ok: true, endpoint, opening };
  }

  #problem(request: FastifyRequest, token: string | undefined): PageDecision | undefined {
    const { ip } = request;
    const { origin, host } = request.headers;
    if (this.isListed(origin)) return undefined;
    if (this.#tokens.required && token !== undefined && origin !== "null") {
      if (this.#guesses.waitMs(ip, token) > 0) {
        return refused(429, TOO_MANY_GUESSES);
      }
      if (this.#tokens.accepts(token)) {
        this.#guesses.passed(ip, token);
        return undefined;
      }
      this.#guesses.failed(ip);
      return refused(401, "This token is not one of CC_PAGES_TOKENS.");
    }
    if (origin !== undefined) return refused(403, unlisted(origin));
    if (this.#tokens.required) return refused(401, "This bridge requires one of CC_PAGES_TOKENS.");
    if (!this.#hosts.accepts(host)) {
      return refused(403, "This Host is not allowed: use an address of the machine.");
    }
    if (isLocal(request, this.#config)) return undefined;
    return refused(403, "Programs on other machines need a token: set CC_PAGES_TOKENS.");
  }
}

function unlisted(origin: string): string {
  const shown = printable(origin).slice(0, 200);
  if (shown === "null") {
    return "Pages without an origin (files, sandboxed frames) may not connect. Serve the page by HTTP.";
  }
  return (
    `Pages of ${shown} may not connect to this bridge. ` +
    `Add ${shown} to CC_PAGES_ORIGINS, or start it with --pages ${shown}`
  );
}

function refused(status: number, message: string): PageDecision & { ok: false } {
  return { ok: false, status, message };
}
