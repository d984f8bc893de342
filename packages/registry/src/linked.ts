import type { Dialect, Sees } from "./dialect.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import type { ProviderSelector } from "./port.js";
import type { Registry } from "./registry.js";
import type { ProviderSession } from "./session.js";

/** The session of a linked provider. Throws a {@link LinkError}. */
export function linkedSession(registry: Registry, key: string): ProviderSession {
  checkOpen(registry);
  const session = registry.session(key);
  if (session === undefined) throw notLinkedError();
  return session;
}

export function notLinkedError(): LinkError {
  return new LinkError(LinkErrorCode.notLinked, "The provider is no longer linked.");
}

/** Throws a {@link LinkError} when the bridge stops: then nothing is linked, but for another reason. */
export function checkOpen({ isClosed }: Registry): void {
  if (isClosed) throw new LinkError(LinkErrorCode.shuttingDown, "The bridge is shutting down.");
}

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

/** The dialect of a kind. Throws a {@link LinkError} when this bridge does not link that kind. */
export function dialectOf(registry: Registry, kind: string): Dialect {
  const dialect = registry.dialect(kind);
  if (dialect !== undefined) return dialect;
  throw new LinkError(
    LinkErrorCode.notLinked,
    `This bridge does not link providers of kind "${kind}".`,
  );
}

const all: Sees = () => true;

export function candidatesOf({ without }: ProviderSelector): Sees {
  if (without === undefined) return all;
  const keys = new Set(without);
  return ({ key }) => !keys.has(key);
}
