import type { Dialect, Sees } from "./dialect.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import type { Registry } from "./registry.js";
import type { Session } from "./session.js";

/** The session of a provider that is linked, as far as somebody sees it. Throws a {@link LinkError}. */
export function linkedSession(registry: Registry, key: string, sees: Sees): Session {
  checkOpen(registry);
  const session = registry.session(key);
  if (session !== undefined && sees(session.provider)) return session;
  throw new LinkError(LinkErrorCode.notLinked, "The provider is no longer linked.");
}

/** Throws a {@link LinkError} when the bridge stops: then nothing is linked, but for another reason. */
export function checkOpen({ isClosed }: Registry): void {
  if (isClosed) throw new LinkError(LinkErrorCode.shuttingDown, "The bridge is shutting down.");
}

/** Waits until a provider links, for a time. */
export function nextLink({ changes }: Registry, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    const stop = changes.subscribe(finish, { topics: ["linked"] });
  });
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
