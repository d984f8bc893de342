import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import type { Machine } from "../../src/cli/context.js";
import { doctor } from "../../src/cli/doctor/doctor.js";
import { serverCode } from "../../src/config/server-settings.js";
import { type Config, defaultConfig } from "../../src/config/settings.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { foreignServer, freePort } from "../helpers/ports.js";
import { fromRemote } from "../helpers/proxy.js";
import { scratchDirectory, scratchFile } from "../helpers/scratch.js";
import { offerServer } from "../server/offer-server.js";
import { gameConfig } from "./game-config.js";

const good = "0e9c4f52-7a81-4b3d-9d6e-c1f8a2b7d305";

/** Two free ports and loopback only, so that a test finds nothing else. */
async function settings(more: Partial<Config> = {}): Promise<Config> {
  const [mcpPort, linkPort] = [await freePort(), await freePort()];
  return { ...defaultConfig(), mcpPort, linkPort, linkHost: "127.0.0.1", ...more };
}

async function examine(config: Config, more: Partial<Machine> = {}) {
  const home = scratchDirectory();
  const machine: Machine = {
    platform: "linux",
    home,
    env: {},
    cwd: home,
    path: posix,
    version: "20.19.0",
    now: Date.now,
    ...more,
  };
  let text = "";
  const print = (part: string) => {
    text += part;
  };
  const context = { machine, program: "ccbridge", print, complain: print, confirm: undefined };
  const code = await doctor({ config, version: "1.2.3" }, context);
  return { code, text };
}

