import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { helpText } from "../../src/cli/help.js";
import { loadCommand } from "../../src/config/load.js";
import {
  defaultConfig,
  environmentOf,
  flagOf,
  type SettingName,
  settings,
} from "../../src/config/settings.js";
import { scratchDirectory, scratchFile } from "../helpers/scratch.js";
import { config, type Env, problems } from "./helpers.js";
import { samples } from "./samples.js";

const NO_SETTINGS = JSON.stringify({ version: 1, settings: {} });

const cases = Object.entries(samples).map(([key, [text, value]]) => {
  const name = key as SettingName;
  const { env } = settings[name];
  if (env.endsWith("_FILE")) {
    const make = () => scratchFile(name === "settingsFile" ? NO_SETTINGS : "a-secret");
    return { name, env, text: make, value: undefined };
  }
  return { name, env, text: () => text, value: value ?? text.split(",") };
});

describe("each setting", () => {
  it.each(cases)("$env can be set by the environment", ({ name, env, text, value }) => {
    const raw = text();
    expect(config([], { [env]: raw })[name]).toEqual(value ?? raw);
  });

  it.each(cases)("$env can be set by its flag", ({ name, env, text, value }) => {
    const raw = text();
    expect(config([`--${flagOf(env)}`, raw])[name]).toEqual(value ?? raw);
    expect(config([`--${flagOf(env)}=${raw}`])[name]).toEqual(value ?? raw);
  });

  it.each(cases)("$env has a default that an empty variable leaves alone", ({ name, env }) => {
    expect(config([], { [env]: "" })[name]).toEqual(settings[name].default);
    expect(config([], { [env]: "  " })[name]).toEqual(settings[name].default);
  });

  it.each(cases)("the help text lists $env with its default", ({ name, env }) => {
    const { value, description, default: fallback } = settings[name];
    expect(helpText("settings").replace(/\s+/g, " ")).toContain(
      `--${flagOf(env)} <${value}> ${description} [${String(fallback) || "none"}]`,
    );
    expect(helpText()).toContain(` --${flagOf(env)}`);
  });
});

describe("pairing", () => {
  it.each([
    ["auto", "auto"],
    ["AUTO", "auto"],
    ["on", "on"],
    ["true", "on"],
    ["1", "on"],
    ["off", "off"],
    ["false", "off"],
    ["0", "off"],
  ])("%s means %s", (text, value) => {
    expect(config([], { CC_PAIRING: text }).pairing).toBe(value);
  });

  it("is automatic unless it is set, and has no other values", () => {
    expect(config([]).pairing).toBe("auto");
    expect(problems([], { CC_PAIRING: "yes" })).toEqual([
      expect.stringContaining(texts.mustBeAutoOn),
    ]);
  });
});

describe("web pages", () => {
  it("may come from the sites that --pages names", () => {
    expect(config(["--pages", "http://localhost:5173"]).pagesOrigins).toEqual([
      "http://localhost:5173",
    ]);
  });

  it.each(["null", "*", "localhost:5173", "http://a.example/path", "file:///x", "http://"])(
    "may not come from %s",
    (origin) => {
      expect(problems(["--pages", origin])).toEqual([
        expect.stringContaining(texts.ccPagesOriginsMust),
      ]);
    },
  );

  it.each(["a.example=dom:write", "*=", "*=DOM", "*", "a b@*=dom:write", "*=dom:write,x"])(
    "are granted nothing by %s",
    (entry) => {
      expect(problems([], { CC_PAGES_GRANTS: entry })).toHaveLength(1);
    },
  );

  it("need a separate port if they are allowed to connect", () => {
    expect(problems(["--mcp-port", "8765"])).toEqual([]);
    expect(problems(["--mcp-port", "8765", "--pages", "http://a.example"])).toEqual([
      texts.mcpPortAndCcPages,
    ]);
  });
});

