import { builtInKinds, type Kind, Kinds, type Tool } from "@ccbridge/mcp-tools";
import type { Dialect, Registry } from "@ccbridge/registry";
import type { Logger } from "../monitor/log.js";

export interface LinkedKind extends Kind {
  dialect(host: KindHost): Dialect;
  listen?(host: KindHost): Promise<KindListener>;
}

export interface KindHost {
  readonly registry: Registry;
  readonly log: Logger;
}

export interface KindListener {
  close(): Promise<void>;
}

export function kindsWith(added: readonly LinkedKind[]): Kinds {
  return new Kinds([...builtInKinds, ...added]);
}

export function toolsOf(kinds: readonly Kind[]): Tool[] {
  return kinds.flatMap((kind) => Object.values(kind.tools).flat());
}

export function addKinds(kinds: readonly LinkedKind[], host: KindHost) {
  for (const kind of kinds) host.registry.add(kind.dialect(host));
  const listeners: KindListener[] = [];
  return {
    async listen(): Promise<void> {
      for (const kind of kinds) {
        const listener = await kind.listen?.(host);
        if (listener !== undefined) listeners.push(listener);
      }
    },
    async close(): Promise<void> {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}
