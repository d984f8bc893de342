import { HttpClient } from "../harness/http-client.js";
import { McpClient } from "../harness/mcp-client.js";
import { interleave, type Measure } from "../harness/measure.js";
import { startBridge, startComputers, startProgram, stop } from "../harness/processes.js";
import { median, timeEach } from "../harness/stats.js";

const COMPUTERS = 1_000;
const WARM_UP = 40;
const LIVES = 3;
const ROUNDS = 30;
const PROBES = 3;

export const probe: Measure = {
  id: "c",
  title: `probe-computers, ${COMPUTERS} computers, p50`,
  unit: "ms",
  bound: { atMost: 1.3 },
  lives: LIVES,
  async run() {
    const bridge = await startBridge({ CC_PROBE_TIMEOUT_MS: "60000" });
    const floor = await startProgram("ws-server");
    const linked = [
      await startComputers(bridge.linkUrl, COMPUTERS),
      await startComputers(`ws://127.0.0.1:${floor.reported.port}`, COMPUTERS),
    ];
    const toBridge = await McpClient.connect(bridge.port);
    const toFloor = new HttpClient(floor.reported.port as number);

    const viaBridge = async () => complete(await toBridge.call("probe-computers", {}));
    const viaFloor = async () => complete((await toFloor.send("POST", "/", "{}")).body);
    for (const call of [viaBridge, viaFloor]) await timeEach(WARM_UP, call);
    const rounds = await interleave(ROUNDS, {
      bridge: async () => ({ value: median(await timeEach(PROBES, viaBridge)) }),
      floor: async () => ({ value: median(await timeEach(PROBES, viaFloor)) }),
    });

    await toBridge.close();
    toFloor.close();
    await stop(...linked, bridge.child, floor.child);
    return rounds;
  },
};

/** The bridge shows the first of them and counts the rest. */
function complete(body: string): void {
  const shown = body.split("pong from ").length - 1;
  const [, more] = /and (\d+) more answered/.exec(body) ?? [];
  const answered = shown + Number(more ?? 0);
  if (answered !== COMPUTERS) throw new Error(`${answered} answered: ${body.slice(0, 500)}`);
}
