import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { foreignServer, isFree } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { health, program, spawnBridge, spawnProgram } from "../helpers/spawn-bridge.js";

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

describe("start", () => {
  it("reports on a pipe, in JSON lines, where it listens and what to do", async () => {
    const bridge = await spawnBridge([], { CC_PAIRING: "off" });
    expect(await health(bridge.mcpUrl)).toMatchObject({ ok: true, computers: 0, version });
    await bridge.kill("SIGTERM");
    const lines = bridge.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const started = lines.find(({ msg }) => msg === "bridge started");
    expect(started).toMatchObject({
      level: 30,
      version,
      mcpUrl: bridge.mcpUrl,
      linkUrls: expect.arrayContaining([bridge.linkUrl]),
      gameCommand: expect.stringMatching(/^wget run http:\/\//),
    });
    expect(lines.some(({ level, msg }) => level === 40 && /CC_LINK_TOKENS/.test(`${msg}`))).toBe(
      true,
    );
    expect(bridge.stderr()).toBe("");
  });

  it("logs no token, whether given or tried", async () => {
    const bridge = await spawnBridge([], { MCP_TOKENS: "hush-mcp", CC_LINK_TOKENS: "hush-link" });
    await linkComputer(`${bridge.linkUrl}/?token=hush-link`, { computerId: 1 });
    const refused = await linkComputer(bridge.linkUrl, { computerId: 2, token: "hush-wrong" });
    expect((await refused.closed).code).toBe(4401);
    await fetch(bridge.mcpUrl, { headers: { authorization: "Bearer hush-wrong" } });
    await bridge.kill("SIGTERM");
    expect(bridge.lines.length).toBeGreaterThan(2);
    expect(bridge.lines.join("\n")).not.toContain("hush");
  });

  const terminalMaker = "script";
  const hasScript = spawnSync(terminalMaker, ["--version"]).status === 0;
  it.skipIf(!hasScript)(
    hasScript
      ? "prints a readable report on a terminal"
      : "prints a readable report on a terminal (skipped: there is no `script` to make one)",
    async () => {
      const command = `exec '${process.execPath}' '${program}'`;
      const env = { MCP_PORT: "0", CC_LINK_PORT: "0", CC_PAIRING: "off", TERM: "dumb" };
      const terminal = spawnProgram(["-qec", command, "/dev/null"], env, [terminalMaker]);
      await terminal.line((line) => line.includes("Press Ctrl+C to stop."));
      const text = terminal.lines.join("\n").replaceAll("\r", "");
      expect(text).toContain(`ccbridge ${version}`);
      expect(text).toMatch(/MCP clients {3}http:\/\/127\.0\.0\.1:\d+\/mcp/);
      expect(text).toMatch(/Computers {5}ws:\/\/\S+:\d+/);
      expect(text).toMatch(new RegExp(texts.typeThisOnAComputer));
      for (const client of ["opencode", "claude-code", "codex", "gemini"]) {
        expect(text).toContain(`  ${client} (`);
      }
      expect(text).toContain("Warning: ");
      expect(terminal.lines.some((line) => line.startsWith("{"))).toBe(false);
      terminal.child.stdin.write("\u0003");
      expect(await terminal.exited).toMatchObject({ code: 0 });
    },
  );
});

describe("flags", () => {
  it("--version prints the version of the package", async () => {
    const run = spawnProgram(["--version"]);
    expect(await run.exited).toMatchObject({ code: 0 });
    expect(run.lines).toEqual([version]);
  });

  it("--help prints the settings", async () => {
    const run = spawnProgram(["--help"]);
    expect(await run.exited).toMatchObject({ code: 0 });
    expect(run.lines.join("\n")).toContain("--cc-link-port");
    const settings = spawnProgram(["--help-settings"]);
    expect(await settings.exited).toMatchObject({ code: 0 });
    expect(settings.lines.join("\n")).toContain("--cc-link-port <port>");
    const command = spawnProgram(["pair", "--help"]);
    expect(await command.exited).toMatchObject({ code: 0 });
    expect(command.lines[0]).toBe("ccbridge pair [code]");
  });

  it("--print-client-config prints nothing but the configuration, token included", async () => {
    const run = spawnProgram(["--print-client-config", "opencode"], { MCP_TOKENS: "hush" });
    expect(await run.exited).toMatchObject({ code: 0 });
    expect(JSON.parse(run.lines.join("\n")).mcp.ccbridge).toMatchObject({
      url: "http://127.0.0.1:3000/mcp",
      headers: { Authorization: "Bearer hush" },
    });
  });

  it("--print-client-config claude-desktop names the program and its settings", async () => {
    const args = ["--mcp-port", "4000", "--print-client-config", "claude-desktop"];
    const run = spawnProgram(args, { CC_HISTORY: "on" });
    await run.exited;
    expect(JSON.parse(run.lines.join("\n")).mcpServers.ccbridge).toEqual({
      command: "node",
      args: [program, "--stdio"],
      env: { MCP_PORT: "4000" },
    });
  });

  it.each([{ mode: [] }, { mode: ["--stdio"] }])(
    "bad settings end the start with every problem on stderr $mode",
    async ({ mode }) => {
      const run = spawnProgram([...mode, "--mcp-port", "many", "--nonsense"], {
        LOG_LEVEL: "loud",
      });
      expect(await run.exited).toMatchObject({ code: 1 });
      expect(run.lines).toEqual([]);
      for (const problem of ["--mcp-port must be", "--nonsense is unknown", "LOG_LEVEL must be"]) {
        expect(run.stderr()).toContain(problem);
      }
      expect(run.stderr()).not.toContain("    at ");
    },
  );
});

describe("a port in use", () => {
  it.each([
    { setting: "MCP_PORT", flag: "--mcp-port", host: "127.0.0.1" },
    { setting: "CC_LINK_PORT", flag: "--cc-link-port", host: "0.0.0.0" },
  ])("$setting is a clear error, and the holder is left alone", async (row) => {
    const { setting, flag, host } = row;
    const holder = await foreignServer(host);
    const env = { MCP_PORT: "0", CC_LINK_PORT: "0", [setting]: String(holder.port) };
    const run = spawnProgram([], env);
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.lines).toEqual([]);
    const text = run.stderr();
    expect(text).toContain(`Port ${holder.port} on ${host} (${setting}, ${flag}) is in use`);
    expect(text).not.toContain("    at ");
    const [, alternative] = new RegExp(`use a free port: ${flag} (\\d+)`).exec(text) ?? [];
    expect(await isFree(Number(alternative), host)).toBe(true);
    const answer = await fetch(`http://127.0.0.1:${holder.port}/`);
    expect(await answer.text()).toBe("somebody else");
    const bridge = await spawnBridge([flag, String(alternative)]);
    expect(await health(bridge.mcpUrl)).toMatchObject({ ok: true });
  });

  it("held by a bridge is an error too, and that bridge keeps running", async () => {
    const first = await spawnBridge();
    const { fake } = await linkComputer(first.linkUrl, { computerId: 3 });
    const ports = { MCP_PORT: String(first.mcpPort), CC_LINK_PORT: String(first.linkPort) };
    const second = spawnProgram([], ports);
    expect(await second.exited).toMatchObject({ code: 1 });
    expect(second.stderr()).toMatch(new RegExp(texts.anotherCcbridgeVersionComputerLinked));
    const client = await connectClient(first.mcpUrl);
    expect((await callTool(client, "probe-computers")).text).toBe("pong from 3 (Label: null)");
    expect(fake.received.length).toBeGreaterThan(0);
  });

  it("an address of another machine is a clear error", async () => {
    const run = spawnProgram(["--mcp-host", "192.0.2.1", "--mcp-port", "0"]);
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.stderr()).toBe(texts.isNotAnAddressOf);
  });
});

