import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allowAll, type CpuClock, createWorld } from "../../src/index.js";

export interface Remains {
  readonly files: Readonly<Record<string, string>>;
  readonly crashed: boolean;
}

export interface Machine {
  readonly title: string;
  readonly emulator: boolean;
  boot(files: Readonly<Record<string, string>>, computes: boolean): Promise<Remains>;
}

const ID = 12;
const PATIENCE_MS = 180_000;

const FAST_CLOCK: CpuClock = { instructionsPerMs: 1_000 };

export function testHost(version: string): Machine {
  return {
    title: `the test host as ${version}`,
    emulator: false,
    async boot(files, computes) {
      const world = await createWorld({
        time: "real",
        httpRules: allowAll,
        version,
        cpuClock: computes ? FAST_CLOCK : "real",
      });
      try {
        const computer = world.computer({ id: ID, label: "conformance", advanced: true });
        for (const [path, text] of Object.entries(files)) computer.fs.write(path, text);
        computer.turnOn();
        const done = () => computer.fs.exists("/done") || computer.stats.hardAborts > 0;
        await computer.until(done, 30_000);
        const out = computer.fs.exists("/out") ? computer.fs.list("/out") : [];
        const left = Object.fromEntries(
          out.map((name) => [name, computer.fs.readBytes(`/out/${name}`).toString("latin1")]),
        );
        return { files: left, crashed: !computer.isOn };
      } finally {
        world.close();
      }
    },
  };
}

function scratch(files: Readonly<Record<string, string>>): { data: string; root: string } {
  const data = mkdtempSync(join(tmpdir(), "ccbridge-conformance-"));
  const root = join(data, "computer", String(ID));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text, "latin1");
  }
  return { data, root };
}

function readOut(root: string): Record<string, string> {
  const out = join(root, "out");
  if (!existsSync(out)) return {};
  return Object.fromEntries(
    readdirSync(out).map((name) => [name, readFileSync(join(out, name), "latin1")]),
  );
}

async function runUntil(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  done: () => boolean,
): Promise<number | null> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: "ignore" });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("exit", (code) => resolve(code));
    child.on("error", reject);
  });
  const looking = setInterval(() => {
    if (done()) child.kill("SIGKILL");
  }, 100);
  const patience = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  try {
    return await ended;
  } finally {
    clearInterval(looking);
    clearTimeout(patience);
  }
}

export function realCore(wrapper: string): Machine {
  return {
    title: `CC:Tweaked by ${wrapper}`,
    emulator: false,
    async boot(files) {
      const { data, root } = scratch(files);
      try {
        const startup = join(root, "startup.lua");
        const program = join(data, "program.lua");
        writeFileSync(program, readFileSync(startup));
        rmSync(startup);
        await runUntil(
          wrapper,
          [String(ID), "conformance", program],
          { CC_DATA_DIR: data },
          () => false,
        );
        return { files: readOut(root), crashed: !existsSync(join(root, "done")) };
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    },
  };
}

export function craftosPc(binary: string, rom: string | undefined): Machine {
  return {
    title: "CraftOS-PC",
    emulator: true,
    async boot(files) {
      const { data, root } = scratch(files);
      mkdirSync(join(data, "config"));
      const settings = { checkUpdates: false, http_whitelist: ["127.0.0.1"], abortTimeout: 7_000 };
      writeFileSync(join(data, "config", "global.json"), JSON.stringify(settings));
      try {
        const flags = ["--headless", "--directory", data, "--id", String(ID)];
        const more = rom === undefined ? [] : ["--rom", rom];
        const done = () => existsSync(join(root, "done"));
        await runUntil(binary, [...flags, ...more], {}, done);
        return { files: readOut(root), crashed: !done() };
      } finally {
        rmSync(data, { recursive: true, force: true });
      }
    },
  };
}
