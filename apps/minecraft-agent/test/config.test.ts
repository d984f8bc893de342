import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeBridge } from "@ccbridge/server-contract";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { discoverServer } from "../src/config/discovery.js";
import { parseConfig } from "../src/config/load.js";
import { parseProperties } from "../src/config/properties.js";
import { configTemplate } from "../src/config/template.js";
import { Logger } from "../src/logging.js";
import { runAgent } from "../src/run.js";
import { pingServer } from "../src/status/ping.js";
import { FakeServer } from "./fake-server/index.js";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function run(argv: string[], env: Record<string, string> = {}, stop = Promise.resolve()) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runAgent({
    argv,
    env,
    print: (text) => out.push(text),
    complain: (text) => err.push(text),
    stop,
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("minecraft-mcp-bridge.toml", () => {
  it("has every key of the documents, and the template is valid", () => {
    const text = configTemplate({ token: "good", url: "ws://example.org:8080", name: "survival" });
    for (const key of [
      "url",
      "auth_token",
      "reconnect_attempts",
      "reconnect_delay",
      "enabled",
      "allowed_patterns",
      "require_auth",
      "max_command_length",
      "level",
    ]) {
      expect(text).toMatch(new RegExp(`^${key} = `, "m"));
    }
    expect(parseConfig(text, {})).toEqual(
      parseConfig("", { token: "good", url: "ws://example.org:8080", name: "survival" }),
    );
  });

  it("is read as documented, with what comes before it", () => {
    const config = parseConfig(
      `[bridge]
       url = "ws://localhost:8080"
       auth_token = "secret"
       reconnect_attempts = 5
       reconnect_delay = 5000
       [events]
       enabled = ["player_join", "player_quit", "player_chat", "player_death", "block_break"]
       [commands]
       allowed_patterns = ["^say .*", "^tp \\\\w+ -?\\\\d+ -?\\\\d+ -?\\\\d+$", "^give \\\\w+ \\\\w+ \\\\d+$"]
       [security]
       require_auth = true
       max_command_length = 256
       [logging]
       level = "INFO"`,
      { token: "better" },
    );
    expect(config.bridge).toEqual({
      url: "ws://localhost:8080",
      auth_token: "better",
      reconnect_attempts: 5,
      reconnect_delay: 5_000,
    });
  });

  it.each([
    ["", /auth_token is missing/],
    ['[bridge]\nauth_token = "secret"', /Use one of the bridge.s tokens/],
    ["[bridge", /minecraft-mcp-bridge.toml/],
    ['[bridge]\nauth_token = "t"\nurl = "http://x"', /bridge.url: must be a ws/],
    ['[bridge]\nauth_token = "t"\n[events]\nenabled = ["x"]', /events.enabled.0/],
    ['[bridge]\nauth_token = "t"\n[commands]\nallowed_patterns = ["(?=a)"]', /look-around/],
    ['[bridge]\nauth_token = "t"\n[logging]\nlevel = "loud"', /logging.level/],
    ['[bridge]\nauth_token = "t"\n[server]\nname = "a b"', /server.name/],
    ['[bridge]\nauth_token = "t"\n[server]\nchat_pattern = "x"', /two groups/],
  ])("is refused as %j", (text, reason) => {
    expect(() => parseConfig(text, {})).toThrow(reason);
  });

  it("needs no token when configured so", () => {
    expect(parseConfig("[security]\nrequire_auth = false", {}).bridge.auth_token).toBe("");
  });
});

describe("server.properties", () => {
  it("is read as Java writes it", () => {
    const properties = parseProperties(
      "#comment\n! another\nmotd=A \\u00a7cred\\: one\\\n   two\nrcon.password = a\\=b \nempty=\nlonely\nkey\\ with\\:odd: v\r\n",
    );
    expect(Object.fromEntries(properties)).toEqual({
      motd: "A §cred: onetwo",
      "rcon.password": "a=b ",
      empty: "",
      lonely: "",
      "key with:odd": "v",
    });
  });

  it("gives back every value that Java could have written", () => {
    const escaped = (text: string) =>
      text.replace(/[\\:=#! \n\r\t\f]/g, (char) => {
        const named: Record<string, string> = {
          "\n": "\\n",
          "\r": "\\r",
          "\t": "\\t",
          "\f": "\\f",
        };
        return named[char] ?? `\\${char}`;
      });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: "binary" })),
        (entries) => {
          const known = Object.entries(entries);
          const text = known.map(([key, value]) => `${escaped(key)}=${escaped(value)}\n`).join("");
          expect([...parseProperties(text)]).toEqual(known);
        },
      ),
    );
  });

  it("reports what to enable", () => {
    const folder = scratch();
    expect(discoverServer(folder).advice.join("\n")).toContain("server's folder");
    writeFileSync(join(folder, "server.properties"), "enable-rcon=false\n");
    expect(discoverServer(folder).advice.join("\n")).toContain("enable-rcon=true");
    writeFileSync(join(folder, "server.properties"), "enable-rcon=true\nrcon.password=\n");
    expect(discoverServer(folder).advice.join("\n")).toContain("rcon.password is empty");
    writeFileSync(
      join(folder, "server.properties"),
      "enable-rcon=true\nrcon.password=x\nmanagement-server-enabled=true\nmanagement-server-port=0\n",
    );
    expect(discoverServer(folder).advice.join("\n")).toContain("management-server-port");
  });

  it.each([
    [["bukkit.yml"], "bukkit"],
    [["libraries", "net", "neoforged"], "neoforge"],
    [["libraries", "net", "minecraftforge"], "forge"],
    [[".fabric"], "fabric"],
    [["nothing"], "vanilla"],
  ])("is beside %j on %s", (path, software) => {
    const folder = scratch();
    mkdirSync(join(folder, ...path), { recursive: true });
    expect(discoverServer(folder).software).toBe(software);
  });
});

