import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  allowAll,
  createWorld,
  inventoryPeripheral,
  monitorPeripheral,
  WiredNetwork,
} from "@ccbridge/cc-host";
import { programText } from "@ccbridge/lua-agent";
import type { Platform } from "./programs.js";

export const computerId = 12;
const label = "victim";

export interface Subject {
  isOn(): boolean | undefined;
  turnOn(): void;
  lastWords(): string;
  close(): void;
}

/** Programs get a clock that they can set, instead of the machine's. */
const CLOCK = `local epoch, shift = os.epoch, 0
function os.epoch(locale) return epoch(locale) + shift end
function _G.shiftClock(ms) shift = shift + ms end
`;

function disk(linkUrl: string): Record<string, string> {
  return {
    "mcp-computer.lua": programText,
    "startup.lua": `${CLOCK}fs.delete("/full") shell.run("mcp-computer", "${linkUrl}")\n`,
  };
}

async function testHost(linkUrl: string): Promise<Subject> {
  const world = await createWorld({ time: "real", httpRules: allowAll });
  const computer = world.computer({ id: computerId, label, advanced: true });
  for (const [name, text] of Object.entries(disk(linkUrl))) computer.fs.write(`/${name}`, text);
  const network = new WiredNetwork();
  const items = { 1: { name: "minecraft:coal", count: 8 } };
  network.add(inventoryPeripheral({ items }, network));
  network.connect(computer, "back");
  computer.attach("top", monitorPeripheral());
  world.radio.attach(computer, "left");
  computer.turnOn();
  return {
    isOn: () => computer.isOn,
    turnOn: () => computer.turnOn(),
    lastWords: () => computer.screen.text(),
    close: () => world.close(),
  };
}

function scratch(linkUrl: string): { data: string } {
  const data = mkdtempSync(join(tmpdir(), "ccbridge-torture-"));
  const root = join(data, "computer", String(computerId));
  mkdirSync(root, { recursive: true });
  for (const [name, text] of Object.entries(disk(linkUrl))) writeFileSync(join(root, name), text);
  return { data };
}

function run(command: string, args: readonly string[], env: Record<string, string>, data: string) {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
    // A wrapper may start other processes: the whole group must end.
    detached: true,
  });
  let output = "";
  child.stdout?.setEncoding("latin1").on("data", (text: string) => {
    output = (output + text).slice(-20_000);
  });
  const close = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {}
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  };
  return { child, output: () => output, close };
}

async function realCore(wrapper: string, linkUrl: string): Promise<Subject> {
  const { data } = scratch(linkUrl);
  const env = {
    CC_DATA_DIR: data,
    CC_STAY: "1",
    CC_PERIPH: "left=chest,top=monitor,back=modem:20",
  };
  const { child, output, close } = run(wrapper, [String(computerId), label, "-"], env, data);
  let offs = 0;
  const offsNow = () => output().split("[cc] the computer is off").length - 1;
  return {
    isOn: () => child.exitCode === null && offsNow() === offs,
    turnOn() {
      offs = offsNow();
      appendFileSync(join(data, "ctl"), "on\n");
    },
    lastWords: output,
    close,
  };
}

async function craftosPc(
  binary: string,
  rom: string | undefined,
  linkUrl: string,
): Promise<Subject> {
  const { data } = scratch(linkUrl);
  mkdirSync(join(data, "config"));
  const settings = { checkUpdates: false, http_whitelist: ["127.0.0.1"], abortTimeout: 7_000 };
  writeFileSync(join(data, "config", "global.json"), JSON.stringify(settings));
  const flags = ["--headless", "--directory", data, "--id", String(computerId)];
  const { child, output, close } = run(
    binary,
    rom === undefined ? flags : [...flags, "--rom", rom],
    {},
    data,
  );
  return {
    isOn: () => child.exitCode === null,
    // It ends when its computer does.
    turnOn: () => {},
    lastWords: () => output().replace(/\s+/g, " ").slice(-500),
    close,
  };
}

const { CC_TWEAKED, CRAFTOS_PC, CRAFTOS_ROM } = process.env;

export const platform: Platform =
  CC_TWEAKED !== undefined ? "core" : CRAFTOS_PC !== undefined ? "emulator" : "host";

export const subjectName = {
  host: "the test host",
  core: `CC:Tweaked by ${CC_TWEAKED}`,
  emulator: "CraftOS-PC",
}[platform];

export function startSubject(linkUrl: string): Promise<Subject> {
  if (CC_TWEAKED !== undefined) return realCore(CC_TWEAKED, linkUrl);
  if (CRAFTOS_PC !== undefined) return craftosPc(CRAFTOS_PC, CRAFTOS_ROM, linkUrl);
  return testHost(linkUrl);
}
