import { allowAll, defaultHttpRules, type PlacedComputer } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, screenText, startWorld } from "./helpers.js";

const wget = (bridge: TestBridge, more = "") =>
  `wget run http://127.0.0.1:${bridge.linkPort}/install.lua${more}\n`;

async function freshComputer(
  options: Parameters<Awaited<ReturnType<typeof startWorld>>["computer"]>[0] = {},
  rules = allowAll,
) {
  const world = await startWorld({ httpRules: rules });
  const computer = world.computer({ id: 12, label: "base-turtle", ...options });
  computer.turnOn();
  await prompt(computer);
  return { world, computer };
}

const prompt = (computer: PlacedComputer) =>
  computer.until(() => /> *$/.test(screenText(computer)));
const shows = (computer: PlacedComputer, text: string) =>
  computer.until(() => screenText(computer).includes(text));

describe("installing from the bridge", () => {
  it.each([
    ["a computer", {}],
    ["an advanced computer", { advanced: true }],
    ["an old computer", { version: "1.100.0" }],
    ["a turtle", { kind: "turtle" }],
    ["a pocket computer", { kind: "pocket" }],
    ["a command computer", { kind: "command" }],
  ] as const)("one line links %s", async (_, options) => {
    const bridge = await startTestBridge();
    const { computer } = await freshComputer(options);
    computer.type(wget(bridge));
    await shows(computer, "whenever this computer starts?");
    computer.type("n\n");
    await computer.until(() => isLinked(bridge, 12));
    const client = await connectClient(bridge.mcpUrl);
    expect((await callTool(client, "probe-computers")).text).toBe(
      "pong from 12 (Label: base-turtle)",
    );
    const kind = "kind" in options ? options.kind : "computer";
    const { structuredContent } = await callTool(client, "list-computers");
    expect(structuredContent).toMatchObject({
      computers: [{ kind, agent: { name: "mcp-computer" } }],
    });
  });

  it.each([
    ["a computer", false],
    ["an advanced computer", true],
  ])(
    "the player of %s is asked once for the screen, which is shared from the next boot on",
    async (_name, advanced) => {
      const bridge = await startTestBridge();
      const { computer } = await freshComputer({ advanced });
      const reboot = async () => {
        computer.reboot();
        await computer.until(() => !isLinked(bridge, 12));
        await computer.until(() => isLinked(bridge, 12));
        await prompt(computer);
      };
      computer.type(wget(bridge));
      await shows(computer, "whenever this computer starts?");
      computer.type("\n");
      await shows(computer, "May AI clients see and type on this screen?");
      computer.type("\n");
      await computer.until(() => isLinked(bridge, 12));
      const client = await connectClient(bridge.mcpUrl);
      const call = (name: string, args: object = {}) =>
        callTool(client, name, { computerId: 12, ...args });
      expect((await call("read-screen")).text).toContain("`set mcp_computer.share true`");
      await reboot();
      const typed = await call("send-input", {
        steps: [{ text: "id\n" }],
        waitFor: "This is computer #12",
      });
      expect(typed.isError, typed.text).toBeUndefined();
      await shows(computer, "This is computer #12");
      expect((await call("read-screen")).text).toContain("This is computer #12");
      computer.type("set mcp_computer.share false\n");
      await shows(computer, "set to false");
      await reboot();
      const refused = await call("send-input", { steps: [{ text: "x" }] });
      expect(refused.isError).toBe(true);
      expect(refused.text).toContain("`set mcp_computer.share true`");
    },
  );

  it("carries a token along and remembers it over a reboot with autostart", async () => {
    const bridge = await startTestBridge({ linkTokens: ["s3cret"] });
    const { computer } = await freshComputer();
    computer.type(wget(bridge, "?token=s3cret --autostart"));
    await computer.until(() => isLinked(bridge, 12));
    computer.reboot();
    await computer.until(() => !isLinked(bridge, 12));
    await computer.until(() => isLinked(bridge, 12));
    await prompt(computer);
  });

  it("explains a wrong token, and stops instead of trying forever", async () => {
    const bridge = await startTestBridge({ linkTokens: ["right"] });
    const { computer } = await freshComputer();
    computer.type(wget(bridge, "?token=wrong --no-autostart"));
    await shows(computer, "token");
    await prompt(computer);
    expect(bridge.registry.size).toBe(0);
  });

  it("a server that denies private addresses is reported at once", async () => {
    const bridge = await startTestBridge();
    const { computer } = await freshComputer({ version: "1.116.0" }, defaultHttpRules);
    computer.type(wget(bridge));
    await shows(computer, "Domain not permitted");
  });

  it("serves the program, the installer and both package indexes under its own address", async () => {
    const bridge = await startTestBridge();
    const base = `http://127.0.0.1:${bridge.linkPort}`;
    const get = async (path: string) => {
      const response = await fetch(`${base}${path}`);
      expect(response.status, path).toBe(200);
      return response.text();
    };
    expect(await get("/mcp-computer.lua")).toMatch(/^-- mcp-computer /);
    expect(await get("/install.lua")).toContain(`"ws://127.0.0.1:${bridge.linkPort}"`);
    const index = JSON.parse(await get("/ccpm/index.json"));
    const { latest } = index.packages["mcp-computer"];
    const version = JSON.parse(await get(`/ccpm/packages/mcp-computer/${latest}.json`));
    for (const { url, sha256 } of version.files) {
      const body = await get(url.replace(base, ""));
      const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
      expect(Buffer.from(digest).toString("hex")).toBe(sha256);
    }
    const trapOs = JSON.parse(await get("/ccpm/packages/mcp-computer/ccpm.json"));
    for (const path of trapOs.files) await get(`/ccpm/${path}`);
    expect((await fetch(`${base}/ccpm/nothing`)).status).toBe(404);
    expect((await fetch(`${base}/ccpm/../../package.json`)).status).not.toBe(200);
  });
});