describe("stop", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "%s notifies computers, answers open calls and exits with 0",
    async (signal) => {
      const bridge = await spawnBridge();
      const { code, programs, running } = endlessProgram();
      const linked = await linkComputer(bridge.linkUrl, { computerId: 5, programs });
      const client = await connectClient(bridge.mcpUrl);
      const call = callTool(client, "exec-lua", { computerId: 5, code });
      await running;
      const exit = await bridge.kill(signal);
      const result = await call;
      expect(result.isError).toBe(true);
      expect(result.text).toMatch(/shutting down/);
      expect((await linked.closed).code).toBe(1001);
      expect(exit).toMatchObject({ code: 0, signal: null });
      expect(bridge.stderr()).toBe("");
    },
  );

  it("does not wait for a client that holds its stream open", async () => {
    const bridge = await spawnBridge();
    const sessionId = await openSession(bridge.mcpUrl);
    const headers = { accept: "text/event-stream", "mcp-session-id": sessionId };
    const request = get(bridge.mcpUrl, { headers });
    onTestFinished(() => void request.destroy());
    const [stream] = await once(request, "response");
    expect(stream.statusCode).toBe(200);
    const ended = new Promise((resolve) => stream.resume().once("close", resolve));
    stream.on("error", () => {});
    const exit = await bridge.kill("SIGTERM");
    expect(exit).toMatchObject({ code: 0 });
    await ended;
  });

  it("does not wait for a computer that is stuck", async () => {
    const bridge = await spawnBridge();
    const { code, programs, running } = endlessProgram();
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 5, programs });
    const client = await connectClient(bridge.mcpUrl);
    const call = callTool(client, "exec-lua", { computerId: 5, code });
    await running;
    // It no longer reads, so it does not acknowledge the close.
    socket.pause();
    const exit = await bridge.kill("SIGTERM");
    expect((await call).isError).toBe(true);
    expect(exit).toMatchObject({ code: 0 });
  });

  it("more signals while it closes change nothing", async () => {
    const bridge = await spawnBridge();
    const { code, programs, running } = endlessProgram();
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 5, programs });
    const client = await connectClient(bridge.mcpUrl);
    const call = callTool(client, "exec-lua", { computerId: 5, code });
    await running;
    socket.pause();
    bridge.child.kill("SIGINT");
    await call;
    bridge.child.kill("SIGTERM");
    expect(await bridge.kill("SIGINT")).toMatchObject({ code: 0, signal: null });
  });

  it("keeps running when its log is not read", async () => {
    const bridge = await spawnBridge();
    bridge.child.stdout.destroy();
    await linkComputer(bridge.linkUrl, { computerId: 5 });
    expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1 });
  });
});

async function openSession(mcpUrl: string): Promise<string> {
  const response = await fetch(mcpUrl, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "test", version: "0" },
      },
    }),
  });
  await response.text();
  return response.headers.get("mcp-session-id") as string;
}
