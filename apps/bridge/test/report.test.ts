import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { type Config, defaultConfig } from "../src/config/settings.js";
import { reachableAddresses } from "../src/net/addresses.js";
import { ownCommand } from "../src/startup/own-command.js";
import { createReport, reportText } from "../src/startup/report.js";
import { scratchDirectory, scratchFile } from "./helpers/scratch.js";

vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  networkInterfaces: vi.fn(() => ({
    lo: [address("127.0.0.1", true), address("::1", true)],
    eth0: [address("192.0.2.10"), address("2001:db8::10"), address("fe80::10")],
    wlan0: [address("198.51.100.20")],
  })),
}));

function address(value: string, internal = false) {
  return { address: value, family: value.includes(":") ? "IPv6" : "IPv4", internal };
}

function report(settings: Partial<Config> = {}, linkPort = 3_001) {
  return createReport({
    config: { ...defaultConfig(), ...settings },
    version: "1.2.3",
    program: "/opt/ccbridge/main.js",
    ownCommand: "ccbridge",
    mcpPort: 3_000,
    linkPort,
  });
}

describe("addresses", () => {
  it("names every address at which computers reach a listener on all of them", () => {
    expect(report().linkUrls).toEqual([
      "ws://192.0.2.10:3001",
      "ws://198.51.100.20:3001",
      "ws://127.0.0.1:3001",
    ]);
  });

  it("names IPv6 addresses in brackets, except those that need a zone", () => {
    expect(report({ linkHost: "::" }).linkUrls).toEqual([
      "ws://192.0.2.10:3001",
      "ws://[2001:db8::10]:3001",
      "ws://198.51.100.20:3001",
      "ws://127.0.0.1:3001",
    ]);
  });

  it.each([
    { linkHost: "192.0.2.10", url: "ws://192.0.2.10:3001" },
    { linkHost: "2001:db8::10", url: "ws://[2001:db8::10]:3001" },
    { linkHost: "localhost", url: "ws://localhost:3001" },
  ])("names just $linkHost when it listens only there", ({ linkHost, url }) => {
    expect(report({ linkHost })).toMatchObject({
      linkUrls: [url],
      gameCommand: `wget run ${url.replace("ws", "http")}/install.lua`,
    });
  });

  it.each([
    { mcpHost: "127.0.0.1", url: "http://127.0.0.1:3000/mcp" },
    { mcpHost: "0.0.0.0", url: "http://127.0.0.1:3000/mcp" },
    { mcpHost: "::", url: "http://127.0.0.1:3000/mcp" },
    { mcpHost: "::1", url: "http://[::1]:3000/mcp" },
    { mcpHost: "192.0.2.10", url: "http://192.0.2.10:3000/mcp" },
  ])("has a URL for MCP clients when it listens on $mcpHost", ({ mcpHost, url }) => {
    const { mcpUrl, clientConfigs } = report({ mcpHost });
    expect(mcpUrl).toBe(url);
    for (const { text } of clientConfigs) expect(text).toContain(url);
  });

  it("names the home network before those of containers and tunnels, and no dead adapter", () => {
    vi.mocked(networkInterfaces).mockReturnValueOnce({
      "vEthernet (WSL)": [address("172.28.0.1")],
      docker0: [address("172.17.0.1")],
      "Ethernet 2": [address("169.254.7.7")],
      "Wi-Fi": [address("192.168.1.20")],
    } as unknown as ReturnType<typeof networkInterfaces>);
    expect(reachableAddresses("0.0.0.0")).toEqual([
      "192.168.1.20",
      "172.28.0.1",
      "172.17.0.1",
      "127.0.0.1",
    ]);
  });

  it("has an address even on a machine without a network", () => {
    vi.mocked(networkInterfaces).mockReturnValueOnce({});
    expect(report().linkUrls).toEqual(["ws://127.0.0.1:3001"]);
  });

  it("has configurations for four clients", () => {
    expect(report().clientConfigs.map(({ client }) => client)).toEqual([
      "opencode",
      "claude-code",
      "codex",
      "gemini",
    ]);
  });
});

