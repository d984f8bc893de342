import { createServer } from "node:net";
import { createWorld } from "@ccbridge/cc-host";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { programText, programVersion } from "../src/index.js";
import { type Greeting, ScriptedBridge } from "./scripted-bridge.js";
import { prompt, screenText, shows, startAgent } from "./start-agent.js";

async function atPrompt(files: Record<string, string> = {}, options = {}) {
  const world = await createWorld();
  const computer = world.computer({
    ...options,
    files: { "/mcp-computer.lua": programText, ...files },
  });
  computer.turnOn();
  await prompt(computer);
  return { world, computer, [Symbol.dispose]: () => world.close() };
}

async function typed(line: string, files: Record<string, string> = {}): Promise<string> {
  using at = await atPrompt(files);
  at.computer.type(`clear\n${line}\n`);
  await at.computer.idle();
  await prompt(at.computer);
  return screenText(at.computer);
}

describe("the command line", () => {
  it.each(["--version", "-version", "version"])("prints its version for %s", async (word) => {
    expect(await typed(`mcp-computer ${word}`)).toContain(`mcp-computer v${programVersion} >`);
  });

  it.each(["--help", "-help", "help"])("prints help for %s", async (word) => {
    const screen = await typed(`mcp-computer ${word}`);
    expect(screen).toContain("Usage: mcp-computer <ws-url>");
    expect(screen).toContain("--token <token>");
    expect(screen).toContain("--uninstall");
    expect(screen).toContain(texts.withoutAUrlItLinks);
  });

  it("prints its usage without a URL", async () => {
    expect(await typed("mcp-computer")).toContain(texts.usageMcpComputerWsUrl);
  });

  it.each([
    ["mcp-computer --nonsense", "unknown option --nonsense"],
    ["mcp-computer -url", "-url needs a value"],
    ["mcp-computer ws://a ws://b", "more than one URL"],
  ])("refuses %s", async (line, problem) => {
    const screen = await typed(line);
    expect(screen).toContain(problem);
    expect(screen).toContain("Usage:");
  });

  it("fails where it should, so that scripts notice", async () => {
    const screen = await typed("check", {
      "/check.lua": `print(shell.run("mcp-computer --version"), shell.run("mcp-computer --nope"))`,
    });
    expect(screen).toContain("true false");
  });

  it("accepts the URL after -url too", async () => {
    await using agent = await startAgent({ command: (url) => `mcp-computer -url ${url}\n` });
    await agent.link();
  });

  it("uses the version text of TrapOS where there is one", async () => {
    const screen = await typed("mcp-computer --version", {
      "/apis/libversion.lua": `return function() return { forSelf = function() return "v9.8.7" end } end`,
    });
    expect(screen).toContain("mcp-computer v9.8.7");
  });

  it("has descriptions for its settings", async () => {
    const screen = await typed("check", {
      "/check.lua": `shell.run("mcp-computer --version")
        for _, name in ipairs({ "url", "token", "world" }) do
          print(name, #settings.getDetails("mcp_computer." .. name).description > 10)
        end`,
    });
    expect(screen).toMatch(/url true token true world true/);
  });

  it("leaves no global behind, also with strict globals", async () => {
    const screen = await typed("check", {
      "/check.lua": `local before = {} for key in pairs(_G) do before[key] = true end
        setmetatable(_G, { __newindex = function(_, key) error("global " .. tostring(key), 2) end })
        shell.run("mcp-computer --version") shell.run("mcp-computer") shell.run("mcp-computer --help")
        local stray = {} for key in pairs(_G) do if not before[key] then stray[#stray + 1] = key end end
        print("stray: " .. #stray)`,
    });
    expect(screen).toContain("stray: 0");
    expect(screen).not.toContain("global ");
  });
});

describe("status and stop", () => {
  it("say so when nothing runs", async () => {
    using at = await atPrompt();
    at.computer.type("mcp-computer status\n");
    await at.computer.idle();
    at.world.tick(21);
    await shows(at.computer, "mcp-computer is not running.");
    await shows(at.computer, "bridge: none remembered");
    await shows(at.computer, "starts at boot: no");
  });

  it("ask the program in another tab", async () => {
    await using agent = await startAgent({
      computer: { advanced: true },
      command: (url) => `bg mcp-computer ${url}\n`,
    });
    const link = await agent.link();
    link.send("exec-lua", { code: "sleep(1000)" });
    await link.request("ping");
    agent.computer.type("mcp-computer status\n");
    await agent.shows(`linked to ${agent.bridge.url} as 12 (Label: base-turtle)`);
    await agent.shows("1 job running, 0 reconnects");
    agent.computer.type("mcp-computer stop\n");
    await link.until("close", () => link.closed);
  });
});

