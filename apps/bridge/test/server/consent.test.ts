// Computers that offer to be Minecraft servers, as anyone who may link a computer can program them.
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { serverCode } from "../../src/config/server-settings.js";
import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { connect, startServerBridge } from "./helpers.js";
import { offerServer } from "./offer-server.js";

const secret = "what-the-bridge-gave-to-the-real-one";
const code = serverCode(7, secret);

function serverLinked(bridge: TestBridge): Promise<void> {
  return new Promise((resolve) => {
    bridge.registry.changes.subscribe((change) => {
      if (change.topic === "linked" && change.provider.kind === "minecraft") resolve();
    });
  });
}

const withTools: Partial<Config> = { tools: ["all", "minecraft"] };

describe("a computer that offers to be a Minecraft server without consent", () => {
  it("is not one, whatever it sends: its chat is not delivered", async () => {
    const { log, lines } = recordingLogger();
    const bridge = await startTestBridge(withTools, log);
    const linked = serverLinked(bridge).then(() => "it became a server");
    const computer = await offerServer(bridge.linkUrl, { secret });
    const notice = await Promise.race([computer.notice(), linked]);
    expect(notice).toMatch(/owner of the bridge/);
    expect(notice).toContain(`adding ${code} to MINECRAFT_COMMAND_COMPUTERS`);
    expect(bridge.servers.list()).toEqual([]);
    expect(computer.asked.map(({ method }) => method)).not.toContain("server-events");
    const { call } = await connect(bridge);
    const { text } = await call("get-server-events", { server: "survival" });
    expect(text).toContain("is not linked");
    expect(text).not.toContain("forged");
    const servers = (await call("list-servers")).text;
    expect(servers).toMatch(/^No Minecraft server is linked/);
    expect(servers).toMatch(new RegExp(texts.labelSpawnOffersToBe));
    const warned = lines().filter((line) => String(line.msg).includes("offers to be a Minecraft"));
    expect(warned).toMatchObject([{ computer: 7, label: "spawn", server: "survival", code }]);
    expect(JSON.stringify(lines())).not.toContain(secret);
    const health = await fetch(`http://127.0.0.1:${bridge.mcpPort}/health`);
    expect(await health.json()).toMatchObject({ offeredServers: [code] });
    computer.terminate();
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${bridge.mcpPort}/health`)).json())
      .toMatchObject({ offeredServers: [] });
  });

  it("does not keep the name from a server with a token", async () => {
    const bridge = await startServerBridge();
    const computer = await offerServer(bridge.linkUrl);
    const linked = serverLinked(bridge).then(() => "it became a server");
    await Promise.race([computer.notice(), linked]);
    const mod = await bridge.dial({ name: "survival", hello: {} });
    expect(mod.closed).toBeUndefined();
    expect(mod.answerTo("hello")).toMatchObject({ outcome: { ok: true } });
  });

  it.each([
    ["the same id and label", { instance: "another" }],
    ["also the same instance, which clients can see", {}],
    ["a secret of its choice", { secret: "a guess" }],
    ["the code itself, which the log shows", { secret: code }],
  ])("does not get the consent of another one with %s", async (_, forged) => {
    const bridge = await startTestBridge({ ...withTools, minecraftCommandComputers: [code] });
    const linked = serverLinked(bridge);
    const real = await offerServer(bridge.linkUrl, { secret, message: "real" });
    await linked;
    real.terminate();
    await expect.poll(() => bridge.servers.list()).toEqual([]);
    const again = serverLinked(bridge).then(() => "it became a server");
    const computer = await offerServer(bridge.linkUrl, forged);
    expect(await Promise.race([computer.notice(), again])).toMatch(
      new RegExp(texts.thisComputerIsNotA),
    );
    expect(bridge.servers.list()).toEqual([]);
  });

  it("is asked once for each link, however often it sends a hello", async () => {
    const bridge = await startTestBridge(withTools);
    const computer = await offerServer(bridge.linkUrl, { secret });
    await computer.notice();
    const [session] = bridge.computers.list();
    bridge.registry.changes.emit({
      topic: "linked",
      provider: session?.provider as never,
      origin: session?.origin as never,
      again: true,
    });
    const ping = await session?.request("ping", {}, { timeoutMs: 5_000 });
    expect(ping?.ok).toBe(true);
    const describes = computer.asked.filter(({ method }) => method === "server-describe");
    expect(describes).toHaveLength(1);
  });
});

describe("a command computer with consent", () => {
  it("yields its name to a server with a token, and has it back afterwards", async () => {
    const bridge = await startServerBridge({ ...withTools, minecraftCommandComputers: [code] });
    const linked = serverLinked(bridge);
    const computer = await offerServer(bridge.linkUrl, { secret });
    await linked;
    expect(await computer.notice()).toContain(texts.seeThisComputerAsThe);
    const mod = await bridge.link({ name: "survival" });
    expect(mod.closed).toBeUndefined();
    expect(await computer.notice()).toMatch(/another server.*"survival"/);
    expect(bridge.servers.list().map(({ provider }) => provider.through)).toEqual([undefined]);
    const back = serverLinked(bridge);
    mod.drop();
    await back;
    expect(bridge.servers.list()[0]?.provider.through?.name).toBe("computer 7 (Label: spawn)");
  });

  it("never replaces a server with a token", async () => {
    const bridge = await startServerBridge({ ...withTools, minecraftCommandComputers: [code] });
    const mod = await bridge.link({ name: "survival" });
    const computer = await offerServer(bridge.linkUrl, { secret });
    expect(await computer.notice()).toMatch(/another server.*"survival"/);
    expect(mod.closed).toBeUndefined();
    expect(bridge.servers.list().map(({ provider }) => provider.through)).toEqual([undefined]);
  });

  it("is no longer a server when its code is removed from the settings", async () => {
    const linkPort = await freePort();
    const first = await startTestBridge({
      ...withTools,
      linkPort,
      minecraftCommandComputers: [code],
    });
    const linked = serverLinked(first);
    await offerServer(first.linkUrl, { secret, message: "before" });
    await linked;
    await first.close();
    const second = await startTestBridge({ ...withTools, linkPort });
    const computer = await offerServer(second.linkUrl, { secret, message: "after" });
    expect(await computer.notice()).toMatch(/owner of the bridge/);
    const { call } = await connect(second);
    expect((await call("get-server-events", { server: "survival" })).text).not.toContain("after");
  });
});
