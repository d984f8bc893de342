import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, posix, win32 } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { type AllowOptions, allow } from "../../src/cli/allow/allow.js";
import { usualFolders } from "../../src/cli/allow/launchers.js";
import type { CommandContext, Machine } from "../../src/cli/context.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { gameConfig } from "./game-config.js";

const FILE = "computercraft-server.toml";
const addresses = [
  { host: "192.168.1.20", port: 3_001 },
  { host: "127.0.0.1", port: 3_001 },
];

const someMachine = { path: posix, version: "20.19.0", now: Date.now };

function machineWith(platform: NodeJS.Platform, configs: readonly string[]) {
  const root = scratchDirectory();
  const home = join(root, platform === "win32" ? "Users/Alex" : "home/alex");
  const env =
    platform === "win32"
      ? { APPDATA: join(home, "AppData/Roaming"), LOCALAPPDATA: join(home, "AppData/Local") }
      : {};
  const files = configs.map((path) => join(home, path, FILE));
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, gameConfig());
  }
  // Paths of this system, so that the folders of any system can be created here.
  const machine = { ...someMachine, platform, home, env, cwd: root };
  return { root, home, machine, files };
}

async function run(machine: Machine, options: Partial<AllowOptions> = {}, answer?: boolean) {
  let printed = "";
  const context: CommandContext = {
    machine,
    program: "ccbridge",
    print: (text) => {
      printed += text;
    },
    complain: () => {},
    confirm: answer === undefined ? undefined : async () => answer,
  };
  const all = { addresses, folders: [], remove: false, yes: true, ...options };
  return { code: await allow(all, context), printed: () => printed };
}

function isChanged(file: string): boolean {
  const text = readFileSync(file, "utf8");
  return text !== gameConfig() && text.includes('host = "192.168.1.20"');
}

describe("the usual folders", () => {
  const find = (platform: NodeJS.Platform, path: typeof win32, home: string, env = {}) =>
    usualFolders({ ...someMachine, platform, home, env, cwd: home, path });

  it("are the Windows ones on Windows", () => {
    const home = "C:\\Users\\Alex";
    const folders = find("win32", win32, home, { APPDATA: "D:\\Roaming" });
    expect(folders).toEqual(
      expect.arrayContaining([
        "D:\\Roaming\\.minecraft",
        "D:\\Roaming\\PrismLauncher\\instances",
        "C:\\Users\\Alex\\curseforge\\minecraft\\Instances",
        "D:\\Roaming\\ModrinthApp\\profiles",
        "D:\\Roaming\\.technic\\modpacks",
        "C:\\Users\\Alex\\AppData\\Local\\.ftba\\instances",
        "C:\\MultiMC\\instances",
      ]),
    );
    for (const folder of folders) expect(win32.isAbsolute(folder)).toBe(true);
  });

  it("do not need Windows' variables", () => {
    expect(find("win32", win32, "C:\\Users\\Alex")).toContain(
      "C:\\Users\\Alex\\AppData\\Roaming\\.minecraft",
    );
  });

  it("are the macOS and Linux ones on macOS and Linux", () => {
    const mac = find("darwin", posix, "/Users/alex");
    expect(mac).toContain("/Users/alex/Library/Application Support/minecraft");
    expect(mac).toContain("/Users/alex/Documents/curseforge/minecraft/Instances");
    const linux = find("linux", posix, "/home/alex", { XDG_DATA_HOME: "/data" });
    expect(linux).toContain("/home/alex/.minecraft");
    expect(linux).toContain("/data/PrismLauncher/instances");
    expect(linux).toContain(
      "/home/alex/.var/app/org.prismlauncher.PrismLauncher/data/PrismLauncher/instances",
    );
    for (const folder of [...mac, ...linux]) expect(posix.isAbsolute(folder)).toBe(true);
  });
});

