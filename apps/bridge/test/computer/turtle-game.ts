import type { PlacedComputerOptions, TurtleOptions } from "@ccbridge/cc-host";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { atPrompt, forComputer, isLinked, linkGameComputer, startWorld } from "./helpers.js";

interface Place {
  position: { x: number; y: number; z: number } | null;
  facing: string | null;
  certain: boolean;
  note?: string;
}

export async function game(turtle: TurtleOptions = {}, options: PlacedComputerOptions = {}) {
  const bridge = await startTestBridge({ cancelGraceMs: 20_000 });
  const world = await startWorld({ time: "driven" });
  const computer = await linkGameComputer(bridge, world, { kind: "turtle", turtle, ...options });
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    let result: Awaited<ReturnType<typeof callTool>> | undefined;
    const calling = callTool(client, name, forComputer(name, args)).then((answer) => {
      result = answer;
    });
    await world.advanceUntil(() => result !== undefined, 600_000);
    await calling;
    return result as Awaited<ReturnType<typeof callTool>>;
  };
  const run = (steps: string[], more: Record<string, unknown> = {}) =>
    call("turtle-run", { steps, ...more });
  const place = async () => (await call("turtle-status")).structuredContent as unknown as Place;
  const body = () => {
    if (computer.turtle === undefined) throw new Error("no turtle");
    return computer.turtle;
  };
  /** Restarts the computer at once and links it again. */
  const restart = async (stop = () => computer.reboot()) => {
    stop();
    await world.advanceUntil(() => atPrompt(computer) && !isLinked(bridge, 12));
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await world.advanceUntil(() => isLinked(bridge, 12));
    await world.advance(3_000);
  };
  await world.advance(3_000);
  return { bridge, world, computer, call, run, place, body, restart };
}
