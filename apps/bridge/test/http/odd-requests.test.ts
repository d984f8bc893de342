import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { closeOf, rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { recordingLogger } from "../helpers/recording-logger.js";

async function ask(port: number, lines: string[], body = ""): Promise<string> {
  const socket = await rawSocket(port);
  const head = [...lines, "Connection: close", `Content-Length: ${body.length}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  await closeOf(socket);
  return answer;
}

const accept = "Accept: application/json, text/event-stream";
const version = "MCP-Protocol-Version: 2026-07-28";

describe("a client without a session is answered, whatever address its request names", () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });

  it.each([
    ["a port that does not exist", "/mcp", "localhost:99999"],
    ["an address as for a proxy", "http://somebody:secret@localhost/mcp", "localhost"],
    ["a query that is not text", "/mcp?%ff%00=%e2%80", "localhost"],
  ])("%s", async (_, target, host) => {
    const { mcpPort } = await startTestBridge();
    const got = await ask(mcpPort, [`GET ${target} HTTP/1.1`, `Host: ${host}`, accept, version]);
    expect(got).toMatch(/^HTTP\/1\.1 405 /);
    const type = "Content-Type: application/json";
    const post = [`POST ${target} HTTP/1.1`, `Host: ${host}`, accept, version, type];
    expect(await ask(mcpPort, post, body)).toMatch(/^HTTP\/1\.1 [24]0\d /);
  });
});

it("a request without a body is the client's mistake, and not worth a line of the log", async () => {
  const { log, lines } = recordingLogger();
  const { mcpPort, pagesPort = 0 } = await startTestBridge(
    { pagesOrigins: ["http://localhost:5173"] },
    log,
  );
  for (const path of ["/mcp", "/mcp/messages?sessionId=1", "/proof", "/pairing/confirm"]) {
    const answer = await ask(mcpPort, [`POST ${path} HTTP/1.1`, "Host: localhost", accept]);
    expect(answer, path).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  const origin = "Origin: http://localhost:5173";
  const posted = ["POST /message?sessionId=1 HTTP/1.1", "Host: localhost", origin];
  const events = await rawSocket(pagesPort);
  events.write(`GET /events?sessionId=1 HTTP/1.1\r\nHost: localhost\r\n${origin}\r\n\r\n`);
  await once(events, "data");
  expect(await ask(pagesPort, posted)).toMatch(/^HTTP\/1\.1 [24]0\d /);
  expect(lines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
});