describe("warnings", () => {
  it.each<{ what: string; settings: Partial<Config>; fixes: string[][] }>([
    { what: "the defaults", settings: {}, fixes: [["CC_LINK_TOKENS", "CC_LINK_HOST=127.0.0.1"]] },
    { what: "loopback only", settings: { linkHost: "127.0.0.1" }, fixes: [] },
    { what: "IPv6 loopback only", settings: { linkHost: "::1", mcpHost: "::1" }, fixes: [] },
    { what: "localhost only", settings: { linkHost: "Localhost" }, fixes: [] },
    { what: "a link token", settings: { linkTokens: ["t"] }, fixes: [] },
    {
      what: "an open MCP side",
      settings: { linkTokens: ["t"], mcpHost: "0.0.0.0" },
      fixes: [["MCP_TOKENS", "MCP_HOST=127.0.0.1"]],
    },
    {
      what: "an MCP side that is open under a name like a loopback address",
      settings: { linkTokens: ["t"], mcpHost: "127.example.org" },
      fixes: [["MCP_TOKENS", "MCP_HOST=127.0.0.1"]],
    },
    {
      what: "an open MCP side with a token",
      settings: { linkTokens: ["t"], mcpHost: "0.0.0.0", mcpTokens: ["t"] },
      fixes: [],
    },
    {
      what: "both sides open",
      settings: { mcpHost: "::" },
      fixes: [["MCP_TOKENS"], ["CC_LINK_TOKENS"]],
    },
  ])("name the fix for $what", ({ settings, fixes }) => {
    const { warnings } = report(settings);
    expect(warnings).toHaveLength(fixes.length);
    for (const [index, words] of fixes.entries()) {
      for (const word of words) expect(warnings[index]).toContain(word);
    }
  });
});

describe("folders to sync", () => {
  const warningsFor = (path: string) =>
    report({ linkTokens: ["t"], syncFolders: [`scripts=${path}`] }).warnings;

  it("that exist are not a problem", () => {
    expect(warningsFor(scratchDirectory())).toEqual([]);
  });

  it("that are missing are reported, also with = in their path", () => {
    const path = join(scratchDirectory(), "a=b");
    expect(warningsFor(path)).toEqual([
      `The folder "scripts" of CC_SYNC_FOLDERS cannot be used: ${path} does not exist. Create it, or correct the setting.`,
    ]);
  });

  it("that are files are reported", () => {
    expect(warningsFor(scratchFile(""))[0]).toContain("is not a folder");
  });
});

describe("the command that lets computers reach the bridge", () => {
  it("names what differs from the defaults, so that it fits this bridge", () => {
    expect(report().allowCommand).toBe("ccbridge allow");
    expect(report({ linkHost: "192.0.2.10" }, 4_001).allowCommand).toBe(
      "ccbridge allow --cc-link-host 192.0.2.10 --cc-link-port 4001",
    );
  });

  it.each([
    [{}, "ccbridge"],
    [{ npm_command: "exec" }, "npx @ccbridge/bridge"],
    [
      { npm_lifecycle_event: "start", npm_config_user_agent: "pnpm/10.34.9 npm/? node/v20" },
      "npx -y pnpm@10.34.9 start",
    ],
  ])("begins with what the user typed (%j)", (env, command) => {
    expect(ownCommand(env)).toBe(command);
  });
});

describe("secrets", () => {
  const secret = { mcpTokens: ["hush-mcp"], linkTokens: ["hush-link"] };

  it("are in no form of the report", () => {
    expect(JSON.stringify(report(secret))).not.toContain("hush");
    expect(reportText(report(secret))).not.toContain("hush");
  });

  it("have a placeholder where the user must put them", () => {
    const { gameCommand, clientConfigs } = report(secret);
    expect(gameCommand).toContain("?token=YOUR_TOKEN");
    for (const { text } of clientConfigs) expect(text).toContain("Bearer YOUR_TOKEN");
  });
});

describe("text", () => {
  it("reads well with the defaults", () => {
    expect(reportText(report())).toMatchSnapshot();
  });

  it("reads well with tokens", () => {
    expect(reportText(report({ mcpTokens: ["t"], linkTokens: ["t"] }))).toMatchSnapshot();
  });
});

describe("other sides", () => {
  it("are named only where something may connect", () => {
    const plain = reportText(report());
    expect(plain).not.toMatch(/^ {2}(Web pages|Servers)/m);
    const config = { ...defaultConfig(), minecraftTokens: ["a-server-token-1"] };
    const ports = { mcpPort: 3_000, linkPort: 3_001, pagesPort: 8_765 };
    const text = reportText(
      createReport({
        config,
        version: "1.2.3",
        program: "ccbridge",
        ownCommand: "ccbridge",
        ...ports,
      }),
    );
    expect(text).toContain("  Web pages     ws://127.0.0.1:8765/ws\n");
    expect(text).toContain("  Servers       ws://192.0.2.10:3001/minecraft\n");
    expect(text).not.toContain("a-server-token-1");
  });
});
