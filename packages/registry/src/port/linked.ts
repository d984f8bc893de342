import type { Dialect, Sees } from "../dialect.js";
import { LinkError, LinkErrorCode } from "../errors.js";
import type { Registry } from "../registry.js";
import type { Session } from "../session.js";

/** The session of a provider that is linked, as far as somebody sees it. Throws a {@link LinkError}. */
export function linkedSession(registry: Registry, key: string, sees: Sees): Session {
  const session = registry.session(key);
  if (session !== undefined && sees(session.provider)) return session;
  throw new LinkError(LinkErrorCode.notLinked, "The provider is no longer linked.");
}

/** The dialect of a kind. Throws a {@link LinkError} when nobody of that kind can link here. */
export function dialectOf(registry: Registry, kind: string): Dialect {
  const dialect = registry.dialect(kind);
  if (dialect !== undefined) return dialect;
  throw new LinkError(
    LinkErrorCode.notLinked,
    `This bridge does not link providers of kind "${kind}".`,
  );
}
