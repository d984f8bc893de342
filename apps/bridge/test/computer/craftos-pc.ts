import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ComputerLink } from "@ccbridge/registry";
import { vi } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { type SpawnedProgram, spawnProgram } from "../helpers/spawn-bridge.js";
import { isLinked } from "./helpers.js";

export const binary = process.env.CRAFTOS_PC;
const rom = process.env.CRAFTOS_ROM;

export const computerId = 12;

const globalSettings = {
  checkUpdates: false,
  snooperEnabled: false,
  http_whitelist: ["127.0.0.1"],
  abortTimeout: 7_000,
};

const computerSettings = { base64: true, label: Buffer.from("base-turtle").toString("base64") };

export function startCraftosPc(files: Record<string, string>, advanced = true): SpawnedProgram {
  if (binary === undefined) throw new Error("CRAFTOS_PC names no binary");
  const data = scratchDirectory();
  const write = (folder: string, name: string, text: string) => {
    mkdirSync(join(data, folder), { recursive: true });
    writeFileSync(join(data, folder, name), text);
  };
  write("config", "global.json", JSON.stringify(globalSettings));
  write("config", `${computerId}.json`, JSON.stringify({ ...computerSettings, isColor: advanced }));
  for (const [name, text] of Object.entries(files)) write(`computer/${computerId}`, name, text);
  const flags = ["--headless", "--directory", data, "--id", String(computerId)];
  return spawnProgram(rom === undefined ? flags : [...flags, "--rom", rom], {}, [binary]);
}

export async function untilLinked(
  bridge: TestBridge,
  emulator: SpawnedProgram,
  before?: ComputerLink,
): Promise<ComputerLink> {
  return vi.waitFor(
    () => {
      if (isLinked(bridge, computerId)) {
        const link = bridge.computers.find(computerId);
        if (link !== before) return link;
      }
      const { exitCode, signalCode } = emulator.child;
      const ended = exitCode ?? signalCode;
      const state = ended === null ? "not linked" : `the emulator ended with ${ended}`;
      const screen = emulator.lines.join("\n").replace(/\s+/g, " ").slice(-1_000);
      throw new Error(`${state}; last on the screen: ${screen}\n${emulator.stderr()}`);
    },
    { timeout: 20_000 },
  );
}
