// Loaded into a bridge before it starts: writes the names of the modules of NATS that it loads.
import { register } from "node:module";

const hooks = `export async function resolve(name, context, next) {
  if (name.startsWith("@nats-io/")) process._rawDebug("loaded " + name);
  return next(name, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
