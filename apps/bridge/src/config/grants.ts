import { isGrant, isSessionId } from "@ccbridge/protocol/btcp";

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
