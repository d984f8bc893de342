// No response contains a token, whatever is requested and whichever token is used where.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { expect, it } from "vitest";
import { bearer, startWithTokens } from "../../calls/helpers.js";
import { WirePage } from "../../dashboard/helpers.js";
import { openSocket } from "../../helpers/computer.js";
import { initialize, initializeBody, post } from "../../helpers/http.js";
import { scratchDirectory } from "../../helpers/scratch.js";

const secrets = {
  owner: "s3cret-of-the-owner",
  look: "s3cret-of-the-looker",
  setting: "s3cret-of-the-settings",
  link: "s3cret-of-the-link",
  server: "s3cret-of-the-server",
  page: "s3cret-of-the-pages",
};
const part = "s3cret";

async function start() {
  const lines: string[] = [];
  const folder = scratchDirectory();
  mkdirSync(join(folder, "dashboard"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>page</title>");
  writeFileSync(join(folder, "dashboard/main-abc.js"), "export {};");
  const bridge = await startWithTokens(
    `${secrets.owner} name=ann\n${secrets.look} name=lou mode=look computers=1\n`,
    {
      mcpTokens: [secrets.setting],
      linkTokens: [secrets.link],
      minecraftTokens: [secrets.server],
      pagesTokens: [secrets.page],
      pagesOrigins: ["http://localhost:5173"],
    },
    pino({ level: "trace" }, { write: (line) => void lines.push(line) }),
    { dashboard: { folder, command: ["node", "/opt/ccbridge/main.js"], ownCommand: "ccbridge" } },
  );
  return { bridge, lines };
}

async function textOf(response: Response): Promise<string> {
  const headers = JSON.stringify([...response.headers]);
  return `${response.status} ${response.statusText}\n${headers}\n${await response.text()}`;
}

it("no page and no error of any port contains a token, sent in the right place or a wrong one", async () => {
  const { bridge, lines } = await start();
  const ports = [bridge.mcpPort, bridge.linkPort, bridge.pagesPort];
  const paths = [
    ...[
      "/",
      "/mcp",
      "/mcp/sse",
      "/health",
      "/metrics",
      "/proof",
      "/pair",
      "/dashboard/main-abc.js",
    ],
    ...["/dashboard/nothing.js", "/dashboard/live", "/install.lua", "/ccpm", "/minecraft", "/ws"],
    ...["/nowhere", "/%zz", "/message?sessionId=x"],
  ];
  const shown: Record<string, string>[] = [
    { ...bearer(secrets.look), accept: "application/json" },
    {},
    { accept: "text/html" },
    bearer("wrong"),
    bearer(secrets.link),
    bearer(secrets.server),
  ];
  const answers: string[] = [];
  for (const port of ports) {
    for (const path of paths) {
      for (const headers of shown) {
        const hangUp = new AbortController();
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers,
          signal: hangUp.signal,
        });
        const streams = response.headers.get("content-type")?.includes("event-stream");
        if (streams) hangUp.abort();
        else answers.push(`${port}${path} ${await textOf(response)}`);
      }
    }
  }
  const join = (path: string, token: string) =>
    `${path}${path.includes("?") ? "&" : "?"}token=${token}`;
  for (const path of ["/nowhere", "/mcp", "/metrics", "/health", "/"]) {
    const response = await fetch(
      `http://127.0.0.1:${bridge.mcpPort}${join(path, secrets.server)}`,
      { method: path === "/" ? "GET" : "DELETE" },
    );
    answers.push(await textOf(response));
  }
  expect(answers.length).toBeGreaterThan(250);
  expect(answers.filter((text) => text.includes(part))).toEqual([]);
  const hasAnswer = (start: RegExp) => answers.some((text) => start.test(text));
  expect(hasAnswer(/^\d+\/metrics 200 .*ccbridge_/s)).toBe(true);
  expect(hasAnswer(/^\d+\/ 200 .*<title>page/s)).toBe(true);
  for (const status of [401, 404]) expect(hasAnswer(new RegExp(` ${status} `))).toBe(true);
  expect(lines.filter((line) => line.includes(part))).toEqual([]);
});

it("no MCP error contains a token, whatever a client sends", async () => {
  const { bridge, lines } = await start();
  const headers = bearer(secrets.look);
  const session = await initialize(bridge.mcpUrl, headers);
  const ask = async (body: unknown, more: Record<string, string> = {}) =>
    textOf(await post(bridge.mcpUrl, { session, body, headers: { ...headers, ...more } }));
  const call = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const answers = [
    await ask("{"),
    await ask([]),
    await ask(call("nothing", {})),
    await ask(call("tools/call", { name: "nothing" })),
    await ask(call("tools/call", { name: "exec-lua", arguments: { code: "x", computerId: 1 } })),
    await ask(call("tools/call", { name: "list-computers", arguments: {} })),
    await ask(call("tools/call", { name: "list-files", arguments: { computerId: 1 } })),
    await ask(call("resources/read", { uri: "cc://computers/1" })),
    await ask(call("prompts/get", { name: "nothing" })),
    await ask(initializeBody, bearer(secrets.owner)),
    await ask(initializeBody, bearer(`${secrets.owner}x`)),
    await ask(initializeBody, { "mcp-protocol-version": "2026-07-28" }),
  ];
  expect(answers.filter((text) => text.includes(part))).toEqual([]);
  expect(lines.filter((line) => line.includes(part))).toEqual([]);
  expect(JSON.stringify(bridge.audit.trail.recent())).not.toContain(part);
});

it("the dashboard's wire carries no token, not even for the owner", async () => {
  const { bridge, lines } = await start();
  const refused = new WirePage(bridge);
  await new Promise((resolve) => refused.socket.once("open", resolve));
  refused.send({ type: "hello", token: `${secrets.owner}x` });
  expect(JSON.stringify([await refused.closed, refused.received])).not.toContain(part);
  const page = await new WirePage(bridge).hello(secrets.owner);
  const watched = [
    page.watch("fleet", {}),
    page.watch("clients", {}),
    page.watch("activity", {}),
    page.watch("numbers", {}),
    page.watch("waiting", {}),
  ];
  await Promise.all(watched.map(({ first }) => first()));
  expect(await page.act("connect", {})).toBeDefined();
  await expect(page.act("list-files", { key: "x", path: "/" })).rejects.toThrow();
  expect(JSON.stringify(page.received)).not.toContain(part);
  expect(lines.filter((line) => line.includes(part))).toEqual([]);
});

it("a computer with a wrong token is refused without revealing the right one", async () => {
  const { bridge, lines } = await start();
  const { socket, closed } = await openSocket(bridge.linkUrl);
  const received: string[] = [];
  socket.on("message", (data) => received.push(String(data)));
  const token = `${secrets.link}x`;
  socket.send(JSON.stringify({ type: "hello", computerId: 1, computerLabel: null, token }));
  received.push(JSON.stringify(await closed));
  expect(received.join()).toMatch(/token/);
  expect(received.join()).not.toContain(part);
  expect(lines.filter((line) => line.includes(part))).toEqual([]);
});
