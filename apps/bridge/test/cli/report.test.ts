import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import os, { type NetworkInterfaceInfo } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { isWeakToken } from "../../src/auth/token-warnings.js";
import { ownCommand } from "../../src/cli/context.js";
import { createReport, reportText } from "../../src/cli/report.js";
import { startupWarnings } from "../../src/cli/warnings.js";
import { reachableAddresses } from "../../src/config/addresses.js";
import { loadCommand } from "../../src/config/load.js";
import { type Config, defaultConfig } from "../../src/config/settings.js";
import { scratchDirectory, scratchFile } from "../helpers/scratch.js";

beforeEach(() => {
  vi.spyOn(os, "networkInterfaces").mockReturnValue({
    lo: [address("127.0.0.1", true), address("::1", true)],
    eth0: [address("192.0.2.10"), address("2001:db8::10"), address("fe80::10")],
    wlan0: [address("198.51.100.20")],
  });
});

function address(value: string, internal = false) {
  const family = value.includes(":") ? "IPv6" : "IPv4";
  return { address: value, family, internal } as NetworkInterfaceInfo;
}

const good = "0e9c4f52-7a81-4b3d-9d6e-c1f8a2b7d305";

function report(settings: Partial<Config> = {}, linkPort = 3_001, mcpPort = 3_000) {
  return createReport({
    config: { ...defaultConfig(), ...settings },
    version: "1.2.3",
    command: ["node", "/opt/ccbridge/main.js"],
    ownCommand: "ccbridge",
    mcpPort,
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

  it("names the public ones instead, where they are set", () => {
    const shown = report({
      mcpPublicUrl: "https://mcp.example.org",
      linkPublicUrl: "https://bridge.example.org",
      minecraftTokens: [good],
    });
    expect(shown).toMatchObject({
      mcpUrl: "https://mcp.example.org/mcp",
      linkUrls: ["wss://bridge.example.org"],
      serverUrls: ["wss://bridge.example.org/minecraft"],
      gameCommand: texts.wgetRunHttpsBridgeExample,
      allowCommand: "ccbridge allow --address bridge.example.org:443",
    });
    for (const { text } of shown.clientConfigs)
      expect(text).toContain("https://mcp.example.org/mcp");
  });

  it("says that every computer waits for approval behind a trusted proxy", () => {
    const { pairing } = report({ trustedProxies: ["127.0.0.1"] });
    expect(pairing).toBe("on");
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
    vi.mocked(os.networkInterfaces).mockReturnValueOnce({
      "vEthernet (WSL)": [address("172.28.0.1")],
      docker0: [address("172.17.0.1")],
      "Ethernet 2": [address("169.254.7.7")],
      "Wi-Fi": [address("192.168.1.20")],
    });
    expect(reachableAddresses("0.0.0.0")).toEqual([
      "192.168.1.20",
      "172.28.0.1",
      "172.17.0.1",
      "127.0.0.1",
    ]);
  });

  it("has an address even on a machine without a network", () => {
    vi.mocked(os.networkInterfaces).mockReturnValueOnce({});
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
    { what: "the defaults", settings: {}, fixes: [] },
    { what: "pairing of every computer", settings: { pairing: "on" }, fixes: [] },
    {
      what: "an open link side",
      settings: { pairing: "off" },
      fixes: [["CC_PAIRING=auto", "CC_LINK_TOKENS", "CC_LINK_HOST=127.0.0.1"]],
    },
    { what: "loopback only", settings: { linkHost: "127.0.0.1" }, fixes: [] },
    { what: "IPv6 loopback only", settings: { linkHost: "::1", mcpHost: "::1" }, fixes: [] },
    { what: "localhost only", settings: { linkHost: "Localhost" }, fixes: [] },
    { what: "a link token", settings: { linkTokens: [good] }, fixes: [] },
    {
      what: "an open MCP side",
      settings: { linkTokens: [good], mcpHost: "0.0.0.0" },
      fixes: [["MCP_TOKENS", "MCP_HOST=127.0.0.1"]],
    },
    {
      what: "an MCP side that is open under a name like a loopback address",
      settings: { linkTokens: [good], mcpHost: "127.example.org" },
      fixes: [["MCP_TOKENS", "MCP_HOST=127.0.0.1"]],
    },
    {
      what: "an open MCP side with a token",
      settings: { linkTokens: [good], mcpHost: "0.0.0.0", mcpTokens: [good] },
      fixes: [],
    },
    {
      what: "a public name that needs no token",
      settings: { linkTokens: [good], mcpAllowedHosts: ["localhost", "mcp.example.org"] },
      fixes: [
        ["reach mcp.example.org can run code", "dashboard", "MCP_TOKENS", "MCP_ALLOWED_HOSTS"],
      ],
    },
    {
      what: "a public address that needs no token, and a proxy that is not trusted",
      settings: { linkTokens: [good], mcpPublicUrl: "https://mcp.example.org" },
      fixes: [
        ["reach mcp.example.org can run code", "dashboard", "MCP_TOKENS", "MCP_PUBLIC_URL"],
        ["MCP_PUBLIC_URL is the address of a proxy", "CC_TRUSTED_PROXIES"],
      ],
    },
    {
      what: "public addresses with tokens and a trusted proxy",
      settings: {
        mcpTokens: [good],
        mcpPublicUrl: "https://mcp.example.org",
        linkPublicUrl: "https://bridge.example.org",
        linkTokens: [good],
        trustedProxies: ["127.0.0.1"],
      },
      fixes: [],
    },
    {
      what: "a link side that is open under its public address",
      settings: {
        linkHost: "127.0.0.1",
        pairing: "off",
        linkPublicUrl: "http://bridge.example.org",
      },
      fixes: [["reach bridge.example.org can link", "CC_LINK_PUBLIC_URL", "CC_LINK_TOKENS"]],
    },
    {
      what: "an address of another machine's that needs no token",
      settings: { linkTokens: [good], mcpAllowedHosts: ["192.0.2.10"] },
      fixes: [["reach 192.0.2.10 can run code", "MCP_TOKENS"]],
    },
    {
      what: "a public name with a token, and names of this machine without one",
      settings: {
        linkTokens: [good],
        mcpTokens: [good],
        mcpAllowedHosts: ["mcp.example.org"],
        linkAllowedHosts: ["localhost", "127.0.0.1"],
      },
      fixes: [],
    },
    {
      what: "a public name of the link side that needs no token",
      settings: {
        pairing: "off",
        linkHost: "127.0.0.1",
        linkAllowedHosts: ["bridge.example.org"],
      },
      fixes: [["reach bridge.example.org can link", "CC_PAIRING", "CC_LINK_TOKENS"]],
    },
    {
      what: "both sides open",
      settings: { mcpHost: "::", pairing: "off" },
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

describe("warnings of tokens", () => {
  const linkHost = "127.0.0.1";
  const load = (argv: string[], env = {}) => {
    const command = loadCommand({ argv: ["--cc-link-host", linkHost, ...argv], env });
    return command.action === "serve" ? command.config : expect.unreachable();
  };
  const privateFile = (content: string, mode = 0o600) => {
    const path = scratchFile(content);
    chmodSync(path, mode);
    return path;
  };

  it.each(["MCP_TOKENS", "CC_LINK_TOKENS", "CC_PAGES_TOKENS", "MINECRAFT_TOKENS"])(
    "%s: as a flag, too short, or in a file that others can read",
    (variable) => {
      const flag = `--${variable.toLowerCase().replaceAll("_", "-")}`;
      const good2 = `${good}2`;
      expect(startupWarnings(load([], { [variable]: good }))).toEqual([]);
      expect(startupWarnings(load([flag, good]))).toEqual([
        expect.stringMatching(`^${flag} shows its tokens.*${variable}.*${variable}_FILE`),
      ]);
      expect(startupWarnings(load([], { [variable]: `${good},hush-hush` }))).toEqual([
        expect.stringMatching(fill(texts.containsATokenThatCan, variable)),
      ]);
      const file = (content: string, mode?: number) =>
        startupWarnings(load([], { [`${variable}_FILE`]: privateFile(content, mode) }), "linux");
      expect(file(`${good}\n`)).toEqual([]);
      expect(file(`${good}\n`, 0o640)).toEqual([]);
      expect(file(`${good}\n# comment\nhush-hush\n${good2}\n`)).toEqual([
        expect.stringMatching(`file \\(${variable}_FILE\\) contains a token \\(line-3\\)`),
      ]);
      expect(file(`${good}\n`, 0o644)).toEqual([
        expect.stringMatching(`can read .*${variable}_FILE.*chmod o-rwx`),
      ]);
      expect(file(`${good}\n`, 0o666)).toEqual([expect.stringContaining("can read and change")]);
      const all = load([flag, "hush-hush"], {
        [`${variable}_FILE`]: privateFile("hush-2\n", 0o644),
      });
      expect(startupWarnings(all, "linux")).toHaveLength(4);
      expect(startupWarnings(all, "win32")).toHaveLength(3);
      expect(startupWarnings(all, "linux").join()).not.toContain("hush");
    },
  );

  it.each([
    "t",
    "fifteen-letters",
    "aaaaaaaaaaaaaaaaaaaaaaaa",
    "12345678901234567890",
    "abcdefghijklmnopqrstuvwxyz",
    "passwordpassword",
    "my-secret-token-1234",
    "x7Kp9qx7Kp9qx7Kp9q",
    "YOUR_TOKEN_CHANGE_ME",
  ])("%s can be guessed", (token) => {
    expect(isWeakToken(token)).toBe(true);
  });

  it("random tokens cannot be guessed", () => {
    const random = fc.uint8Array({ minLength: 24, maxLength: 24 });
    for (let round = 0; round < 2_000; round++) {
      expect(isWeakToken(randomUUID())).toBe(false);
      for (const form of ["hex", "base64url"] as const) {
        const token = randomBytes(16).toString(form);
        expect(isWeakToken(token), token).toBe(false);
      }
    }
    fc.assert(
      fc.property(random, fc.nat(200), (bytes, times) => {
        isWeakToken(Buffer.from(bytes).toString("latin1").repeat(times));
      }),
    );
  });
});

describe("folders to sync", () => {
  const warningsFor = (path: string) =>
    report({ linkTokens: [good], syncFolders: [`scripts=${path}`] }).warnings;

  it("that exist are not a problem", () => {
    expect(warningsFor(scratchDirectory())).toEqual([]);
  });

  it("that are missing are reported, also with = in their path", () => {
    const path = join(scratchDirectory(), "a=b");
    expect(warningsFor(path)).toEqual([fill(texts.theFolderScriptsOfCc, path)]);
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
    [{ npm_command: "exec", npm_lifecycle_script: 'ccbridge "--slim"' }, "npx ccbridge"],
    [{ npm_command: "exec", npm_lifecycle_script: "vitest" }, "ccbridge"],
    [
      { npm_lifecycle_event: "start", npm_config_user_agent: "pnpm/10.34.9 npm/? node/v20" },
      "npx -y pnpm@10.34.9 start",
    ],
    [{ CCBRIDGE_COMMAND: "node start" }, "node start"],
  ])("begins with what the user typed (%j)", (env, command) => {
    expect(ownCommand(env)).toBe(command);
  });
});

it("the command that approves a computer asks the bridge that printed it", () => {
  expect(report().pairCommand).toBe("ccbridge pair CODE");
  expect(report({ mcpHost: "0.0.0.0" }).pairCommand).toBe("ccbridge pair CODE");
  expect(report({ mcpHost: "::1" }, 3_001, 4_000).pairCommand).toBe(
    "ccbridge pair CODE --mcp-host ::1 --mcp-port 4000",
  );
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

  it("says which computers wait for approval, and how to approve them", () => {
    const approval = /shows a code and\s+waits until you approve it.*ccbridge pair CODE/s;
    expect(reportText(report())).toMatch(approval);
    expect(reportText(report())).toContain(texts.connectsToLinksAt);
    expect(reportText(report())).toContain("set CC_PAIRING=on");
    const strict = reportText(report({ pairing: "on", linkTokens: [good] }));
    expect(strict).toMatch(approval);
    expect(strict).not.toContain("127.0.0.1 links at once");
    expect(reportText(report({ pairing: "off" }))).not.toContain("approve");
    expect(reportText(report({ linkTokens: [good] }))).not.toContain("approve");
  });

  it("reads well with tokens", () => {
    expect(reportText(report({ mcpTokens: [good], linkTokens: [good] }))).toMatchSnapshot();
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
        command: ["ccbridge"],
        ownCommand: "ccbridge",
        ...ports,
      }),
    );
    expect(text).toContain("  Web pages     ws://127.0.0.1:8765/ws\n");
    expect(text).toContain("  Servers       ws://192.0.2.10:3001/minecraft\n");
    expect(text).not.toContain("a-server-token-1");
  });
});