describe("ccbridge allow", () => {
  it.each<{ system: NodeJS.Platform; configs: string[] }>([
    {
      system: "win32",
      configs: [
        "AppData/Roaming/.minecraft/saves/New World/serverconfig",
        "AppData/Roaming/PrismLauncher/instances/All the Mods 9/.minecraft/saves/Base/serverconfig",
        "AppData/Roaming/ModrinthApp/profiles/CC/saves/W\u00e4lder/serverconfig",
        "AppData/Roaming/gdlauncher_carbon/data/instances/cc/instance/saves/w/serverconfig",
        "AppData/Roaming/.technic/modpacks/tekxit/saves/w/serverconfig",
        "AppData/Roaming/ATLauncher/instances/Pack/saves/w/serverconfig",
        "curseforge/minecraft/Instances/ATM10/config",
        "curseforge/minecraft/Instances/ATM10/defaultconfigs",
        "Desktop/MultiMC/instances/cc/minecraft/saves/w/serverconfig",
      ],
    },
    {
      system: "darwin",
      configs: [
        "Library/Application Support/minecraft/saves/New World/serverconfig",
        "Library/Application Support/PrismLauncher/instances/cc/minecraft/saves/w/serverconfig",
        "Library/Application Support/technic/modpacks/tekxit/saves/w/serverconfig",
        "Documents/curseforge/minecraft/Instances/ATM9/saves/w/serverconfig",
      ],
    },
    {
      system: "linux",
      configs: [
        ".minecraft/saves/New World/serverconfig",
        ".local/share/PrismLauncher/instances/cc/.minecraft/saves/w/serverconfig",
        ".local/share/multimc/instances/cc/.minecraft/saves/w/serverconfig",
        ".var/app/com.modrinth.ModrinthApp/data/ModrinthApp/profiles/cc/saves/w/serverconfig",
        "minecraft-server/world/serverconfig",
        "servers/atm9/data/world/serverconfig",
      ],
    },
  ])("finds the worlds of $system, changes them, and reverts it", async ({ system, configs }) => {
    const { machine, files } = machineWith(system, configs);
    const first = await run(machine);
    expect(first.code).toBe(0);
    for (const file of files) {
      expect(first.printed()).toContain(file);
      expect(isChanged(file)).toBe(true);
      expect(readFileSync(`${file}.ccbridge-backup`, "utf8")).toBe(gameConfig());
    }
    expect(first.printed()).toContain(`Changed ${files.length} files`);
    expect(first.printed()).toContain("No restart is needed");

    const again = await run(machine);
    expect(again.code).toBe(0);
    expect(again.printed()).toContain("allows it already");

    expect((await run(machine, { remove: true })).code).toBe(0);
    for (const file of files) expect(readFileSync(file, "utf8")).toBe(gameConfig());
  });

  it("keeps the first copy of a file, however often it is changed", async () => {
    const { machine, files } = machineWith("linux", ["minecraft-server/world/serverconfig"]);
    const [file = ""] = files;
    await run(machine);
    await run(machine, { addresses: [{ host: "192.168.1.99", port: 3001 }] });
    expect(readFileSync(file, "utf8")).toContain("192.168.1.99");
    expect(readFileSync(`${file}.ccbridge-backup`, "utf8")).toBe(gameConfig());
  });

  it("shows what it would change and asks first", async () => {
    const { machine, files } = machineWith("linux", [".minecraft/saves/w/serverconfig"]);
    const [file = ""] = files;
    const refused = await run(machine, { yes: false }, false);
    expect(refused.code).toBe(1);
    expect(refused.printed()).toContain('    + \t\thost = "127.0.0.1"');
    expect(refused.printed()).toContain("Nothing was changed.");
    expect(isChanged(file)).toBe(false);
    expect(existsSync(`${file}.ccbridge-backup`)).toBe(false);
    expect((await run(machine, { yes: false }, true)).code).toBe(0);
    expect(isChanged(file)).toBe(true);
  });

  it("changes nothing without a terminal", async () => {
    const { machine, files } = machineWith("linux", [".minecraft/saves/w/serverconfig"]);
    const result = await run(machine, { yes: false });
    expect(result.code).toBe(1);
    expect(result.printed()).toContain(texts.useYesToChange);
    expect(files.some(isChanged)).toBe(false);
  });

  it.each(["world", "world/serverconfig", `world/serverconfig/${FILE}`, "."])(
    "uses the folder %s and leaves others alone",
    async (folder) => {
      const worlds = [".minecraft/saves/w/serverconfig", "elsewhere/world/serverconfig"];
      const { machine, files, home } = machineWith("linux", worlds);
      const cwd = join(home, "elsewhere");
      expect((await run({ ...machine, cwd }, { folders: [folder] })).code).toBe(0);
      expect(files.map(isChanged)).toEqual([false, true]);
    },
  );

  it("follows links to other disks, and does not go round in circles", async () => {
    const { machine, files, home } = machineWith("linux", ["disk/world/serverconfig"]);
    mkdirSync(join(home, ".minecraft/saves"), { recursive: true });
    symlinkSync(join(home, "disk/world"), join(home, ".minecraft/saves/world"), "junction");
    symlinkSync(join(home, ".minecraft"), join(home, ".minecraft/saves/loop"), "junction");
    expect((await run(machine)).code).toBe(0);
    expect(files.every(isChanged)).toBe(true);
  });

  it("never writes a file that it cannot read, and does the others", async () => {
    const worlds = ["a", "b", "c"].map((name) => `.minecraft/saves/${name}/serverconfig`);
    const { machine, files } = machineWith("linux", worlds);
    const [broken = "", latin = "", good = ""] = files;
    writeFileSync(broken, "[http\nenabled = true\n");
    writeFileSync(latin, Buffer.from(gameConfig().replace("disk", "dis\xe9"), "latin1"));
    const before = [broken, latin].map((file) => readFileSync(file));
    const result = await run(machine);
    expect(result.code).toBe(1);
    expect(result.printed()).toMatch(new RegExp(texts.leftAloneLineColumnIs));
    expect(result.printed()).toContain(texts.leftAloneItIs);
    expect([broken, latin].map((file) => readFileSync(file))).toEqual(before);
    expect(existsSync(`${broken}.ccbridge-backup`)).toBe(false);
    expect(isChanged(good)).toBe(true);
  });

  it("does not overwrite what changed while the user was asked", async () => {
    const { machine, files } = machineWith("linux", [".minecraft/saves/w/serverconfig"]);
    const [file = ""] = files;
    let printed = "";
    const code = await allow(
      { addresses, folders: [], remove: false, yes: false },
      {
        machine,
        program: "ccbridge",
        print: (text) => {
          printed += text;
        },
        complain: () => {},
        confirm: async () => {
          writeFileSync(file, `${gameConfig()}# the game wrote this\n`);
          return true;
        },
      },
    );
    expect(code).toBe(1);
    expect(printed).toContain(texts.changedMeanwhileAndWas);
    expect(readFileSync(file, "utf8")).toBe(`${gameConfig()}# the game wrote this\n`);
  });

  const isRoot = process.getuid?.() === 0;
  it.skipIf(isRoot || process.platform === "win32")(
    "says that a file may not be written",
    async () => {
      const { machine, files } = machineWith("linux", [".minecraft/saves/w/serverconfig"]);
      chmodSync(files[0] ?? "", 0o444);
      const result = await run(machine);
      expect(result.code).toBe(1);
      expect(result.printed()).toContain(texts.thisUserMayNot);
    },
  );

  it("reports that the http API is off, which no rule fixes", async () => {
    const { machine, files } = machineWith("linux", [".minecraft/saves/w/serverconfig"]);
    writeFileSync(files[0] ?? "", gameConfig().replace("\tenabled = true", "\tenabled = false"));
    expect((await run(machine)).printed()).toContain("note: http.enabled is false here");
  });

  it("advises what to do when nothing is found", async () => {
    const { machine, root } = machineWith("linux", []);
    const none = await run(machine, { folders: [root] });
    expect(none.code).toBe(1);
    expect(none.printed()).toContain(`There is no ${FILE} below ${root}`);
    expect(none.printed()).toContain("ccbridge allow <folder>");
    expect(none.printed()).toContain('host = "192.168.1.20"');
    const missing = await run(machine, { folders: ["no-such"] });
    expect(missing.code).toBe(1);
    expect(missing.printed()).toContain(`There is no folder ${join(root, "no-such")}`);
  });
});
