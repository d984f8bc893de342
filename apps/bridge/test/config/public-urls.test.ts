import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { proxyTrust } from "../../src/config/addresses.js";
import { loadCommand } from "../../src/config/load.js";
import {
  linkAddresses,
  linkOrigins,
  localMcpOrigin,
  mcpOrigin,
  publicNames,
  readPublicUrl,
  socketUrl,
} from "../../src/config/public-urls.js";
import { type Config, defaultConfig } from "../../src/config/settings.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { spawnProgram } from "../helpers/spawn-bridge.js";

const config = (settings: Partial<Config>): Config => ({
  ...defaultConfig(),
  linkHost: "127.0.0.1",
  ...settings,
});

describe("a public address", () => {
  it.each([
    ["https://bridge.example.org", "https://bridge.example.org"],
    ["HTTPS://Bridge.Example.org:443/", "https://bridge.example.org"],
    ["wss://bridge.example.org:8443", "https://bridge.example.org:8443"],
    ["ws://[2001:db8::1]:80", "http://[2001:db8::1]"],
  ])("%s is %s", (text, origin) => {
    expect(readPublicUrl(text)).toBe(origin);
  });

  it.each([
    "bridge.example.org",
    "ftp://bridge.example.org",
    "https://bridge.example.org/mcp",
    "https://bridge.example.org/?token=x",
    "https://me:hush@bridge.example.org",
    "https://bridge.example.org#x",
    "https://",
    "https://two words",
  ])("%s is none", (text) => {
    expect(readPublicUrl(text)).toBeUndefined();
  });

  it("takes the place of the addresses of the machine, except for programs on it", () => {
    const open = config({
      mcpPublicUrl: "https://mcp.example.org",
      linkPublicUrl: "https://[2001:db8::1]:8443",
    });
    expect(mcpOrigin(open, 3_000)).toBe("https://mcp.example.org");
    expect(localMcpOrigin(open, 3_000)).toBe("http://127.0.0.1:3000");
    expect(linkOrigins(open, 3_001).map(socketUrl)).toEqual(["wss://[2001:db8::1]:8443"]);
    expect(linkAddresses(open, 3_001)).toEqual([{ host: "2001:db8::1", port: 8_443 }]);
    expect(publicNames(open.linkPublicUrl)).toEqual(["2001:db8::1"]);
  });

  it("that is not set changes nothing", () => {
    expect(mcpOrigin(config({}), 3_000)).toBe("http://127.0.0.1:3000");
    expect(linkOrigins(config({}), 3_001)).toEqual(["http://127.0.0.1:3001"]);
    expect(linkAddresses(config({}), 3_001)).toEqual([{ host: "127.0.0.1", port: 3_001 }]);
    expect(publicNames("")).toEqual([]);
  });

  it("has the usual port of its scheme", () => {
    const ports = ["https://a.example", "http://a.example", "http://a.example:81"].map(
      (linkPublicUrl) => linkAddresses(config({ linkPublicUrl }), 3_001)[0]?.port,
    );
    expect(ports).toEqual([443, 80, 81]);
  });

  it("is what ccbridge allow lets computers reach", () => {
    const env = { CC_LINK_PUBLIC_URL: "https://bridge.example.org" };
    expect(loadCommand({ argv: ["allow"], env })).toMatchObject({
      addresses: [{ host: "bridge.example.org", port: 443 }],
    });
  });

  it.each(["codex", "claude-code", "opencode", "gemini", "cursor"])(
    "is in the configuration that is printed for %s",
    async (client) => {
      const env = { MCP_PUBLIC_URL: "https://mcp.example.org", MCP_TOKENS: "a-token" };
      const program = spawnProgram(["--print-client-config", client], env);
      expect(await program.exited).toMatchObject({ code: 0 });
      const text = program.lines.join("\n");
      expect(text).toContain("https://mcp.example.org/mcp");
      expect(text).not.toContain("http://");
    },
  );

  it("is in the configuration of a new token", async () => {
    const env = { MCP_PUBLIC_URL: "https://mcp.example.org", MCP_TOKENS_FILE: "tokens" };
    const program = spawnProgram(["token", "add", "--name", "alice"], env, undefined, {
      cwd: scratchDirectory(),
    });
    expect(await program.exited).toMatchObject({ code: 0 });
    expect(program.lines.join("\n")).toContain(texts.ccbridgeHttpsMcpExample);
  });
});

describe("trusted proxies", () => {
  const trusts = proxyTrust(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32", "::1"]);

  it.each([
    ["127.0.0.1", true],
    ["::ffff:127.0.0.1", true],
    ["127.0.0.2", false],
    ["10.200.0.1", true],
    ["11.0.0.1", false],
    ["2001:db8:1::5", true],
    ["2001:db9::5", false],
    ["::1", true],
    ["fe80::1%eth0", false],
    ["localhost", false],
    ["", false],
    [undefined, false],
  ])("%s: %s", (address, isTrusted) => {
    expect(trusts(address)).toBe(isTrusted);
  });

  it("are none by default", () => {
    expect(proxyTrust([])("127.0.0.1")).toBe(false);
  });

  it.each(["proxy.lan", "10.0.0.0/33", "::/129", "0.0.0.0/0", "::/0", "10.0.0.0/", "10/8", "*"])(
    "%s is not one",
    (range) => {
      expect(() => proxyTrust([range])).toThrow(TypeError);
    },
  );
});
