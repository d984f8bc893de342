export interface PageAddress {
  /** An agent calls tools; the others are for pages, which offer them. */
  endpoint: "ws" | "events" | "message" | "agent";
  sessionId: string | undefined;
  token: string | undefined;
  /** What people call the page. */
  name: string | undefined;
  /** Identifies the tab that the page is in, over reloads. */
  tab: string | undefined;
}

const MAX_URL_LENGTH = 8_192;
const MAX_NAME_LENGTH = 80;
const pageEndpoints: ReadonlySet<string> = new Set(["ws", "events", "message"]);
const sessionIdPattern = /^[\w.~-]{1,128}$/;

export function isSessionId(id: string): boolean {
  return sessionIdPattern.test(id);
}

export type ReadAddress =
  | { ok: true; address: PageAddress }
  | { ok: false; status: 400 | 404; reason: string };

/**
 * Parses `/ws`, `//ws`, `/<token>/ws`, `/events`, `//message`, and so on; `/` and `/<token>` are an agent's. Tokens may
 * be in the path because not every client keeps a query.
 */
export function readAddress(target: string, sessionHeader?: string): ReadAddress {
  if (target.length > MAX_URL_LENGTH)
    return { ok: false, status: 400, reason: "The URL is too long." };
  const at = target.indexOf("?");
  const path = at < 0 ? target : target.slice(0, at);
  const query = new URLSearchParams(at < 0 ? "" : target.slice(at + 1));
  const parts = path.split("/").filter((part) => part !== "");
  const endpoint = takeEndpoint(parts, query.get("clientType"));
  if (endpoint === undefined) {
    return { ok: false, status: 404, reason: "Pages connect to /ws, or to /events and /message." };
  }
  const sessionId = firstOf(query.get("sessionId"), query.get("session"), sessionHeader);
  if (sessionId !== undefined && !isSessionId(sessionId)) {
    const reason = "A session id is 1 to 128 letters, digits and . _ ~ -";
    return { ok: false, status: 400, reason };
  }
  const token = firstOf(query.get("token"), decoded(parts.pop()));
  const name = firstOf(query.get("name"))?.slice(0, MAX_NAME_LENGTH);
  const tab = firstOf(query.get("tab"));
  if (tab !== undefined && !isSessionId(tab)) {
    const reason = "A tab id is 1 to 128 letters, digits and . _ ~ -";
    return { ok: false, status: 400, reason };
  }
  return { ok: true, address: { endpoint, sessionId, token, name, tab } };
}

function takeEndpoint(
  parts: string[],
  clientType: string | null,
): PageAddress["endpoint"] | undefined {
  const last = parts.at(-1) ?? "";
  if (pageEndpoints.has(last)) {
    parts.pop();
    return last === "ws" && clientType === "agent" ? "agent" : (last as PageAddress["endpoint"]);
  }
  return parts.length <= 1 ? "agent" : undefined;
}

function firstOf(...values: (string | null | undefined)[]): string | undefined {
  return values.find((value) => value !== null && value !== undefined && value !== "") ?? undefined;
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
