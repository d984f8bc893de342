import { interleave, type Measure } from "../harness/measure.js";
import { program, startBridge, startServer, stop } from "../harness/processes.js";

const WARM_UP = 2;
const ROUNDS = 25;

export const startup: Measure = {
  id: "e",
  title: "start to first /health",
  unit: "ms",
  bound: { atMost: 1.1 },
  async run() {
    const sides = {
      bridge: async () => {
        const { child, startedInMs } = await startBridge();
        await stop(child);
        return { value: startedInMs };
      },
      floor: async () => {
        const { child, startedInMs } = await startServer(program("mcp-server"));
        await stop(child);
        return { value: startedInMs };
      },
    };
    await interleave(WARM_UP, sides);
    return interleave(ROUNDS, sides);
  },
};
