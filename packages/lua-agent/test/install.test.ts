import { allowAll, type Computer, type ComputerOptions, createWorld } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { installer, programText, programVersion } from "../src/index.js";
import { ScriptedBridge } from "./scripted-bridge.js";
import { prompt, screenText, shows } from "./start-agent.js";

const OURS = "-- mcp-computer 0.0.1 - an older one\nprint('old')";
const STARTUP = "/startup/zz-mcp-computer.lua";

async function fresh(options: ComputerOptions = {}, token?: string) {
  const bridge = await new ScriptedBridge().listen();
  bridge.files.set("/install.lua", installer({ url: bridge.httpUrl, token }));
  bridge.files.set("/mcp-computer.lua", programText);
  const world = await createWorld({ httpRules: allowAll });
  const computer = world.computer({ id: 12, label: "base-turtle", ...options });
  computer.turnOn();
  await prompt(computer);
  return {
    bridge,
    world,
    computer,
    line: `wget run ${bridge.httpUrl}/install.lua`,
    async [Symbol.asyncDispose]() {
      world.close();
      await bridge.close();
    },
  };
}

async function restart(world: { advance(ms: number): Promise<void> }, computer: Computer) {
  computer.unload();
  computer.load();
  await world.advance(100);
}

describe("wget run <bridge>/install.lua", () => {
  it("installs, offers autostart, starts and links: the way of a new player", async () => {
    await using at = await fresh();
    at.computer.type(`${at.line}\n`);
    await shows(at.computer, `Installed mcp-computer v${programVersion} as /mcp-computer.lua.`);
    await shows(at.computer, "Start mcp-computer whenever this computer starts? [Y/n]");
    at.computer.type("\n");
    await shows(at.computer, `Starts at boot (${STARTUP}).`);
    await shows(at.computer, "May AI clients see and type on this screen? [Y/n]");
    at.computer.type("\n");
    await shows(at.computer, "Remove it with: mcp-computer --uninstall");
    const link = await at.bridge.link(1);
    await shows(at.computer, "linked as 12 (Label: base-turtle)");
    expect(link.hello.token).toBeUndefined();
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe(programText);
    expect(at.computer.fs.read("/.settings")).toContain(at.bridge.url);
    expect(at.computer.fs.read("/.settings")).toContain('[ "mcp_computer.share" ] = true');
  });

  it("accepts no as an answer", async () => {
    await using at = await fresh();
    at.computer.type(`${at.line}\n`);
    await shows(at.computer, "[Y/n]");
    at.computer.type("n\n");
    await at.bridge.link(1);
    expect(at.computer.fs.exists(STARTUP)).toBe(false);
  });

  it.each([
    ["as an argument", "--token 'x\"y", undefined, "'x\"y"],
    ["in the address", "", 'p"\\\n]]é', 'p"\\\n]]é'],
  ])("remembers a token that came %s", async (_name, args, baked, expected) => {
    await using at = await fresh({}, baked);
    const typed = args.replace('"', "");
    at.computer.type(`${at.line} ${typed} --no-autostart\n`);
    const link = await at.bridge.link(1);
    const token = baked === undefined ? expected.replace('"', "") : expected;
    expect(link.hello.token).toBe(token);
    expect(at.computer.fs.read("/.settings")).not.toContain("mcp_computer.token");
  });

  it("asks nothing when all options are given", async () => {
    await using at = await fresh();
    at.computer.type(`${at.line} --autostart --world overworld\n`);
    const link = await at.bridge.link(1);
    expect(link.hello.world).toBe("overworld");
    expect(at.computer.fs.exists(STARTUP)).toBe(true);
    expect(screenText(at.computer)).not.toContain("[Y/n]");
  });

  it("upgrades in place and keeps the autostart", async () => {
    await using at = await fresh({ files: { "/mcp-computer.lua": OURS } });
    at.computer.type(`${at.line} --autostart --no-start\n`);
    await shows(at.computer, `Upgraded mcp-computer v0.0.1 to v${programVersion}.`);
    await prompt(at.computer);
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe(programText);
    at.computer.type(`clear\n${at.line} --no-start\n`);
    await shows(at.computer, `mcp-computer v${programVersion} is already installed.`);
    await prompt(at.computer);
    expect(at.computer.fs.exists(STARTUP)).toBe(true);
    expect(screenText(at.computer)).not.toContain("[Y/n]");
  });

  it("says so when it replaces another copy of the same version", async () => {
    const copy = `${programText}-- changed`;
    await using at = await fresh({ files: { "/mcp-computer.lua": copy } });
    at.computer.type(`${at.line} --yes --no-start\n`);
    await shows(at.computer, `Replaced mcp-computer v${programVersion} by this bridge's copy.`);
  });

  it("opens a tab on an advanced computer and gives the prompt back", async () => {
    await using at = await fresh({ advanced: true });
    at.computer.type(`${at.line} --no-autostart\n`);
    await shows(at.computer, "It runs in the tab mcp. To see what it does: mcp-computer status");
    const link = await at.bridge.link(1);
    expect(await link.request("ping")).toMatchObject({ ok: true });
    await prompt(at.computer);
    at.computer.type("clear\nmcp-computer status\n");
    await shows(at.computer, "linked to");
  });

  it.each([
    ["--autostart", "To have this prompt beside it: reboot"],
    ["--no-autostart", "To have this prompt beside it: mcp-computer share"],
  ])("with %s on a normal computer it says how to get the prompt", async (option, hint) => {
    await using at = await fresh();
    at.computer.type(`${at.line} ${option}\n`);
    await shows(at.computer, hint);
    await shows(at.computer, "linked as");
  });

  it("asks for a name when the computer has none", async () => {
    await using at = await fresh({ label: "" });
    at.computer.type(`${at.line} --no-autostart\n`);
    await shows(at.computer, "A name for this computer (Enter for none):");
    at.computer.type("miner\n");
    const link = await at.bridge.link(1);
    expect(link.hello.computerLabel).toBe("miner");
    await using other = await fresh({ label: "" });
    other.computer.type(`${other.line} --yes --label digger\n`);
    expect((await other.bridge.link(1)).hello.computerLabel).toBe("digger");
  });

  it.each([
    ["in its tab", { advanced: true }, (url: string) => `bg mcp-computer ${url}\n`],
    ["at the prompt that it shares", {}, (url: string) => `mcp-computer ${url} share\n`],
  ] as const)(
    "starts the running program again %s, with its own bridge",
    async (_, kind, start) => {
      const other = await new ScriptedBridge().listen();
      const copy = programText.replaceAll(programVersion, "0.1.1");
      await using at = await fresh({ ...kind, files: { "/mcp-computer.lua": copy } });
      at.computer.type(start(other.url));
      const before = await other.link(1);
      await prompt(at.computer);
      at.computer.type(`${at.line} --no-autostart\n`);
      const link = await at.bridge.link(1);
      await before.until("close", () => before.closed);
      expect(link.hello.agent?.version).toBe(programVersion);
      expect(await link.request("ping")).toMatchObject({ ok: true });
      await other.close();
    },
  );

  it("stops a program of an earlier version, which cannot start itself again", async () => {
    const old = `_G.mcp = {} repeat local event, what = os.pullEvent("mcp-computer") until what == "stop"
      _G.mcp = nil`;
    await using at = await fresh({ advanced: true, files: { "/old.lua": old } });
    at.computer.type("bg old\n");
    await at.computer.idle();
    at.computer.type(`${at.line} --no-autostart\n`);
    await at.computer.idle();
    await at.world.advance(500);
    await at.bridge.link(1);
  });

  it("asks before it replaces a file of the player's", async () => {
    await using at = await fresh({ files: { "/mcp-computer.lua": "print('mine')" } });
    at.computer.type(`${at.line}\n`);
    await shows(at.computer, "/mcp-computer.lua belongs to another program. Replace it? [y/N]");
    at.computer.type("\n");
    await shows(at.computer, "Nothing was changed.");
    await prompt(at.computer);
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe("print('mine')");
    expect(at.computer.fs.exists("/.settings")).toBe(false);
    at.computer.type(`${at.line} --yes\n`);
    await at.bridge.link(1);
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe(programText);
  });

  it("does not lose the old program to a full disk", async () => {
    await using at = await fresh({ capacity: 20_000, files: { "/mcp-computer.lua": OURS } });
    at.computer.type(`${at.line}\n`);
    await shows(at.computer, "The disk is full:");
    await prompt(at.computer);
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe(OURS);
    expect(at.computer.fs.exists("/mcp-computer.lua.new")).toBe(false);
  });

  it("refuses what is not the program", async () => {
    await using at = await fresh();
    at.bridge.files.set("/mcp-computer.lua", "<html>login</html>");
    at.computer.type(`${at.line}\n`);
    await shows(at.computer, "is not mcp-computer.");
    at.bridge.files.delete("/mcp-computer.lua");
    at.computer.type(`clear\n${at.line}\n`);
    await shows(at.computer, "Could not get");
    await prompt(at.computer);
    expect(at.computer.fs.exists("/mcp-computer.lua")).toBe(false);
  });
});