describe("failures", () => {
  const silent = createServer((socket) => socket.on("error", () => {}));
  let silentPort = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    silentPort = (silent.address() as { port: number }).port;
  });
  afterAll(() => void silent.close());

  it("explains that the http API is off", async () => {
    using at = await atPrompt({}, { http: false });
    at.computer.type("mcp-computer ws://10.0.0.5:3001\n");
    await shows(at.computer, "The http API is switched off on this server.");
    await shows(at.computer, "section [http], set enabled = true");
    await shows(at.computer, "<world>/serverconfig/computercraft-server.toml");
    await prompt(at.computer);
  });

  it("explains that websockets are off", async () => {
    using at = await atPrompt({
      "/run.lua": `http.websocketAsync = function() error("Websocket connections are disabled", 0) end
        shell.run("mcp-computer ws://10.0.0.5:3001")`,
    });
    at.computer.type("run\n");
    await shows(at.computer, "WebSockets are switched off on this server.");
    await shows(at.computer, "websocket_enabled = true");
    await prompt(at.computer);
  });

  it("prints the exact lines that permit the address, and keeps trying", async () => {
    await using agent = await startAgent({
      world: {
        httpRules: [
          { host: "$private", action: "deny" },
          { host: "*", action: "allow" },
        ],
      },
    });
    await agent.shows("(Domain not permitted)");
    await agent.shows("On the machine that runs the world, type: ccbridge allow");
    await agent.shows(
      `ABOVE the rule for $private in <world>/serverconfig/computercraft-server.toml: [[http.rules]] host = "127.0.0.1" port = ${agent.bridge.port} action = "allow"`,
    );
    agent.world.httpRules = [
      { host: "127.0.0.1", port: agent.bridge.port, action: "allow" },
      { host: "$private", action: "deny" },
    ];
    await agent.world.advance(2_100);
    await agent.link();
    await agent.shows("linked as 12");
  });

  it("explains a refused connection", async () => {
    const gone = await new ScriptedBridge().listen();
    const { url, port } = gone;
    await gone.close();
    await using agent = await startAgent({ url });
    await agent.shows("Nothing answers there. (Could not connect)");
    await agent.shows(`does it listen on port ${port}?`);
    await agent.shows("no link, next try in");
  });

  it("explains an answer that never comes", async () => {
    await using agent = await startAgent({ url: `ws://127.0.0.1:${silentPort}` });
    await agent.shows("connecting to");
    await agent.computer.until((computer) => computer.stats.timersActive > 0);
    agent.world.tick(45 * 20 + 2);
    await agent.shows("No answer in time. (Timed out)");
  });

  it("explains a web server that is not a bridge", async () => {
    await using agent = await startAgent({ command: () => "" });
    agent.bridge.refuseUpgrade = "404 Not Found";
    agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
    await agent.shows("A web server answers there, but it is not a bridge.");
    await agent.shows("404 Not Found");
    await agent.shows("not the MCP port (3000)");
  });

  it("explains a host that does not exist", async () => {
    await using agent = await startAgent({ url: "ws://nowhere.invalid:3001" });
    await agent.shows("No such host.");
    await agent.shows("Check the name 'nowhere.invalid'");
  });

  it("explains a certificate that the game will not trust", async () => {
    await using agent = await startAgent({ command: () => "" });
    agent.computer.type(`mcp-computer wss://127.0.0.1:${agent.bridge.port}\n`);
    await agent.shows("The secure connection failed.");
    await agent.shows("use ws://");
  });

  it("explains an address of another kind, and stops", async () => {
    using at = await atPrompt();
    at.computer.type("mcp-computer ftp://10.0.0.5\n");
    await shows(at.computer, "That is not a WebSocket address. (Invalid scheme 'ftp')");
    await shows(at.computer, "It should look like ws://192.168.1.20:3001");
    await prompt(at.computer);
  });

  it("explains that all websockets of the computer are taken", async () => {
    await using agent = await startAgent({
      computer: {
        files: {
          "/run.lua": `local sockets = {}
            for i = 1, 4 do sockets[i] = assert(http.websocket(... .. "/#own" .. i)) end
            shell.run("mcp-computer", ...) print(#sockets)`,
        },
      },
      command: (url) => `run ${url}\n`,
    });
    await agent.shows("This computer has reached its limit of WebSockets.");
    await agent.shows("http.max_websockets");
  });

  const greetings: [string, Greeting, string, string][] = [
    [
      "a bridge that does not know this hello",
      (link) => {
        link.sendRaw({ type: "hello-error", code: "bad-hello", message: "protocol 2 is too old" });
        link.close(4400, "bad hello");
      },
      "it is older or newer than this program. (protocol 2 is too old)",
      "/install.lua",
    ],
    [
      "a bridge that is full",
      (link) => {
        link.sendRaw({ type: "hello-error", code: "too-many-links", message: "64 links" });
        link.close(4429, "too many links");
      },
      "The bridge has reached its limit of computers. (64 links)",
      "no link, next try in",
    ],
    [
      "a bridge that objects to what it got",
      (link) => link.close(1008, "too many malformed frames"),
      "The bridge closed the link because of what this program sent.",
      "Update both",
    ],
  ];
  it.each(greetings)("explains %s", async (_name, greeting, text, remedy) => {
    await using agent = await startAgent({ greeting });
    await agent.shows(text);
    await agent.shows(remedy);
    await agent.shows(/next try in (1[5-9]|2\d|30) s/);
  });

  it("explains a server that accepts the socket and stays silent", async () => {
    await using agent = await startAgent({ greeting: () => {} });
    await agent.link();
    await agent.world.advance(15_100);
    await agent.shows("Something answers there, but not as a bridge does.");
  });

  it("explains each failure once, however often it comes", async () => {
    await using agent = await startAgent({ command: () => "" });
    agent.bridge.refuseUpgrade = "503 Service Unavailable";
    agent.computer.type(`mcp-computer ${agent.bridge.url}\n`);
    await agent.shows("503");
    await agent.world.advance(120_000);
    expect(screenText(agent.computer).split("it is not a bridge").length).toBe(2);
    expect(screenText(agent.computer)).toContain("connecting to");
  });
});
