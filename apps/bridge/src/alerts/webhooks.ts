import { lookup } from "node:dns/promises";
import { request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { wellFormedJson } from "@ccbridge/protocol";
import { isPublicAddress } from "./public-address.js";

const TIMEOUT_MS = 10_000;

export interface Post {
  readonly time: number;
  readonly title: string;
  readonly text: string;
}

export interface WebhookOptions {
  /** Hosts, each with its port unless it is 443, or behind `http://` where there is no TLS. */
  readonly hosts: readonly string[];
  /** All addresses of a name. @default the system's resolver */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** @default isPublicAddress */
  readonly isAllowed?: (address: string) => boolean;
}

/** Posts to hosts that the owner allows, and never to an address inside the network. */
export class Webhooks {
  readonly #options: Required<WebhookOptions>;

  constructor({
    hosts,
    resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    isAllowed = isPublicAddress,
  }: WebhookOptions) {
    this.#options = { hosts, resolve, isAllowed };
  }

  /** Why nothing may be posted there; undefined if it may. */
  problem(text: string): string | undefined {
    if (!URL.canParse(text)) return "The webhook is not a URL.";
    const url = new URL(text);
    const { hosts } = this.#options;
    if (url.username !== "" || url.password !== "") return "The webhook must not name a user.";
    const name = url.protocol === "https:" ? url.host : url.origin;
    if (hosts.includes(name.toLowerCase())) return undefined;
    if (url.protocol !== "https:") return "The webhook must begin with https://.";
    return hosts.length === 0
      ? "This bridge allows no webhooks: its owner can allow hosts with ALERT_WEBHOOK_HOSTS."
      : `This bridge allows webhooks at ${hosts.join(", ")}, not at ${url.host}.`;
  }

  /** Resolves with the reason if it was not accepted. Follows no redirect. */
  async post(text: string, post: Post, timeoutMs = TIMEOUT_MS): Promise<string | undefined> {
    const problem = this.problem(text);
    if (problem !== undefined) return problem;
    const url = new URL(text);
    const { body, headers } = bodyFor(url, post);
    try {
      const status = await this.#send(url, body, { headers, timeoutMs });
      return status >= 200 && status < 300 ? undefined : `${url.host} answered ${status}`;
    } catch (error) {
      return `${url.host}: ${(error as Error).message}`;
    }
  }

  async #send(
    url: URL,
    body: string,
    { headers, timeoutMs }: { headers: Record<string, string>; timeoutMs: number },
  ): Promise<number> {
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !this.#options.isAllowed(host)) throw new Error(NOT_PUBLIC);
    const options: RequestOptions = {
      method: "POST",
      headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
      lookup: this.#lookup,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    };
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = send(url, options, (response) => {
        resolve(response.statusCode ?? 0);
        // What it says is of no interest, however long it is.
        response.destroy();
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** The address that was checked is the one that is connected to: a second lookup could give another. */
  readonly #lookup: LookupFunction = (host, options, done) => {
    const { resolve, isAllowed } = this.#options;
    void resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) return done(new Error("it has no address"), "", 0);
        if (!addresses.every(isAllowed)) return done(new Error(NOT_PUBLIC), "", 0);
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all === true) done(null, all);
        else done(null, first, isIP(first));
      },
      (error: Error) => done(error, "", 0),
    );
  };
}

const NOT_PUBLIC = "it has an address inside the network, where alerts are never sent";

/** ntfy shows the body unchanged, Discord wants a field; others get the facts. */
function bodyFor(
  { hostname }: URL,
  { time, title, text }: Post,
): { body: string; headers: Record<string, string> } {
  const json = { "content-type": "application/json" };
  if (/(^|\.)discord(app)?\.com$/.test(hostname)) {
    const content = `**${title}** ${text}`.slice(0, 2_000);
    // A player's @everyone must not reach anyone.
    return { body: wellFormedJson({ content, allowed_mentions: { parse: [] } }), headers: json };
  }
  if (/^ntfy\./.test(hostname)) {
    return { body: text, headers: { "content-type": "text/plain; charset=utf-8", title } };
  }
  const facts = { time: new Date(time).toISOString(), title, text };
  return { body: wellFormedJson(facts), headers: json };
}
