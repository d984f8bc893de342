import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { createServer as createEncryptedServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { freePort, isFree } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, type StdioClient, stdioClient } from "../helpers/sdk-client.js";
import { spawnProgram } from "../helpers/spawn-bridge.js";
import { startServerBridge } from "../server/helpers.js";

const token = "a-good-client-token";
const events = "minecraft://servers/survival/events";
const chat = { player: "Steve", message: "hi" };

/** A client whose process would start a bridge on these ports, if it were not for BRIDGE_URL. */
async function remoteClient(env: Record<string, string>) {
  const ports = { mcp: await freePort(), link: await freePort() };
  const stdio = await stdioClient({
    MCP_PORT: String(ports.mcp),
    CC_LINK_PORT: String(ports.link),
    ...env,
  });
  expect(await Promise.all([isFree(ports.mcp), isFree(ports.link)])).toEqual([true, true]);
  return stdio;
}

function followed({ client }: StdioClient) {
  const data: unknown[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    const news = params._meta?.["dev.ccbridge/events"] as { events: { data: unknown }[] };
    data.push(...(news?.events ?? []).map((event) => event.data));
  });
  return data;
}

it("BRIDGE_URL and AUTH_TOKEN serve a remote bridge: its tools, its servers, their events", async () => {
  const bridge = await startServerBridge({ mcpTokens: [token] });
  const mod = await bridge.link({ name: "survival" });
  const stdio = await remoteClient({
    BRIDGE_URL: new URL(bridge.mcpUrl).origin,
    AUTH_TOKEN: token,
  });
  const { client } = stdio;
  expect((await callTool(client, "list-servers")).text).toContain("survival");
  await callTool(client, "send_message", { message: "hello" });
  expect(mod.requests).toEqual([{ name: "send_message", args: { message: "hello" } }]);
  const data = followed(stdio);
  await client.subscribeResource({ uri: events });
  mod.event("player_chat", chat);
  await expect.poll(() => data).toEqual([chat]);
});

it("the address may be that of the port for servers, by WebSocket, as the mod has it", async () => {
  const minecraftPort = await freePort();
  const bridge = await startServerBridge({ mcpTokens: [token], minecraftPort });
  await bridge.link({ name: "survival" });
  const { client } = await remoteClient({
    BRIDGE_URL: `ws://127.0.0.1:${minecraftPort}`,
    AUTH_TOKEN: token,
  });
  expect((await callTool(client, "list-servers")).text).toContain("survival");
});

it("events come again after the bridge was away, without a call of the client", async () => {
  const mcpPort = await freePort();
  const settings = { mcpTokens: [token], mcpPort };
  const first = await startServerBridge(settings);
  await first.link({ name: "survival" });
  const stdio = await remoteClient({
    BRIDGE_URL: `http://127.0.0.1:${mcpPort}/mcp`,
    AUTH_TOKEN: token,
  });
  const data = followed(stdio);
  await stdio.client.subscribeResource({ uri: events });
  await first.close();
  await stdio.logged("the connection to the bridge ended");
  const second = await startServerBridge(settings);
  const mod = await second.link({ name: "survival" });
  await stdio.logged("connected to the bridge again");
  mod.event("player_chat", chat);
  await expect.poll(() => data).toEqual([chat]);
});

it("a bridge that is not there is named, and why", async () => {
  const mcpPort = await freePort();
  const stdio = stdioClient({ BRIDGE_URL: `http://127.0.0.1:${mcpPort}`, AUTH_TOKEN: token });
  await expect(stdio).rejects.toThrow(/does not answer \(.*ECONNREFUSED/);
});

it("a wrong token is refused in the words of the bridge, not tried elsewhere", async () => {
  const bridge = await startServerBridge({ mcpTokens: [token] });
  const refused = stdioClient({ BRIDGE_URL: bridge.mcpUrl, AUTH_TOKEN: "not-the-token" });
  await expect(refused).rejects.toThrow(texts.thisBridgeRequiresA);
});

it("the link port is not taken for the MCP side", async () => {
  const bridge = await startServerBridge({ mcpTokens: [token] });
  const linkUrl = bridge.linkUrl.replace(/\/$/, "");
  const run = spawnProgram(["--stdio"], { BRIDGE_URL: linkUrl, AUTH_TOKEN: token });
  expect((await run.exited).code).toBe(1);
  expect(run.stderr()).toContain("where clients cannot connect");
});

it("an https address is served too, and its certificate is checked", async () => {
  const bridge = await startServerBridge({ mcpTokens: [token] });
  await bridge.link({ name: "survival" });
  const folder = scratchDirectory();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
  execFileSync("openssl", [...kind, "-keyout", key, "-out", cert, ...subject], { stdio: "ignore" });
  const proxy = createEncryptedServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (incoming, outgoing) => {
      const { method, url, headers } = incoming;
      const host = new URL(bridge.mcpUrl).host;
      const forward = request(new URL(url ?? "", bridge.mcpUrl), {
        method,
        headers: { ...headers, host },
      });
      forward.on("response", (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      });
      forward.on("error", () => outgoing.destroy());
      incoming.pipe(forward);
    },
  ).listen(0, "localhost");
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const remote = { BRIDGE_URL: `https://localhost:${port}`, AUTH_TOKEN: token };
  const { client } = await remoteClient({ ...remote, NODE_EXTRA_CA_CERTS: cert });
  expect((await callTool(client, "list-servers")).text).toContain("survival");
  await expect(stdioClient(remote)).rejects.toThrow("certificate");
});
