import {
  allowAll,
  createWorld,
  type PlacedComputer,
  type PlacedComputerOptions,
  type World,
  type WorldOptions,
} from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import { tools } from "@ccbridge/mcp-tools";
import { onTestFinished } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const world = await createWorld({
    time: "real",
    ticksPerSecond: 200,
    httpRules: allowAll,
    ...options,
  });
  onTestFinished(() => world.close());
  return world;
}

export async function placeComputer(
  world: World,
  options: PlacedComputerOptions = {},
): Promise<PlacedComputer> {
  const computer = world.computer({
    id: 12,
    label: "base-turtle",
    ...options,
    files: { "/mcp-computer.lua": programText, ...options.files },
  });
  computer.turnOn();
  await computer.until(() => atPrompt(computer));
  return computer;
}

export async function linkGameComputer(
  bridge: TestBridge,
  world: World,
  options: PlacedComputerOptions = {},
): Promise<PlacedComputer> {
  const computer = await placeComputer(world, options);
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  await computer.until(() => isLinked(bridge, computer.id));
  return computer;
}

export function isLinked(bridge: TestBridge, computerId: number): boolean {
  return bridge.computers.list().some((link) => link.provider.computerId === computerId);
}

export function atPrompt(computer: PlacedComputer): boolean {
  return /(^|\n)[\w/]*>\s*$/.test(computer.screen.text());
}

export function screenText(computer: PlacedComputer): string {
  return computer.screen.text().replace(/\s+/g, " ");
}

export function forComputer(name: string, args: object): Record<string, unknown> {
  const tool = tools.find((candidate) => candidate.name === name);
  return tool !== undefined && "computerId" in tool.input.shape
    ? { computerId: 12, ...args }
    : { ...args };
}
