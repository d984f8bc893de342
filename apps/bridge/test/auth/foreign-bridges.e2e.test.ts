import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { findOrStartBridge } from "../../src/cli/stdio/find-bridge.js";
import { type Config, defaultConfig, StartError, silentLogger } from "../../src/index.js";
import { startTestBridge } from "../helpers/bridge.js";
import { initializeBody, post } from "../helpers/http.js";
import { foreignServer } from "../helpers/ports.js";

const TOKEN = "a-token-that-nobody-else-may-see";

const find = (settings: Partial<Config>) =>
  findOrStartBridge({
    config: { ...defaultConfig(), linkHost: "127.0.0.1", linkPort: 0, ...settings },
    log: silentLogger(),
    version: "1.2.3",
  });

async function record(request: IncomingMessage): Promise<string> {
  let seen = `${request.method} ${request.url} ${JSON.stringify(request.headers)}`;
  for await (const chunk of request) seen += String(chunk);
  return seen;
}

describe("a program that claims to be a bridge", () => {
  it.each([
    ["by its health", () => ({ ok: true, name: "ccbridge" })],
    ["by a challenge of its own", () => ({ name: "ccbridge", challenge: "anything", proof: "x" })],
    [
      "by giving the proof back",
      (seen: string) => ({
        name: "ccbridge",
        challenge: "anything",
        proof: /"proof":"([^"]+)/.exec(seen)?.[1] ?? "",
      }),
    ],
  ])("%s never sees the token", async (_, answer) => {
    const seen: string[] = [];
    const { port } = await foreignServer("127.0.0.1", 0, async (request, response) => {
      const text = await record(request);
      seen.push(text);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer(text)));
    });
    await expect(find({ mcpPort: port, mcpTokens: [TOKEN] })).rejects.toThrow(StartError);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.join("\n")).not.toContain(TOKEN);
  });

  it("cannot pass the proofs of the real bridge on", async () => {
    const bridge = await startTestBridge({ mcpTokens: [TOKEN] });
    const { port } = await foreignServer("127.0.0.1", 0, async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const passed = await fetch(`http://127.0.0.1:${bridge.mcpPort}${request.url}`, {
        method: request.method ?? "GET",
        ...(body === "" ? {} : { body, headers: { "content-type": "application/json" } }),
      });
      response.writeHead(passed.status, { "content-type": "application/json" });
      response.end(await passed.text());
    });
    await expect(find({ mcpPort: port, mcpTokens: [TOKEN] })).rejects.toThrow();
  });
});

describe("a bridge that knows the token", () => {
  it("is used with a ticket, which is good at this bridge and nowhere else", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["another", TOKEN] });
    const found = await find({ mcpPort: bridge.mcpPort, mcpTokens: [TOKEN] });
    expect(found).toMatchObject({ url: bridge.mcpUrl });
    expect(found.bridge).toBeUndefined();
    const authorization = `Bearer ${found.credential}`;
    expect(authorization).not.toContain(TOKEN);
    const ask = async (url: string, headers: Record<string, string>) =>
      (await post(url, { body: initializeBody, headers })).status;
    expect(await ask(bridge.mcpUrl, { authorization })).toBe(200);
    const forged = authorization.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect(await ask(bridge.mcpUrl, { authorization: forged })).toBe(401);
    const other = await startTestBridge({ mcpTokens: [TOKEN] });
    expect(await ask(other.mcpUrl, { authorization })).toBe(401);
  });

  it("gets no token when it does not ask for one", async () => {
    const bridge = await startTestBridge();
    const found = await find({ mcpPort: bridge.mcpPort, mcpTokens: [TOKEN] });
    expect(found.credential).toBeUndefined();
  });

  it("refuses when it has other tokens, and slows down a client that tries many", async () => {
    const bridge = await startTestBridge({ mcpTokens: [TOKEN] });
    const wrong = { mcpPort: bridge.mcpPort, mcpTokens: ["wrong"] };
    await expect(find(wrong)).rejects.toThrow(new RegExp(texts.doesNotAcceptThis));
    for (let tries = 0; tries < 25; tries++) await find(wrong).catch(() => {});
    await expect(find(wrong)).rejects.toThrow(/Too many wrong tokens/);
  });

  it("reveals nothing without the token, and refuses an old challenge", async () => {
    const { Prover, newNonce, proofOf } = await import("../../src/auth/proof.js");
    const prover = new Prover({ tokens: [TOKEN] });
    const exchanged = { port: 1, nonce: newNonce(), challenge: prover.challenge(1_000) };
    const proof = proofOf(TOKEN, "client", exchanged);
    expect(prover.answer(exchanged, proof, 1_500)).toBe(proofOf(TOKEN, "bridge", exchanged));
    expect(prover.answer(exchanged, proofOf("wrong", "client", exchanged), 1_500)).toBeUndefined();
    expect(prover.answer(exchanged, proof, 60_000)).toBeUndefined();
    const foreign = new Prover({ tokens: [TOKEN] }).challenge(1_000);
    const moved = { ...exchanged, challenge: foreign };
    expect(prover.answer(moved, proofOf(TOKEN, "client", moved), 1_500)).toBeUndefined();
  });
});
