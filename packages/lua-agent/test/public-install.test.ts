import { readFileSync } from "node:fs";
import { allowAll, createWorld, type HttpRule } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { installer, programText } from "../src/index.js";
import { ScriptedBridge } from "./scripted-bridge.js";
import { prompt, screenText, shows } from "./start-agent.js";

const source = readFileSync(new URL("../../../lua/public/install.lua", import.meta.url), "utf8");

async function fresh(httpRules: readonly HttpRule[] = allowAll) {
  const bridge = await new ScriptedBridge().listen();
  bridge.files.set("/install.lua", installer({ url: bridge.httpUrl }));
  bridge.files.set("/mcp-computer.lua", programText);
  const world = await createWorld({ httpRules });
  const computer = world.computer({ id: 12, label: "base", files: { "/get.lua": source } });
  computer.turnOn();
  await prompt(computer);
  return {
    bridge,
    computer,
    host: bridge.httpUrl.replace("http://", ""),
    async [Symbol.asyncDispose]() {
      world.close();
      await bridge.close();
    },
  };
}

describe("the public install.lua", () => {
  it("asks for the address, and installs and links what that bridge serves", async () => {
    await using at = await fresh();
    at.computer.type("get\n");
    await shows(at.computer, "Address:");
    at.computer.type(`${at.host}\n`);
    await shows(at.computer, "Start mcp-computer whenever this computer starts? [Y/n]");
    at.computer.type("n\n");
    await at.bridge.link(1);
    expect(at.computer.fs.read("/mcp-computer.lua")).toBe(programText);
    expect(at.computer.fs.read("/.settings")).toContain(at.bridge.url);
  });

  it.each([
    ["a URL", (host: string) => `http://${host}/`],
    ["the link URL", (host: string) => `ws://${host}`],
    [
      "the address of the installer, with a token",
      (host: string) => `http://${host}/install.lua?token=abc`,
    ],
  ])("takes %s as an argument, and passes options on", async (_, typed) => {
    await using at = await fresh();
    // As the bridge would: it puts the token into what it serves.
    at.bridge.files.set("/install.lua?token=abc", at.bridge.files.get("/install.lua") ?? "");
    at.computer.type(`get ${typed(at.host)} --no-autostart --world overworld\n`);
    const link = await at.bridge.link(1);
    expect(link.hello.world).toBe("overworld");
  });

  it("takes the line that the bridge prints", async () => {
    await using at = await fresh();
    at.computer.type("get --no-autostart\n");
    await shows(at.computer, "Address:");
    at.computer.type(`wget run http://${at.host}/install.lua\n`);
    await at.bridge.link(1);
  });

  it.each([
    ["ftp://example.org", "That is not the address of a bridge"],
    ["not an address", "That is not the address of a bridge"],
    ["127.0.0.1:1", "Could not reach http://127.0.0.1:1"],
  ])("says what is wrong with %s", async (typed, problem) => {
    await using at = await fresh();
    at.computer.type("get\n");
    await shows(at.computer, "Address:");
    at.computer.type(`${typed}\n`);
    await shows(at.computer, problem);
    expect(at.computer.fs.exists("/mcp-computer.lua")).toBe(false);
  });

  it("says how to allow an address that the server forbids", async () => {
    await using at = await fresh([{ host: "*", action: "deny" }]);
    at.computer.type(`get ${at.host}\n`);
    await shows(at.computer, "line with allow");
  });

  it("does not run what another web server answers", async () => {
    await using at = await fresh();
    at.bridge.files.set("/install.lua", "fs.delete('/get.lua')");
    at.computer.type(`get ${at.host}\n`);
    await shows(at.computer, "is not a bridge");
    expect(at.computer.fs.exists("/get.lua")).toBe(true);
    expect(screenText(at.computer)).not.toContain("Installed");
  });
});
