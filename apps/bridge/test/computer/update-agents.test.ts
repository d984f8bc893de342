import { programText, programVersion } from "@ccbridge/lua-agent";
import { expect, it } from "vitest";
import { fill, texts } from "../../../../vitest.texts.js";
import { updateAgents } from "../../src/cli/update-agents.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkHostile } from "../helpers/hostile-computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

const older = programText.replaceAll(programVersion, "0.0.9");
const allowLook = '{ ["mcp_computer.allow"] = "look" }';

async function runUpdate(bridge: TestBridge, ...computers: string[]) {
  let text = "";
  const config = { ...bridge.config, mcpPort: bridge.mcpPort };
  const context = {
    print(more: string) {
      text += more;
    },
  } as never;
  return { code: await updateAgents({ computers, config }, context), lines: text.split("\n") };
}

function versions(bridge: TestBridge): Record<number, string | undefined> {
  return Object.fromEntries(
    bridge.computers
      .list()
      .map(({ provider }) => [provider.computerId, provider.agent?.version] as const),
  );
}

it("updates all computers one after another; a locked one is left alone", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  for (const id of [12, 13, 14]) {
    const files = {
      "/mcp-computer.lua": older,
      ...(id === 13 ? { "/.settings": allowLook } : {}),
    };
    await linkGameComputer(bridge, world, { id, label: `c${id}`, files });
  }
  const { code, lines } = await runUpdate(bridge);
  expect(code).toBe(1);
  expect(lines[0]).toMatch(new RegExp(texts.computerLabelUpdatedMcpComputer));
  expect(lines[1]).toBe(texts.computerLabelIsLockedBy);
  expect(lines.join("\n")).toContain("Computer 14 (Label: c14) updated mcp-computer");
  expect(versions(bridge)).toEqual({ 12: programVersion, 13: "0.0.9", 14: programVersion });

  const again = await runUpdate(bridge, "c12", "14");
  expect(again.code).toBe(0);
  expect(again.lines.slice(0, 2)).toEqual([
    fill(texts.computerLabelAlreadyHasMcp, programVersion),
    fill(texts.computerLabelAlreadyHasMcpComputer, programVersion),
  ]);
}, 60_000);

it("stops at a computer that is lost while it updates", async () => {
  const bridge = await startTestBridge();
  const hello = { methods: ["ping", "update-agent"], protocol: 2 };
  const asked: number[] = [];
  for (const computerId of [1, 2]) {
    const identity = { ...hello, computerId, instance: `c${computerId}` };
    await linkHostile(bridge.linkUrl, identity, ({ method }, { terminate }) => {
      if (method !== "update-agent") return;
      asked.push(computerId);
      terminate();
    });
  }
  const { code, lines } = await runUpdate(bridge);
  expect(code).toBe(1);
  expect(lines.at(-2)).toBe("Stopped: 1 computer was not updated.");
  expect(asked).toEqual([1]);
});

it("says so without a bridge and without computers", async () => {
  const bridge = await startTestBridge();
  expect(await runUpdate(bridge)).toEqual({ code: 0, lines: ["No computer is linked.", ""] });
  await bridge.close();
  const { code, lines } = await runUpdate(bridge);
  expect(code).toBe(1);
  expect(lines[0]).toContain("Start it first.");
});

it("power-computer says when the new program does not link", async () => {
  const bridge = await startTestBridge();
  await linkHostile(
    bridge.linkUrl,
    { computerId: 1, protocol: 2, methods: ["update-agent"] },
    ({ id }, { send }) => {
      const result = { from: "0.1.0", version: "9.9.9", changed: true };
      send({ type: "response", id, ok: true, result });
    },
  );
  const client = await connectClient(bridge.mcpUrl);
  const { text, isError } = await callTool(client, "power-computer", {
    computerId: 1,
    action: "update",
    waitMs: 50,
  });
  expect(isError).toBe(true);
  expect(text).toContain(texts.gotMcpComputerWhichHas);
  expect(text).toContain("goes back to 0.1.0 by itself");
});