describe("sources", () => {
  it("has the defaults of the documents", () => {
    expect(config([])).toMatchObject({
      mcpHost: "127.0.0.1",
      mcpPort: 3_000,
      linkHost: "0.0.0.0",
      linkPort: 3_001,
      probeTimeoutMs: 2_000,
      execWaitMs: 30_000,
      returnWaitMs: 5_000,
      bodyLimitBytes: 4_194_304,
      logLevel: "info",
    });
    expect(config([])).toEqual({ ...defaultConfig(), given: [] });
  });

  it("lets a flag win over the environment", () => {
    expect(config(["--mcp-port", "4000"], { MCP_PORT: "5000" }).mcpPort).toBe(4_000);
  });

  it("lets a good flag win over a bad variable", () => {
    expect(config(["--mcp-port", "4000"], { MCP_PORT: "many" }).mcpPort).toBe(4_000);
  });

  it("lets an empty flag remove tokens from the environment", () => {
    expect(config(["--mcp-tokens", ""], { MCP_TOKENS: "secret" }).mcpTokens).toEqual([]);
  });

  it("ignores spaces around a value, which Windows shells leave there", () => {
    expect(config([], { MCP_PORT: "4000 ", LOG_LEVEL: " warn" })).toMatchObject({
      mcpPort: 4_000,
      logLevel: "warn",
    });
  });

  it("accepts an IPv6 address in brackets", () => {
    expect(config(["--mcp-host", "[::1]"]).mcpHost).toBe("::1");
  });

  it.each([{ argv: ["--", "--mcp-port", "4000"] }, { argv: ["--", "--", "--mcp-port", "4000"] }])(
    "skips the -- of package managers in $argv",
    ({ argv }) => {
      expect(config(argv).mcpPort).toBe(4_000);
      expect(config(["--"]).mcpPort).toBe(3_000);
    },
  );

  it("knows the names that the design of the Minecraft bridge gives", () => {
    const names = { MCP_AUTH_TOKENS: "one,two", MINECRAFT_AUTH_TOKEN: "three", PORT: "8080" };
    expect(config([], names)).toMatchObject({
      mcpTokens: ["one", "two"],
      minecraftTokens: ["three"],
      minecraftPort: 8_080,
    });
    expect(config([], { ...names, MINECRAFT_TOKENS: "four" }).minecraftTokens).toEqual(["four"]);
    expect(config([], { PORT: "8080" }).minecraftPort).toBe(0);
    expect(problems([], { MINECRAFT_AUTH_TOKEN: "secret" })[0]).toContain("which is public");
  });

  it("freezes what it read", () => {
    expect(Object.isFrozen(config([]))).toBe(true);
  });

  it("hands settings on as an environment that gives the same settings", () => {
    const file = scratchFile("from-file\n");
    const original = config(["--mcp-port", "4000", "--log-level", "warn"], {
      MCP_TOKENS: "a,b",
      MCP_TOKENS_FILE: file,
    });
    const env = environmentOf(original);
    // Not as tokens: they would lose the rights that the file gives them.
    expect(env).toEqual({
      MCP_PORT: "4000",
      MCP_TOKENS: "a,b",
      MCP_TOKENS_FILE: file,
      LOG_LEVEL: "warn",
    });
    expect(config([], env)).toEqual(original);
  });
});

