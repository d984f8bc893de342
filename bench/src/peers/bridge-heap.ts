// An embedded bridge that reports its heap.
import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { answerHeap, report } from "../harness/ipc.js";

const bridge = await startBridge({
  config: {
    ...defaultConfig(),
    mcpPort: 0,
    linkHost: "127.0.0.1",
    linkPort: 0,
    maxLinks: Number(process.env.CC_MAX_LINKS),
    // All computers connect from one address.
    linkMaxPerAddress: 2 * Number(process.env.CC_MAX_LINKS),
  },
  log: silentLogger(),
  version: "0.0.0",
});
answerHeap();
report({ port: bridge.linkPort });
