import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Computer, createWorld, type World } from "@ccbridge/cc-host";
import { prompt } from "./start-agent.js";

const root = fileURLToPath(new URL("../../../lua", import.meta.url));

function moduleFiles(): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".lua")) continue;
    const path = join(entry.parentPath, entry.name);
    files[`/${relative(root, path)}`] = readFileSync(path, "utf8");
  }
  return files;
}

export class LuaComputer {
  readonly world: World;
  readonly computer: Computer;

  private constructor(world: World, computer: Computer) {
    this.world = world;
    this.computer = computer;
  }

  static async boot(version = "1.113.1"): Promise<LuaComputer> {
    const world = await createWorld();
    const computer = world.computer({ id: 7, version, capacity: 8_000_000, files: moduleFiles() });
    computer.turnOn();
    await prompt(computer);
    return new LuaComputer(world, computer);
  }

  async run(body: string): Promise<string> {
    const { computer } = this;
    for (const file of ["/out", "/failed"]) if (computer.fs.exists(file)) computer.fs.delete(file);
    computer.fs.write(
      "/spec.lua",
      `local function save(path, text)
         local file = fs.open(path, "wb") file.write(text) file.close()
       end
       local json = require("mcp.json")
       local function body() ${body}
       end
       local ok, result = xpcall(body, debug.traceback)
       save(ok and "/out" or "/failed", tostring(result))`,
    );
    computer.type("spec\n");
    await computer.until(() => computer.fs.exists("/out") || computer.fs.exists("/failed"));
    await computer.idle();
    if (computer.fs.exists("/failed")) throw new Error(computer.fs.read("/failed"));
    return computer.fs.readBytes("/out").toString("latin1");
  }

  async json<T = unknown>(body: string): Promise<T> {
    return JSON.parse(await this.run(body)) as T;
  }

  close(): void {
    this.world.close();
  }
}
