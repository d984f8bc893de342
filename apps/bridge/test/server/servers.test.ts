import { encodeRequest } from "@ccbridge/protocol/minecraft";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { FakeMod } from "./fake-mod.js";
import { connect, otherToken, startServerBridge, token } from "./helpers.js";

describe("a Minecraft server", () => {
  it.each(["header", "query", "message"] as const)(
    "is let in by a token in the %s",
    async (login) => {
      const bridge = await startServerBridge();
      const mod = await bridge.link({ login, name: "survival" });
      expect(mod.answerTo("hello")).toMatchObject({
        outcome: { ok: true, data: { version: "1.0.0", name: "survival" } },
      });
      const { call } = await connect(bridge);
      expect((await call("list-servers")).text).toContain("survival: live");
    },
  );

  it("is accepted by a first message that only has a token, whatever its name", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.dial({ login: "none", hello: undefined });
    mod.send(
      JSON.stringify({
        version: "1.0.0",
        type: "event",
        id: "auth",
        timestamp: 1,
        source: "minecraft",
        payload: { authToken: token },
      }),
    );
    await mod.until(() => mod.answerTo("auth") !== undefined);
    expect(mod.answerTo("auth")).toMatchObject({
      outcome: { ok: true, data: { version: "1.0.0" } },
    });
  });

  it("is linked even without a hello, like the documented mod", async () => {
    const bridge = await startServerBridge();
    await bridge.link({ hello: undefined });
    const { call } = await connect(bridge);
    expect((await call("list-servers")).text).toContain("minecraft: live");
  });

  it.each(["header", "query"] as const)(
    "is refused with 401 for a wrong token in the %s",
    async (login) => {
      const bridge = await startServerBridge();
      await expect(bridge.dial({ login, token: "wrong" })).rejects.toThrow("401");
    },
  );

  it("gets AUTH_FAILED and is closed for a wrong or missing token in its first message", async () => {
    const bridge = await startServerBridge({ helloTimeoutMs: 50 });
    const wrong = await bridge.dial({ login: "message", token: "wrong" });
    await wrong.until(() => wrong.closed !== undefined);
    expect(wrong.closed?.code).toBe(4_401);
    const silent = await bridge.dial({ login: "none", hello: undefined });
    await silent.until(() => silent.closed !== undefined);
    expect(silent.closed?.code).toBe(4_408);
    expect(silent.frames[0]).toMatchObject({ type: "error", outcome: { code: "AUTH_FAILED" } });
  });

  it("may try again when its right token was not checked, after many wrong ones from its address", async () => {
    vi.spyOn(performance, "now").mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    const bridge = await startServerBridge();
    await bridge.link();
    for (let tries = 0; tries < 25; tries++) {
      await bridge.dial({ token: "wrong" }).catch(() => {});
    }
    const late = await bridge.dial({ login: "message", token: otherToken, hello: {} });
    await late.until(() => late.closed !== undefined);
    expect(late.closed?.code).toBe(4_429);
    expect(late.frames).toMatchObject([{ type: "error", outcome: { code: "CONNECTION_ERROR" } }]);
  });

  it("cannot link to a bridge without tokens for servers", async () => {
    const bridge = await startTestBridge();
    const url = `${bridge.linkUrl}/minecraft`;
    await expect(FakeMod.dial({ url, token: "any" })).rejects.toThrow("403");
  });

  it("is replaced by a newer link of the same name and token, and by no other", async () => {
    const bridge = await startServerBridge();
    const first = await bridge.link({ name: "survival" });
    const stranger = await bridge.dial({ name: "survival", token: otherToken, hello: {} });
    await stranger.until(() => stranger.closed !== undefined);
    expect(stranger.closed?.code).toBe(4_423);
    await bridge.link({ name: "survival" });
    await first.until(() => first.closed !== undefined);
    expect(first.closed).toMatchObject({ code: 4_409 });
    const { call } = await connect(bridge);
    expect((await call("list-servers")).text.match(/survival/g)).toHaveLength(1);
  });

  it("must have a printable name", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.dial({ name: "no spaces please", hello: {} });
    await mod.until(() => mod.closed !== undefined);
    expect(mod.closed?.code).toBe(1_008);
  });

  it("survives its own malformed messages, but not endless ones", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    mod.send("nonsense");
    mod.send(JSON.stringify({ id: "x", version: "1.0.0" }));
    await mod.until(() => mod.answerTo("x") !== undefined);
    expect(mod.answerTo("x")).toMatchObject({ outcome: { code: "SCHEMA_ERROR" } });
    for (let n = 0; n < 20; n++) mod.send("nonsense");
    await mod.until(() => mod.closed !== undefined);
    expect(mod.closed?.code).toBe(1_008);
  });

  it("may not ask the bridge for anything", async () => {
    const bridge = await startServerBridge();
    const mod = await bridge.link();
    const request = { command: "execute_command", args: { command: "op x" } };
    mod.send(encodeRequest({ source: "minecraft", id: "evil" }, request));
    await mod.until(() => mod.answerTo("evil") !== undefined);
    expect(mod.answerTo("evil")).toMatchObject({ outcome: { code: "INVALID_COMMAND" } });
  });

  it("may link on a separate port, on any path", async () => {
    const probe = await startTestBridge();
    const port = probe.linkPort;
    await probe.close();
    const bridge = await startServerBridge({ minecraftPort: port });
    const url = `ws://127.0.0.1:${bridge.minecraftPort}`;
    await bridge.link({ url });
    const health = await fetch(`http://127.0.0.1:${bridge.minecraftPort}/health`);
    expect(await health.json()).toMatchObject({ ok: true, servers: 1 });
  });

  it("may send a whole world in one message, which a computer may not", async () => {
    const location = { world: "minecraft:overworld", x: 1, y: 2, z: 3 };
    const blocks = Array.from({ length: 20_000 }, () => ({ type: "minecraft:stone", location }));
    const bridge = await startServerBridge();
    await bridge.link({ answer: () => ({ success: true, data: { blocks, entities: [] } }) });
    const { call } = await connect(bridge);
    const { text } = await call("get_world_info", { x: 0, y: 0, z: 0, radius: 16 });
    expect(text).toContain("20000 minecraft:stone");
    expect(text.length).toBeLessThan(12_000);
  });
});
