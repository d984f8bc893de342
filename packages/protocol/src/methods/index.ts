import { z } from "zod";
import { lifeMethods } from "./life.js";
import { luaMethods } from "./lua.js";
import { peripheralsMethods } from "./peripherals.js";
import { turtleMethods } from "./turtle.js";

/** The requests that a bridge makes, by method name; each group of them has a file of its own. */
export const methods = {
  ping: { params: z.undefined(), result: z.unknown() },
  ...luaMethods,
  ...lifeMethods,
  ...peripheralsMethods,
  ...turtleMethods,
} as const;

export type MethodName = keyof typeof methods;
export type MethodParams<M extends MethodName> = z.input<(typeof methods)[M]["params"]>;
export type MethodResult<M extends MethodName> = z.output<(typeof methods)[M]["result"]>;