describe("autostart", () => {
  const marker = (name: string) => `local f = fs.open("/ran", "a") f.write("${name} ") f.close()`;
  const others = {
    "/startup.lua": marker("startup"),
    "/startup/aa.lua": marker("aa"),
    "/startup/zzz.lua": marker("zzz"),
  };

  it.each([
    ["a normal computer", false],
    ["an advanced computer, in its own tab", true],
  ])(
    "on %s links, runs every other startup file once and leaves the prompt free",
    async (_name, advanced) => {
      await using at = await fresh({ advanced, files: others });
      at.computer.fs.delete("/ran");
      at.computer.type(`${at.line} --autostart --no-start\n`);
      await shows(at.computer, "Remove it with");
      await prompt(at.computer);
      await restart(at.world, at.computer);
      const link = await at.bridge.link(1);
      expect(await link.request("ping")).toMatchObject({ ok: true });
      await prompt(at.computer);
      expect(at.computer.fs.read("/ran").trim().split(" ").sort()).toEqual([
        "aa",
        "startup",
        "zzz",
      ]);
      at.computer.type("mcp-computer status\n");
      await shows(at.computer, "linked to");
      await shows(at.computer, "starts at boot: yes");
      await prompt(at.computer);
      at.computer.type("lua\n");
      await shows(at.computer, "lua>");
      at.computer.terminate();
      expect(await link.request("ping")).toMatchObject({ ok: true });
      expect(link.closed).toBe(false);
    },
  );

  it("reports a token that is no longer valid to the player, and leaves the prompt", async () => {
    await using at = await fresh();
    at.computer.type(`${at.line} --autostart --no-start\n`);
    await shows(at.computer, "Remove it with");
    await prompt(at.computer);
    at.bridge.greeting = (link) => link.close(4401, "token changed");
    await restart(at.world, at.computer);
    await at.bridge.link(1);
    await shows(at.computer, "The bridge refused the token.");
    at.computer.type("id\n");
    await shows(at.computer, "This is computer #12");
  });

  it("is switched off again, and its folder goes with it", async () => {
    await using at = await fresh();
    at.computer.type(`${at.line} --autostart --no-start\n`);
    await shows(at.computer, "Remove it with");
    at.computer.type("mcp-computer --no-autostart\n");
    await shows(at.computer, "No longer starts at boot.");
    expect(at.computer.fs.exists("/startup")).toBe(false);
  });

  it("does not touch files that are not its own", async () => {
    await using at = await fresh({ files: { "/startup": "print('mine')" } });
    at.computer.type(`${at.line} --autostart --no-start\n`);
    await shows(at.computer, "/startup is your own file");
    await shows(at.computer, "move /startup /startup.lua");
    expect(at.computer.fs.read("/startup")).toBe("print('mine')");
    await using other = await fresh({ files: { [STARTUP]: "print('mine')" } });
    other.computer.type(`${other.line} --autostart --no-start\n`);
    await shows(other.computer, "belongs to another program: move it somewhere else first.");
    expect(other.computer.fs.read(STARTUP)).toBe("print('mine')");
  });

  it("needs to know a bridge", async () => {
    await using at = await fresh({ files: { "/mcp-computer.lua": programText } });
    at.computer.type("mcp-computer --autostart\n");
    await shows(at.computer, "Which bridge? mcp-computer <ws-url> --autostart");
    expect(at.computer.fs.exists("/startup")).toBe(false);
  });
});

