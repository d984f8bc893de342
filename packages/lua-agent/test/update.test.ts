import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { programText, programVersion } from "../src/index.js";
import { greet } from "./scripted-bridge.js";
import { type RunningAgent, screenText, startAgent } from "./start-agent.js";

const OLD = "/mcp-computer.lua.old";
const PROGRAM = "/mcp-computer.lua";
const newer = programText.replaceAll(programVersion, "9.9.9");
/** One that loads and never links. */
const broken = "-- mcp-computer 9.9.9 - broken\nwhile true do os.pullEvent() end\n";

async function linked(options: Parameters<typeof startAgent>[0] = {}, text = newer) {
  const agent = await startAgent(options);
  agent.bridge.files.set(PROGRAM, text);
  agent.bridge.files.set("/health", "{}");
  const link = await agent.link(1);
  await agent.computer.until(
    ({ fs }) => fs.exists("/.settings") && fs.read("/.settings").includes("mcp_computer.url"),
  );
  return { agent, link };
}

/** Lets time pass in steps, so that what is due happens in between. */
async function pass(agent: RunningAgent, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await agent.world.advance(1_000);
}

describe("mcp-computer update", () => {
  it.each([
    ["in its tab", { advanced: true }, (url: string) => `bg mcp-computer ${url}\n`],
    ["at a shared prompt", {}, (url: string) => `mcp-computer ${url} share\n`],
  ] as const)("gets the bridge's version and starts it again %s", async (_, computer, command) => {
    const { agent } = await linked({ computer, command });
    await using _agent = agent;
    await agent.prompt();
    agent.computer.type("mcp-computer update\n");
    const second = await agent.link(2);
    expect(second.hello.agent?.version).toBe("9.9.9");
    expect(await second.request("ping")).toMatchObject({ ok: true });
    expect(agent.computer.fs.read(PROGRAM)).toBe(newer);
    expect(agent.computer.fs.exists(OLD)).toBe(false);
    for (let beat = 0; beat < 9; beat++) {
      await pass(agent, 15);
      expect(await second.request("ping")).toMatchObject({ ok: true });
    }
    expect(agent.bridge.links).toHaveLength(2);
  });

  it("says so when there is nothing newer, no bridge, or no answer", async () => {
    await using agent = await startAgent({ command: () => "mcp-computer update\n" });
    await agent.shows("Which bridge? Link once: mcp-computer <ws-url>");
    agent.computer.type(`set mcp_computer.url ${agent.bridge.url}\nclear\nmcp-computer update\n`);
    await agent.shows(`Could not get ${agent.bridge.httpUrl}/mcp-computer.lua`);
    agent.bridge.files.set(PROGRAM, programText);
    agent.computer.type("clear\nmcp-computer update\n");
    await agent.shows(`mcp-computer v${programVersion} is up to date.`);
    agent.bridge.files.set(PROGRAM, "<html>");
    agent.computer.type("clear\nmcp-computer update\n");
    await agent.shows("is not mcp-computer. Is a proxy in between?");
    expect(agent.computer.fs.list("/").filter((name) => name.includes("mcp-computer.lua"))).toEqual(
      ["mcp-computer.lua"],
    );
  });

  it("keeps the program when the disk is too full for another", async () => {
    await using agent = await startAgent({
      computer: { capacity: programText.length + 20_000 },
      command: (url) => `set mcp_computer.url ${url}\nclear\nmcp-computer update\n`,
    });
    agent.bridge.files.set(PROGRAM, newer);
    await agent.shows("The disk is full:");
    expect(agent.computer.fs.read(PROGRAM)).toBe(programText);
  });

  it("leaves a program of a package manager to it", async () => {
    await using agent = await startAgent({
      computer: { files: { "/ccpm/bin/mcp-computer.lua": programText } },
      command: (url) => `set mcp_computer.url ${url}\nclear\n/ccpm/bin/mcp-computer update\n`,
    });
    await agent.shows("belongs to CCPM. Update it with: ccpm upgrade mcp-computer");
  });
});

