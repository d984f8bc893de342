import { LinkError, LinkErrorCode } from "./errors.js";
import type { ProviderPort } from "./port.js";
import type { Provider } from "./provider.js";
import type { Registry } from "./registry.js";

/** A port that shows the providers of one scope, and those without any. */
export function scopePort(port: ProviderPort, registry: Registry, scope: string): ProviderPort {
  const isShown = (provider: Provider | undefined) =>
    provider?.scope === undefined || provider.scope === scope;
  const check = (key: string) => {
    if (isShown(registry.session(key)?.provider)) return;
    throw new LinkError(LinkErrorCode.notLinked, "The provider is not linked any more.");
  };
  return {
    ...port,
    scope,
    async request(key, method, params, options) {
      check(key);
      return port.request(key, method, params, options);
    },
    jobs: {
      ...port.jobs,
      async start(key, order) {
        check(key);
        return port.jobs.start(key, order);
      },
    },
    offered: {
      list: async () =>
        (await port.offered.list()).filter(({ key }) => isShown(registry.session(key)?.provider)),
    },
    changes: {
      subscribe: (listener) =>
        port.changes.subscribe((change) => {
          if (isShown(change.identity)) listener(change);
        }),
    },
  };
}