describe("mcp-computer --uninstall", () => {
  it("leaves the disk as it was before", async () => {
    await using at = await fresh({
      files: { "/mine.lua": "print(1)" },
      // Saving the settings writes these too.
      defaultSettings: "shell.autocomplete=false,motd.enable=false",
    });
    const before = at.computer.fs.list("/");
    at.computer.type(`${at.line} --autostart\n`);
    await shows(at.computer, "linked as");
    expect(at.computer.fs.read("/.settings")).toContain("motd.enable");
    at.computer.terminate();
    await prompt(at.computer);
    at.computer.type("clear\nmcp-computer --uninstall\n");
    await shows(at.computer, "mcp-computer was removed from this computer.");
    await shows(at.computer, `removed ${STARTUP}`);
    await prompt(at.computer);
    expect(at.computer.fs.list("/")).toEqual(before);
    at.computer.type("clear\nset\n");
    await shows(at.computer, "bios.");
    expect(screenText(at.computer)).not.toContain("mcp_computer");
  });

  const kept = {
    "/mcp-computer.lua": programText,
    "/.settings": `{ ["mcp_computer.url"] = "ws://b:1", ["mcp_computer.secret"] = "s3cret ws://b:1",
      ["mcp_computer.token"] = "t0ken", ["mcp_computer.server"] = "main", ["my.note"] = "mine" }`,
    "/.mcp-computer.id": "5ca1ab1e",
    "/.mcp-computer.secret": '{ token = "t0ken" }',
    "/.mcp-computer.secret.new": '{ token = "t0ken" }',
  };

  it("removes every secret, of earlier versions too, and nothing else", async () => {
    await using at = await fresh({ files: kept });
    at.computer.type("mcp-computer --uninstall\n");
    await shows(at.computer, "mcp-computer was removed from this computer.");
    for (const name of ["secret", "token", "server", "url"]) {
      await shows(at.computer, `removed setting mcp_computer.${name}`);
    }
    await shows(at.computer, "removed /.mcp-computer.secret.new");
    expect(at.computer.fs.read("/.settings")).toMatch(/^\{\s*\[ "my.note" \] = "mine",\s*\}$/);
    expect(at.computer.fs.list("/")).toEqual([".settings", "rom"]);
  });

  it("names what it could not remove", async () => {
    const broken = `local open, delete = fs.open, fs.delete
      fs.open = function(path, mode)
        if path == ".settings" and mode == "w" then return nil, "Out of space" end
        return open(path, mode)
      end
      fs.delete = function(path)
        if path == "/.mcp-computer.secret" then error("Access denied", 0) end
        return delete(path)
      end`;
    await using at = await fresh({ files: { ...kept, "/broken.lua": broken } });
    at.computer.type("broken\nclear\nmcp-computer --uninstall\n");
    await shows(at.computer, "not removed: /.mcp-computer.secret");
    await shows(at.computer, "not removed: setting mcp_computer.secret");
    await shows(at.computer, "not removed: setting mcp_computer.token");
    await shows(at.computer, "Make space, then delete them by hand.");
    const screen = screenText(at.computer);
    expect(screen).toContain("removed /.mcp-computer.id");
    expect(screen).not.toContain(texts.wasRemovedFromThis);
    expect(at.computer.fs.read("/.settings")).toBe(kept["/.settings"]);
  });
});

describe("installer", () => {
  it.each([
    ["http://bridge:3001", "http://bridge:3001", "ws://bridge:3001"],
    ["ws://bridge:3001/", "http://bridge:3001", "ws://bridge:3001"],
    ["https://bridge.example/cc/", "https://bridge.example/cc", "wss://bridge.example/cc"],
    ["wss://[::1]:3001", "https://[::1]:3001", "wss://[::1]:3001"],
  ])("puts %s in as %s and %s", (url, http, link) => {
    const text = installer({ url });
    expect(text).toContain(`http = "${http}", link = "${link}", token = ""`);
    expect(text).not.toMatch(/@[A-Z_]+@/);
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  });

  it.each(["bridge:3001", "ftp://bridge", 'http://a"b', "http://", "http://a b", "http://a\n--"])(
    "refuses %j",
    (url) => {
      expect(() => installer({ url })).toThrow(TypeError);
    },
  );
});