describe("the program", () => {
  it("shows its help and its version", async () => {
    expect(await run(["--help"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("--write-config"),
    });
    expect(await run(["--version"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\./),
    });
  });

  it.each([
    [["--nonsense"], /--nonsense.*--help/s],
    [["a", "b"], /one folder/],
    [["/does/not/exist"], /is not a folder/],
  ])("explains what is wrong with %j", async (argv, reason) => {
    expect(await run(argv, { AUTH_TOKEN: "t" })).toMatchObject({
      code: 1,
      err: expect.stringMatching(reason),
    });
  });

  it("writes the file on request, once, and for its owner only", async () => {
    const folder = scratch();
    expect(await run([folder, "--write-config", "--name", "survival"])).toMatchObject({ code: 0 });
    const path = join(folder, "config", "minecraft-mcp-bridge.toml");
    expect(readFileSync(path, "utf8")).toContain('name = "survival"');
    if (process.platform !== "win32") expect(statSync(path).mode & 0o077).toBe(0);
    expect(await run([folder, "--write-config"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("already exists"),
    });
    const mistyped = join(folder, "wrold");
    expect(await run([mistyped, "--write-config"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not a folder"),
    });
    expect(existsSync(mistyped)).toBe(false);
  });

  it("checks everything: what works, what does not, and what to do", async () => {
    const server = await FakeServer.start();
    const bridge = await FakeBridge.start();
    onTestFinished(() => server.stop());
    const { url } = bridge;
    const check = () => run([server.folder, "--check", "--url", url], { AUTH_TOKEN: "t" });
    const good = await check();
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out).toContain("answers; version 1.21.11, 0 of 20 players");
    expect(good.out).toContain("latest.log: found");
    expect(good.out).toContain(`RCON: works, at 127.0.0.1:${server.rcon.port}`);
    expect(good.out).toContain(`Bridge ${url}: accepts the token`);
    const withSecrets = `${url.replace("//", "//someone:pass-word-1@")}?token=query-word-2`;
    const { out } = await run([server.folder, "--check", "--url", withSecrets], {
      AUTH_TOKEN: "t",
    });
    expect(out).toMatch(/Bridge ws:\/\/\*\*\*@127.*token=\*\*\*: accepts the token/);
    expect(out).not.toMatch(/word-\d|someone/);
    // A check must not replace an existing link of this server.
    expect(bridge.hellos).toEqual([]);

    server.writeProperties({ "rcon.password": "another" });
    expect(await check()).toMatchObject({
      code: 1,
      out: expect.stringContaining(texts.theRconPasswordIs),
    });
    server.writeProperties({ "enable-rcon": "false" });
    expect(await check()).toMatchObject({
      code: 1,
      out: expect.stringMatching(/RCON: off.*set enable-rcon=true/s),
    });
    server.writeProperties();
    await server.rcon.close();
    await server.game.close();
    rmSync(server.log.path);
    await bridge.close();
    const down = await check();
    expect(down.code).toBe(1);
    expect(down.out).toMatch(new RegExp(texts.doesNotAnswerEconnrefusedIs));
    expect(down.out).toMatch(new RegExp(texts.latestLogDoesNot));
    expect(down.out).toMatch(/RCON: does not work.*refused/);
    expect(down.out).toMatch(new RegExp(texts.bridgeIsTheBridge));
    const toml = join(server.folder, "minecraft-mcp-bridge.toml");
    writeFileSync(toml, '[bridge]\nauth_token = "hush-word-1\n');
    const broken = await run([server.folder, "--check"]);
    expect(broken.out).toMatch(new RegExp(texts.minecraftMcpBridgeToml));
    expect(broken.out).not.toContain("hush-word");
    rmSync(toml);
    const unfinished = await run([server.folder, "--check"]);
    expect(unfinished).toMatchObject({
      code: 1,
      out: expect.stringContaining(texts.configurationBridgeAuthToken),
    });
  });

  it.skipIf(process.platform === "win32")("warns of a token that others can read", async () => {
    const server = await FakeServer.start();
    const bridge = await FakeBridge.start();
    onTestFinished(async () => {
      await Promise.all([server.stop(), bridge.close()]);
    });
    const toml = join(server.folder, "minecraft-mcp-bridge.toml");
    writeFileSync(toml, `[bridge]\nurl = "${bridge.url}"\nauth_token = "hush-word"\n`);
    const warning = `Every user of this machine can read or change ${toml}`;
    for (const flags of [["--check"], []]) {
      chmodSync(toml, 0o644);
      const open = await run([server.folder, ...flags]);
      expect(open.out).toContain(warning);
      expect(open.out).not.toContain("hush-word");
      chmodSync(toml, 0o640);
      expect((await run([server.folder, ...flags])).out).not.toContain("Every user");
    }
  });

  it("runs until it is stopped", async () => {
    const server = await FakeServer.start();
    const bridge = await FakeBridge.start();
    onTestFinished(async () => {
      await server.stop();
      await bridge.close();
    });
    const linked = bridge.until(() => bridge.hellos.length > 0);
    const { code, out } = await run(
      [server.folder, "--url", bridge.url],
      { AUTH_TOKEN: "good-token" },
      linked,
    );
    expect(code).toBe(0);
    expect(out).toContain("stopped");
    expect(out).not.toContain("good-token");
    await bridge.until(() => !bridge.isLinked);
  });

  it("gives up after the configured number of attempts", async () => {
    const server = await FakeServer.start();
    onTestFinished(() => server.stop());
    writeFileSync(
      join(server.folder, "minecraft-mcp-bridge.toml"),
      `[bridge]\nurl = "ws://127.0.0.1:1"\nreconnect_attempts = 2\nreconnect_delay = 100\n`,
    );
    const forever = new Promise<void>(() => {});
    const { code, out } = await run([server.folder], { AUTH_TOKEN: "good-token" }, forever);
    expect(code).toBe(1);
    expect(out).toContain("giving up");
  });
});

describe("the list of servers", () => {
  it("gives version and players", async () => {
    const server = await FakeServer.start();
    onTestFinished(() => server.stop());
    const at = { host: "127.0.0.1", port: server.game.port, timeoutMs: 60_000 };
    expect(await pingServer(at)).toEqual({ version: "1.21.11", online: 0, max: 20 });
    server.game.answer = () =>
      `{"version":"odd","players":7,"description":"${"x".repeat(50_000)}"}`;
    expect(await pingServer(at)).toEqual({ version: undefined, online: undefined, max: undefined });
    server.game.answer = () => "not JSON";
    await expect(pingServer(at)).rejects.toThrow(new RegExp(texts.notOneOfA));
    await expect(pingServer({ ...at, port: server.rcon.port })).rejects.toThrow();
  });
});

describe("the log of the agent", () => {
  it("has one line for each entry, without secrets, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ minLength: 4 }), (text, secret) => {
        const lines: string[] = [];
        const log = new Logger({
          write: (line) => lines.push(line),
          level: "INFO",
          secrets: [secret],
        });
        log.info(`said ${text}${secret}`, { text, secret });
        expect(lines).toHaveLength(1);
        expect(lines[0]).not.toMatch(/\p{Cc}/u);
        if (!/^[*\s]+$/.test(secret)) expect(lines[0]?.slice(30)).not.toContain(`${text}${secret}`);
      }),
    );
  });
});
