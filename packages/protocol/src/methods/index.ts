import type { z } from "zod";
import { aboutMethods, linkMethods, offeredMethods, powerMethods } from "./agent.js";
import { eventsMethods } from "./events.js";
import { filesMethods } from "./files.js";
import { luaMethods } from "./lua.js";
import { peripheralsMethods } from "./peripherals.js";
import { screenMethods } from "./screen.js";
import { serverMethods } from "./server.js";
import { turtleMethods } from "./turtle.js";

export const methods = {
  ...linkMethods,
  ...luaMethods,
  ...aboutMethods,
  ...filesMethods,
  ...powerMethods,
  ...peripheralsMethods,
  ...turtleMethods,
  ...screenMethods,
  ...eventsMethods,
  ...offeredMethods,
  ...serverMethods,
} as const;

export type MethodName = keyof typeof methods;
export type MethodParams<M extends MethodName> = z.input<(typeof methods)[M]["params"]>;
export type MethodResult<M extends MethodName> = z.output<(typeof methods)[M]["result"]>;

const heartbeats: ReadonlySet<string> = new Set(
  Object.entries(methods).flatMap(([name, method]) => ("heartbeat" in method ? [name] : [])),
);

export function isHeartbeat(method: string): boolean {
  return heartbeats.has(method);
}
