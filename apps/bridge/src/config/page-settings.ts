import { isGrant, isSessionId } from "@ccbridge/protocol/btcp";
import { pagesDefaults } from "@ccbridge/registry";
import { duration, host, integer, list, port, setting, text, tokens } from "./setting.js";

/** Capabilities that the owner of the bridge grants in the settings. Undefined means any. */
export interface ConfiguredGrants {
  session: string | undefined;
  site: string | undefined;
  grants: string[];
}

/**
 * Parses `https://shop.example=dom:write+clipboard:read` for a site, `demo@*=dom:*` for a session.
 * Undefined when invalid.
 */
export function readGrants(entry: string): ConfiguredGrants | undefined {
  const [, session, site, list] = /^(?:([^@=]+)@)?([^@=]+)=([^=]+)$/.exec(entry) ?? [];
  if (site === undefined || list === undefined) return undefined;
  const grants = list.split("+");
  if (!grants.every(isGrant)) return undefined;
  if (session !== undefined && session !== "*" && !isSessionId(session)) return undefined;
  if (site !== "*" && !/^[a-z][a-z0-9+.-]*:\/\/[^/]+$/.test(site)) return undefined;
  return { session: anyOf(session), site: anyOf(site), grants };
}

function anyOf(value: string | undefined): string | undefined {
  return value === "*" ? undefined : value;
}

export function grantsFor(
  entries: readonly ConfiguredGrants[],
  session: string | undefined,
  site: string | undefined,
): string[] {
  return entries
    .filter((entry) => entry.session === undefined || entry.session === session)
    .filter((entry) => entry.site === undefined || entry.site === site)
    .flatMap((entry) => entry.grants);
}

/** Origins are compared in the browsers' spelling, so the form matters; any page can have the origin `null`. */
const pageOrigins = list
  .transform((items) => items.map(writtenOrigin))
  .refine((items) => items.every(isPageOrigin), {
    message: "must be origins such as http://localhost:5173, separated by commas",
  });

const grants = list.refine((items) => items.every((item) => readGrants(item) !== undefined), {
  message: "must be such as http://localhost:5173=dom:write+clipboard:read, separated by commas",
});

export const pageSettings = {
  pagesHost: setting(
    "CC_PAGES_HOST",
    host,
    "127.0.0.1",
    "host",
    "Address on which web pages connect.",
  ),
  pagesPort: setting(
    "CC_PAGES_PORT",
    port,
    8_765,
    "port",
    "Port on which web pages connect. It is open only if origins or tokens for pages are set.",
  ),
  pagesOrigins: setting(
    "CC_PAGES_ORIGINS",
    pageOrigins,
    [] as string[],
    "origins",
    "Sites whose pages may offer tools (the Origin header), separated by commas. `--pages` for short.",
  ),
  pagesTokens: setting(
    "CC_PAGES_TOKENS",
    tokens,
    [] as string[],
    "tokens",
    "Tokens that let in pages of other sites and programs, separated by commas.",
  ),
  pagesTokensFile: setting(
    "CC_PAGES_TOKENS_FILE",
    text,
    "",
    "path",
    "File with more tokens, one per line; lines with # are comments.",
  ),
  pagesGrants: setting(
    "CC_PAGES_GRANTS",
    grants,
    [] as string[],
    "grants",
    "Capabilities of page tools that AI clients may use beyond harmless ones: site=capability+capability, or session@site=..., `*` for any.",
  ),
  maxPages: setting(
    "CC_PAGES_MAX",
    integer(1, 4_096),
    pagesDefaults.maxPages,
    "count",
    "Most web pages at once.",
    "A further page is refused with the reason and closed.",
  ),
  maxSessionPages: setting(
    "CC_PAGES_SESSION_MAX",
    integer(1, 4_096),
    pagesDefaults.maxSessionPages,
    "count",
    "Most web pages of one session at once.",
    "A further page is refused with the reason and closed.",
  ),
  pageMaxResultBytes: setting(
    "CC_PAGES_MAX_RESULT_BYTES",
    integer(65_536, 67_108_864),
    pagesDefaults.maxResultBytes,
    "bytes",
    "Largest answer of a page's tool.",
    "The call fails with the reason; the page's other calls continue.",
  ),
  pageSessionIdleMs: setting(
    "CC_PAGES_SESSION_IDLE_MS",
    duration,
    pagesDefaults.sessionIdleMs,
    "ms",
    "How long a session of pages is remembered after its last page closes.",
    "What a person granted to it is forgotten.",
  ),
  pageSessionTtlMs: setting(
    "CC_PAGES_SESSION_TTL_MS",
    duration,
    pagesDefaults.sessionTtlMs,
    "ms",
    "How long a person's grants last in an unused session.",
    "What a person granted to it is forgotten.",
  ),
  pageSession: setting(
    "BTCP_SESSION_ID",
    text.refine((id) => id === "" || isSessionId(id), {
      message: "must be 1 to 128 letters, digits and . _ ~ -",
    }),
    "",
    "id",
    "The session whose pages the client of `--stdio` sees, instead of the common session.",
  ),
} as const;

/** `HTTP://Example.org:80/` becomes `http://example.org`; other text is kept, and refused later. */
function writtenOrigin(item: string): string {
  if (!/^https?:\/\//i.test(item) || !URL.canParse(item)) return item;
  const { origin, pathname, search, hash } = new URL(item);
  return pathname === "/" && search === "" && hash === "" ? origin : item;
}

function isPageOrigin(item: string): boolean {
  if (/^[a-z]+-extension:\/\/[\w-]+$/.test(item)) return true;
  return /^https?:\/\//.test(item) && URL.canParse(item) && new URL(item).origin === item;
}