describe("a new program that does not link", () => {
  it("is replaced by the old one after a minute in which the bridge answers", async () => {
    const { agent, link } = await linked({}, broken);
    await using _agent = agent;
    expect(await link.request("update-agent")).toMatchObject({
      ok: true,
      result: { from: programVersion, version: "9.9.9", changed: true },
    });
    await pass(agent, 2);
    await link.until("close", () => link.closed);
    expect(agent.computer.fs.read(PROGRAM)).toBe(broken);
    agent.bridge.files.delete("/health");
    await pass(agent, 65);
    expect(agent.computer.fs.read(PROGRAM)).toBe(broken);
    agent.bridge.files.set("/health", "{}");
    await pass(agent, 65);
    const second = await agent.link(2);
    expect(second.hello.agent?.version).toBe(programVersion);
    expect(agent.computer.fs.read(PROGRAM)).toBe(programText);
    expect(agent.computer.fs.exists(OLD)).toBe(false);
  });

  it.each([
    ["in a tab", true, broken],
    ["without tabs", false, broken],
    ["that cannot be read", false, "-- mcp-computer 9.9.9\nthis is no Lua"],
  ])("is replaced after a boot too, %s", async (_, advanced, text) => {
    await using agent = await startAgent({ computer: { advanced }, args: "--autostart" });
    agent.bridge.files.set("/health", "{}");
    await agent.link(1);
    await agent.shows("linked as");
    agent.computer.unload();
    agent.computer.fs.write(OLD, programText);
    agent.computer.fs.write(PROGRAM, text);
    agent.computer.load();
    await pass(agent, 70);
    const second = await agent.link(2);
    expect(second.hello.agent?.version).toBe(programVersion);
    expect(agent.computer.fs.read(PROGRAM)).toBe(programText);
    expect(agent.computer.fs.exists(OLD)).toBe(false);
  });

  it("stays when it links: the boot after an update confirms it", async () => {
    await using agent = await startAgent({ args: "--autostart" });
    await agent.link(1);
    await agent.shows("linked as");
    agent.computer.unload();
    agent.computer.fs.write(OLD, programText);
    agent.computer.fs.write(PROGRAM, newer);
    agent.computer.load();
    await pass(agent, 1);
    const second = await agent.link(2);
    expect(second.hello.agent?.version).toBe("9.9.9");
    await agent.computer.until(({ fs }) => !fs.exists(OLD));
  });

  it("is put back at boot when the swap was interrupted", async () => {
    await using agent = await startAgent({ args: "--autostart" });
    await agent.link(1);
    await agent.shows("linked as");
    agent.computer.unload();
    agent.computer.fs.write(OLD, programText);
    agent.computer.fs.delete(PROGRAM);
    agent.computer.load();
    await pass(agent, 1);
    await agent.link(2);
    expect(agent.computer.fs.exists(OLD)).toBe(false);
  });
});

describe("the bridge", () => {
  it("can have an agent updated, and learns when there is nothing to update", async () => {
    const { agent, link } = await linked({}, programText);
    await using _agent = agent;
    expect(link.hello.methods).toContain("update-agent");
    expect(await link.request("update-agent")).toMatchObject({
      ok: true,
      result: { from: programVersion, version: programVersion, changed: false },
    });
    await pass(agent, 3);
    expect(link.closed).toBe(false);
    agent.bridge.files.set(PROGRAM, "<html>");
    expect(await link.request("update-agent")).toMatchObject({ ok: false });
    agent.bridge.files.set(PROGRAM, newer);
    expect(await link.request("update-agent")).toMatchObject({ result: { changed: true } });
    await pass(agent, 2);
    expect((await agent.link(2)).hello.agent?.version).toBe("9.9.9");
  });

  it("cannot update a computer that its player locked", async () => {
    const { agent, link } = await linked({
      computer: { files: { "/.settings": `{ ["mcp_computer.allow"] = "files" }` } },
    });
    await using _agent = agent;
    expect(link.hello.methods).not.toContain("update-agent");
    expect(await link.request("update-agent")).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.updateAgentIsLocked),
    });
  });

  it("that is newer makes the program offer the update, with one key", async () => {
    const { agent } = await linked({
      greeting: greet({ bridge: { name: "b", version: "9.9.9" } }),
    });
    await using _agent = agent;
    await agent.shows("This bridge has v9.9.9. Press U to update this program.");
    agent.computer.type("u");
    const second = await agent.link(2);
    expect(second.hello.agent?.version).toBe("9.9.9");
    await agent.shows("mcp-computer v9.9.9");
    expect(screenText(agent.computer)).not.toContain("Press U");
  });

  it("that is as old or older offers nothing", async () => {
    for (const version of [programVersion, "0.0.9", "nonsense"]) {
      const { agent } = await linked({ greeting: greet({ bridge: { name: "b", version } }) });
      await using _agent = agent;
      await agent.shows("linked as");
      expect(screenText(agent.computer)).not.toContain("Press U");
    }
  });
});
