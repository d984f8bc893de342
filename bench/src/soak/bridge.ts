// A bridge that the soak kills and starts again on the same ports: `soak-bridge.js <mcpPort> <linkPort>`.
import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { answerHeap, tell } from "../harness/ipc.js";

const [mcpPort, linkPort] = process.argv.slice(2).map(Number) as [number, number];
await startBridge({
  config: {
    ...defaultConfig(),
    mcpPort,
    linkHost: "127.0.0.1",
    linkPort,
    // What is kept of finished jobs by design must be full before the growth is measured.
    keepJobs: 2,
  },
  log: silentLogger(),
  version: "0.0.0",
});
answerHeap();
tell({ mcpPort });
