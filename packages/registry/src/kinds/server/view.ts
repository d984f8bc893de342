import type { ProviderPort, ProviderView } from "../../port.js";
import { isServer, MINECRAFT, type ServerProvider } from "./provider.js";

// The words of this dialect for those who look through a port.

export type ServerView = ProviderView<ServerProvider>;

/** Selects a server by its name, or the only one, for what takes providers of any kind. */
export function serverRef(ref: string | undefined) {
  return { kind: MINECRAFT, ref } as const;
}

/** The one server that a selector names. Rejects with a LinkError that names the candidates. */
export async function findServer(
  port: ProviderPort,
  name: string | undefined,
): Promise<ServerView> {
  const view = await port.find(serverRef(name));
  if (isServerView(view)) return view;
  throw new Error(`${view.name} was found among the servers`);
}

export async function linkedServers(port: ProviderPort): Promise<readonly ServerView[]> {
  return (await port.list(MINECRAFT)).filter(isServerView);
}

function isServerView(view: ProviderView): view is ServerView {
  return isServer(view.provider);
}
