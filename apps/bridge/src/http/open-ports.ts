import type { FastifyInstance } from "fastify";
import { type ListenerPlan, planListeners, type Side } from "../config/listeners.js";
import type { Config } from "../config/settings.js";
import { type Listener, listenAll } from "./listen.js";

/** The ports that a bridge listens on. */
export interface Ports {
  mcpPort: number;
  linkPort: number;
  /** Undefined when no page may connect. */
  pagesPort: number | undefined;
  /** The port for Minecraft servers alone; undefined when there is none. */
  minecraftPort: number | undefined;
}

/** Starts the listeners that the configuration plans, then those of added kinds. */
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