describe("commands", () => {
  it.each([
    { argv: ["--help"], action: "help" },
    { argv: ["-h"], action: "help" },
    { argv: ["--mcp-port", "many", "--help"], action: "help" },
    { argv: ["--version"], action: "version" },
    { argv: ["-v"], action: "version" },
  ])("$argv is $action", ({ argv, action }) => {
    expect(loadCommand({ argv, env: {} })).toEqual({ action });
  });

  it("serves over HTTP unless stdio is asked for", () => {
    expect(loadCommand({ argv: [], env: {} })).toMatchObject({ action: "serve", stdio: false });
    expect(loadCommand({ argv: ["--stdio"], env: {} })).toMatchObject({ stdio: true });
  });

  it("passes the arguments after minecraft-agent to that program unchanged", () => {
    const argv = ["minecraft-agent", "/srv/game", "--check", "--url", "ws://x"];
    expect(loadCommand({ argv: ["--", ...argv], env: {} })).toEqual({
      action: "minecraft-agent",
      argv: argv.slice(1),
    });
  });

  it("prints the configuration of a client that it knows", () => {
    expect(loadCommand({ argv: ["--print-client-config", "codex"], env: {} })).toMatchObject({
      action: "print-client-config",
      client: "codex",
    });
    expect(problems(["--print-client-config", "notepad"])).toEqual([texts.printClientConfigMustBe]);
  });

  it.each([
    ["192.168.1.20", "192.168.1.20", 3_001],
    ["192.168.1.20:4001", "192.168.1.20", 4_001],
    ["ws://bridge.example:4001/", "bridge.example", 4_001],
    ["[fd00::1]:4001", "fd00::1", 4_001],
    ["fd00::1", "fd00::1", 3_001],
  ])("allow accepts the address %s", (address, host, port) => {
    const argv = ["allow", "--address", address, "a world", "--remove"];
    expect(loadCommand({ argv, env: {} })).toEqual({
      action: "allow",
      addresses: [{ host, port }],
      folders: ["a world"],
      remove: true,
      yes: false,
    });
  });

  it("allow uses the settings of this bridge", () => {
    const argv = ["allow", "--yes", "--cc-link-port", "4001"];
    expect(loadCommand({ argv, env: { CC_LINK_HOST: "10.0.0.7" } })).toMatchObject({
      addresses: [{ host: "10.0.0.7", port: 4_001 }],
      folders: [],
      yes: true,
    });
  });

  it.each([
    {
      argv: ["allow", "--address", "two words"],
      expected: '--address must be a host or host:port; it is "two words"',
    },
    {
      argv: ["allow", "--address", "h:99999"],
      expected: '--address must be a host or host:port; it is "h:99999"',
    },
    {
      argv: ["allow", "--address", "ws://me:hush@h:3001/?token=hush"],
      expected: '--address must be a host or host:port; it is "ws://...@h:3001/?..."',
    },
    {
      argv: ["allow", "--address", "h:3001/?token=hush"],
      expected: '--address must be a host or host:port; it is "h:3001/?..."',
    },
    { argv: ["allow", "--stdio"], expected: "--stdio is unknown; see --help" },
    { argv: ["--remove"], expected: "--remove is unknown; see --help" },
    { argv: ["--stdio", "allow"], expected: '"allow" after --stdio is not a flag; see --help' },
  ])("$argv is a problem", ({ argv, expected }) => {
    expect(problems(argv)).toEqual([expected]);
  });

  it("prints the expected help text", () => {
    expect(helpText()).toMatchSnapshot();
    expect(helpText("token")).toMatchSnapshot();
    expect(helpText("token", "node start")).toMatch(/^node start token/);
    expect(helpText().split("\n").length).toBeLessThan(90);
  });
});

