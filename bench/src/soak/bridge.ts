// Killed and restarted by the soak on the same ports: `soak-bridge.js <mcpPort> <linkPort>`.
import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { answerHeap, report } from "../harness/ipc.js";

const [mcpPort, linkPort] = process.argv.slice(2).map(Number) as [number, number];
await startBridge({
  config: {
    ...defaultConfig(),
    mcpPort,
    linkHost: "127.0.0.1",
    linkPort,
    // The job history must be full before growth is measured.
    keepJobs: 2,
  },
  log: silentLogger(),
  version: "0.0.0",
});
answerHeap();
report({ mcpPort });
