import type { FastifyInstance } from "fastify";
import { type ListenerPlan, planListeners, type Side } from "../config/listeners.js";
import type { Config } from "../config/settings.js";
import { type Listener, listenAll } from "./listen.js";

export interface Ports {
  mcpPort: number;
  linkPort: number;
  /** Undefined when no page may connect. */
  pagesPort: number | undefined;
  minecraftPort: number | undefined;
}

export async function openPorts(
  config: Config,
  apps: Record<Side, FastifyInstance | undefined>,
  added: { listen(): Promise<void> },
): Promise<Ports> {
  const listeners = planListeners(config)
    .map((plan) => ({ ...plan, app: apps[plan.side] }))
    .filter((listener): listener is ListenerPlan & Listener => listener.app !== undefined);
  const listening = await listenAll(listeners);
  await added.listen();
  const ports = Object.fromEntries(listeners.map(({ name }, index) => [name, listening[index]]));
  const { mcpPort = config.mcpPort, linkPort = config.linkPort, pagesPort, minecraftPort } = ports;
  return { mcpPort, linkPort, pagesPort, minecraftPort };
}
