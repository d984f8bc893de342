import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { scratchFile } from "../helpers/scratch.js";
import { connect, startServerBridge } from "./helpers.js";

const hello = { capabilities: { tools: ["execute_command", "execute_commands"], events: [] } };

describe("execute_commands", () => {
  it("shows one result for each command, and is an error when one failed", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^say .*$", structured: true });
    const results = [
      { success: true, message: "Hi\n| 2. done" },
      { success: false, code: "SERVER_ERROR", error: "it broke" },
      { success: false, error: "Not run: an earlier command failed." },
    ];
    const mod = await bridge.link({
      hello,
      answer: () => ({ success: true, data: { ran: 2, results } }),
    });
    const { call } = await connect(bridge);
    const commands = ["say a", "/say b", "say c"];
    const { text, isError, structuredContent } = await call("execute_commands", { commands });
    expect(text.split("\n")).toEqual([
      texts.ranOfCommandsOnServer,
      '1. done: "Hi\\n| 2. done"',
      '2. SERVER_ERROR: "it broke"',
      texts.failedNotRunAnEarlier,
    ]);
    expect(isError).toBe(true);
    expect(structuredContent).toEqual({ server: "minecraft", ran: 2, results });
    expect(mod.requests).toEqual([
      { name: "execute_commands", args: { commands, stopOnFailure: true } },
    ]);
  });

  it("sends nothing when one command is not allowed, and says which", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^say .*$" });
    const mod = await bridge.link({ hello });
    const { call } = await connect(bridge);
    const { text } = await call("execute_commands", { commands: ["say a", "op Steve"] });
    expect(text).toMatch(new RegExp(texts.invalidCommandNothingWas, "s"));
    expect(mod.requests).toEqual([]);
  });

  it("takes 1 to 100 commands", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^say .*$" });
    const mod = await bridge.link({ hello });
    const { call } = await connect(bridge);
    for (const commands of [[], Array(101).fill("say hi")]) {
      expect((await call("execute_commands", { commands })).isError).toBe(true);
    }
    expect(mod.requests).toEqual([]);
  });

  it("is not a way around a token that denies execute_command", async () => {
    const bridge = await startServerBridge({
      minecraftCommands: "^say .*$",
      mcpTokensFile: scratchFile("limited-token name=careful tools=all,-execute_command"),
    });
    const mod = await bridge.link({ hello });
    const { call } = await connect(bridge, "limited-token");
    const { text } = await call("execute_commands", { commands: ["say hi"] });
    expect(text).toContain("PERMISSION_DENIED");
    expect(mod.requests).toEqual([]);
  });

  it("is refused on a server that does not say that it can do it", async () => {
    const bridge = await startServerBridge({ minecraftCommands: "^say .*$" });
    await bridge.link();
    const { call } = await connect(bridge);
    const { text } = await call("execute_commands", { commands: ["say hi"] });
    expect(text).toContain("Server minecraft cannot do execute_commands");
  });
});