describe("ccbridge doctor", () => {
  it("finds nothing wrong with a machine on which no bridge runs, and says how to start one", async () => {
    const config = await settings();
    const { code, text } = await examine(config);
    expect(code).toBe(0);
    expect(text).toContain(fill(texts.mcpPortOnIsFree, config.mcpPort));
    const flags = `--mcp-port ${config.mcpPort} --cc-link-host 127.0.0.1 --cc-link-port ${config.linkPort}`;
    expect(text).toContain(`-> Start one: ccbridge ${flags}\n`);
    expect(text).toContain(fill(texts.ifYoursIsElsewhereCcbridge, config.linkPort));
    expect(text).toContain("No problem was found");
  });

  it("sees a bridge, its addresses and its computers", async () => {
    const { config, mcpPort, linkPort, linkUrl } = await startTestBridge();
    const running = { ...config, mcpPort, linkPort };
    const before = await examine(running);
    expect(before.code).toBe(0);
    expect(before.text).toContain(texts.noComputerIsLinkedNone);
    expect(before.text).toContain(`wget run http://127.0.0.1:${linkPort}/install.lua`);

    const { socket, closed } = await linkComputer(linkUrl, { computerId: 3 });
    const linked = await examine(running);
    expect(linked.text).toContain("a ccbridge answers (version 1.2.3, 1 computer linked)");
    expect(linked.text).toContain(fill(texts.computersFindTheBridge, linkPort));
    expect(linked.text).toMatch(/1 computer is linked, the last \d+ seconds? ago/);

    socket.close();
    await closed;
    await expect
      .poll(async () => (await examine(running)).text)
      .toMatch(new RegExp(texts.noComputerIsLinkedThe));
  });

  it("checks the public URLs, and suggests causes for those that do not answer", async () => {
    const { config, mcpPort, linkPort } = await startTestBridge({ trustedProxies: ["127.0.0.1"] });
    const running = { ...config, mcpPort, linkPort, mcpTokens: [good], linkTokens: [good] };
    const origin = (port: number) => `http://localhost:${port}`;
    const right = await examine({
      ...running,
      mcpPublicUrl: origin(mcpPort),
      linkPublicUrl: origin(linkPort),
    });
    expect(right.code).toBe(0);
    expect(right.text).toContain(fill(texts.clientsAndBrowsersFindThe, origin(mcpPort)));
    expect(right.text).toContain(fill(texts.computersFindTheBridgeAt, origin(linkPort)));
    expect(right.text).toContain(`wget run ${origin(linkPort)}/install.lua`);
    expect(right.text).not.toContain("since the bridge started");

    const { port } = await foreignServer();
    const bad = await examine({
      ...running,
      mcpPublicUrl: origin(linkPort),
      linkPublicUrl: origin(port),
    });
    expect(bad.code).toBe(1);
    expect(bad.text).toContain(`${origin(linkPort)} (MCP_PUBLIC_URL) is the link port`);
    expect(bad.text).toContain(`${origin(port)} (CC_LINK_PUBLIC_URL) does not answer`);
  });

  it("reports that a computer waits for approval, and how to approve it", async () => {
    const { config, mcpPort, linkPort, linkUrl } = await startTestBridge();
    await linkComputer(linkUrl, { computerId: 3 }, fromRemote());
    const { code, text } = await examine({ ...config, mcpPort, linkPort });
    expect(code).toBe(0);
    expect(text).toContain(texts.versionComputersLinkedWaiting);
    expect(text).toMatch(/1 computer waits for your approval\s+-> .*ccbridge pair CODE/);
    expect(text).not.toContain("install.lua");
  });

  it("shows how to allow a computer that offers to be a Minecraft server", async () => {
    const { config, mcpPort, linkPort, linkUrl } = await startTestBridge();
    const computer = await offerServer(linkUrl, { secret: "its secret" });
    await computer.notice();
    const { code, text } = await examine({ ...config, mcpPort, linkPort });
    expect(code).toBe(0);
    expect(text).toContain(texts.computerOffersToBeA);
    expect(text).toContain(`add that to MINECRAFT_COMMAND_COMPUTERS`);
    expect(text).toContain(serverCode(7, "its secret"));
  });

  it("reports that a computer was refused, and why", async () => {
    const { config, mcpPort, linkPort, linkUrl } = await startTestBridge({
      linkTokens: ["a-long-link-token"],
    });
    const { closed } = await linkComputer(linkUrl, { computerId: 3, token: "wrong" });
    await closed;
    const { code, text } = await examine({ ...config, mcpPort, linkPort });
    expect(code).toBe(1);
    expect(text).toMatch(new RegExp(texts.problemAComputerWasRefused));
    expect(text).not.toContain("a-long-link-token");
  });

  it("reports that other programs have the ports, and how to find out which", async () => {
    const mcp = await foreignServer();
    const link = await foreignServer();
    const config = await settings({ mcpPort: mcp.port, linkPort: link.port });
    const { code, text } = await examine(config);
    expect(code).toBe(1);
    expect(text).toContain(fill(texts.mcpPortOnIsIn, mcp.port));
    expect(text).toContain(`ss -ltnp 'sport = :${link.port}'`);
    expect(text).toContain("2 problems.");
    // Following the advice ends the problem: the line names a port that is free, and keeps the other flags.
    const advised = /start the bridge on a free port: ccbridge (--mcp-port (\d+) .*)/.exec(text);
    expect(advised?.[1]).toContain(`--cc-link-host 127.0.0.1 --cc-link-port ${link.port}`);
    const next = await examine({ ...config, mcpPort: Number(advised?.[2]) });
    expect(next.text).toContain(`MCP port ${advised?.[2]} on 127.0.0.1 is free`);
  });

  it("names the ports of pages and servers as well", async () => {
    const more = { pagesOrigins: ["http://127.0.0.1:8080"], minecraftTokens: ["a-server-token-1"] };
    const own = await freePort();
    const bridge = await startTestBridge({ ...more, minecraftPort: own });
    const { config, mcpPort, linkPort, pagesPort = 0 } = bridge;
    const { code, text } = await examine({ ...config, mcpPort, linkPort, pagesPort });
    expect(text).toContain(`Page port ${pagesPort} on 127.0.0.1: a ccbridge answers`);
    expect(text).toContain(`Server port ${own} on 127.0.0.1: a ccbridge answers`);
    expect(code).toBe(0);
  });

  it("reports that ports are mixed up", async () => {
    const { linkPort } = await startTestBridge();
    const { code, text } = await examine(await settings({ mcpPort: linkPort }));
    expect(code).toBe(1);
    expect(text).toContain(fill(texts.mcpPortOnIsAnother, linkPort));
  });

  it.each<[NodeJS.Platform, string]>([
    ["win32", "New-NetFirewallRule -DisplayName ccbridge"],
    ["darwin", "System Settings > Network > Firewall"],
    ["linux", "sudo ufw allow"],
  ])("knows the firewall of %s", async (platform, advice) => {
    const config = await settings({ linkHost: "0.0.0.0" });
    const { code, text } = await examine(config, { platform });
    expect(text).toContain(advice);
    expect(code).toBe(0);
  });

  it("reports that worlds do not let computers out, until they do", async () => {
    const home = scratchDirectory();
    const folder = join(home, ".minecraft/saves/w/serverconfig");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "computercraft-server.toml");
    writeFileSync(file, gameConfig());
    const config = await settings();
    const denied = await examine(config, { home });
    expect(denied.code).toBe(1);
    expect(denied.text).toContain(texts.thisBridgeIsDeniedBy);
    expect(denied.text).toContain(texts.letThemReachIt);
    writeFileSync(
      file,
      gameConfig([]).replace(
        "[peripheral]",
        '[[http.rules]]\nhost = "*"\naction = "allow"\n[peripheral]',
      ),
    );
    expect((await examine(config, { home })).text).toContain("none denies this bridge");
    writeFileSync(file, "[http");
    expect((await examine(config, { home })).text).toContain("is not valid TOML");
  });

  it.each<{ what: string; more: Partial<Config>; code: number; expected: string }>([
    {
      what: "an MCP side that is open without a token",
      more: { mcpHost: "0.0.0.0" },
      code: 1,
      expected: "PROBLEM  Anyone who can reach 0.0.0.0 can run code",
    },
    {
      what: "a short token",
      more: { mcpTokens: ["secret"] },
      code: 0,
      expected: "note     MCP_TOKENS contains a token that can be guessed: it is shorter than 16",
    },
    {
      what: "a token as a flag",
      more: { mcpTokens: [good], tokenFlags: ["mcp-tokens"] },
      code: 0,
      expected: "note     --mcp-tokens shows its tokens",
    },
    {
      what: "a public name without a token",
      more: { mcpAllowedHosts: ["mcp.example.org"] },
      code: 1,
      expected: "PROBLEM  Anyone who can reach mcp.example.org can run code",
    },
    {
      what: "a missing folder to sync",
      more: { syncFolders: ["a=/no/such/folder"] },
      code: 1,
      expected: 'The folder "a" of CC_SYNC_FOLDERS cannot be used',
    },
  ])("reports $what", async ({ more, code, expected }) => {
    const result = await examine(await settings(more));
    expect(result.text).toContain(expected);
    expect(result.code).toBe(code);
  });

  it("reports token files that others can read, where files have modes", async () => {
    const path = scratchFile(`${good}\n`);
    chmodSync(path, 0o644);
    const config = await settings({ linkTokens: [good], linkTokensFile: path });
    const { code, text } = await examine(config);
    expect(code).toBe(0);
    expect(text).toContain(fill(texts.noteEveryUserOfThis, path));
    expect(text).not.toContain(good);
    expect((await examine(config, { platform: "win32" })).text).not.toContain("Every user");
  });

  it("reports a Node that is too old and a clock that is wrong", async () => {
    const { code, text } = await examine(await settings(), {
      version: "18.20.4",
      now: () => Date.parse("2020-01-01"),
    });
    expect(code).toBe(1);
    expect(text).toContain("PROBLEM  Node 18.20.4 on linux");
    expect(text).toContain(texts.whichIsBeforeThisProgram);
  });
});