describe("problems", () => {
  it.each<{ argv?: string[]; env?: Env; expected: string[] }>([
    { env: { MCP_PORT: "many" }, expected: ['MCP_PORT must be a whole number; it is "many"'] },
    { env: { MCP_PORT: "70000" }, expected: ['MCP_PORT must be at most 65535; it is "70000"'] },
    { argv: ["--mcp-port", "-5"], expected: ['--mcp-port must be a whole number; it is "-5"'] },
    { argv: ["--mcp-port", "1.5"], expected: ['--mcp-port must be a whole number; it is "1.5"'] },
    { argv: ["--mcp-port"], expected: ["--mcp-port needs a value"] },
    { argv: ["--mcp-port", "--stdio"], expected: ["--mcp-port needs a value"] },
    { argv: ["--mcp-host", ""], expected: ['--mcp-host must not be empty; it is ""'] },
    {
      argv: ["--mcp-prot", "4000"],
      expected: ["--mcp-prot is unknown (did you mean --mcp-port?); see --help"],
    },
    { argv: ["-x"], expected: ["-x is unknown; see --help"] },
    { argv: ["--stdio=yes"], expected: ["--stdio takes no value"] },
    {
      argv: ["start"],
      expected: [
        '"start" is not a command (allow, token, pair, update-agents, doctor, minecraft-agent); see --help',
      ],
    },
    {
      argv: ["dcotor"],
      expected: ['"dcotor" is not a command (did you mean doctor?); see --help'],
    },
    { argv: ["--stdio", "on"], expected: ['"on" after --stdio is not a flag; see --help'] },
    {
      env: { CC_EXEC_WAIT_MS: "60000" },
      expected: ['CC_EXEC_WAIT_MS must be at most 50000; it is "60000"'],
    },
    {
      env: { LOG_LEVEL: "loud" },
      expected: ['LOG_LEVEL must be one of trace, debug, info, warn, error, silent; it is "loud"'],
    },
    {
      env: { MCP_ALLOWED_ORIGINS: "example.org" },
      expected: [
        'MCP_ALLOWED_ORIGINS must be origins such as https://example.org, separated by commas; it is "example.org"',
      ],
    },
    {
      // Its origin is "null", which would admit every sandboxed page.
      env: { MCP_ALLOWED_ORIGINS: "localhost:8080" },
      expected: [
        'MCP_ALLOWED_ORIGINS must be origins such as https://example.org, separated by commas; it is "localhost:8080"',
      ],
    },
    {
      env: { MCP_PUBLIC_URL: "https://me:hush@example.org" },
      expected: [
        'MCP_PUBLIC_URL must be an address such as https://bridge.example.org, without a path; it is "https://...@example.org"',
      ],
    },
    {
      env: { CC_TRUSTED_PROXIES: "127.0.0.1,proxy.lan" },
      expected: [
        'CC_TRUSTED_PROXIES must be addresses or ranges of proxies such as 127.0.0.1 or 10.0.0.0/8, separated by commas; a range cannot hold all addresses; it is "127.0.0.1,proxy.lan"',
      ],
    },
    {
      env: { MCP_ALLOWED_HOSTS: "https://example.org" },
      expected: [
        'MCP_ALLOWED_HOSTS must be names or addresses without scheme and port, separated by commas; it is "https://example.org"',
      ],
    },
    {
      env: { MCP_ALLOWED_HOSTS: "https://me:hush@example.org/?token=hush" },
      expected: [
        'MCP_ALLOWED_HOSTS must be names or addresses without scheme and port, separated by commas; it is "https://...@example.org/?..."',
      ],
    },
    {
      env: { CC_LINK_ALLOWED_HOSTS: "example.org:3001" },
      expected: [
        'CC_LINK_ALLOWED_HOSTS must be names or addresses without scheme and port, separated by commas; it is "example.org:3001"',
      ],
    },
    {
      env: { MCP_PORT: "3001" },
      expected: ["MCP_PORT and CC_LINK_PORT are both 3001; they need a port each"],
    },
    {
      env: { CC_HEARTBEAT_MS: "500", CC_UNRESPONSIVE_AFTER_MS: "400", CC_DROP_AFTER_MS: "300" },
      expected: [
        "CC_UNRESPONSIVE_AFTER_MS (400) must not be less than CC_HEARTBEAT_MS (500)",
        "CC_DROP_AFTER_MS (300) must not be less than CC_UNRESPONSIVE_AFTER_MS (400)",
      ],
    },
  ])("$argv $env is refused with a reason", ({ argv = [], env = {}, expected }) => {
    expect(problems(argv, env)).toEqual(expected);
  });

  it("reports all of them at once", () => {
    const argv = ["--mcp-port", "x", "--nonsense", "--log-level", "loud"];
    const env = { CC_LINK_PORT: "y", MCP_TOKENS_FILE: join(scratchDirectory(), "none") };
    const found = problems(argv, env);
    expect(found).toHaveLength(5);
    let message = "";
    try {
      loadCommand({ argv, env });
    } catch (error) {
      message = (error as Error).message;
    }
    for (const problem of found) expect(message).toContain(`\n  - ${problem}`);
  });

  it("does not compare a bad setting with a good one", () => {
    expect(problems([], { MCP_PORT: "many", CC_LINK_PORT: "3000" })).toHaveLength(1);
  });

  it("allows port 0 twice, as each gets its own port", () => {
    expect(config([], { MCP_PORT: "0", CC_LINK_PORT: "0" })).toMatchObject({
      mcpPort: 0,
      linkPort: 0,
    });
  });

  it("shows a long or wild value in bounds", () => {
    const [problem] = problems([], { MCP_PORT: `\u001b[31m${"9".repeat(10_000)}` });
    expect(problem).not.toContain("\u001b");
    expect(problem?.length).toBeLessThan(120);
  });
});
