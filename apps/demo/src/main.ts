// Runs in a worker thread of a bridge that was started with --demo, and knows it only by its addresses.
import { workerData } from "node:worker_threads";
import { buildBase } from "./base.js";
import { replayModel } from "./model.js";
import { runServer } from "./server.js";

export interface DemoAddresses {
  readonly mcpUrl: string;
  readonly linkUrl: string;
  readonly serverToken: string;
}

const addresses = workerData as DemoAddresses;
const base = await buildBase(addresses.linkUrl);
runServer(addresses);
await replayModel(addresses.mcpUrl, () => base.leave());
