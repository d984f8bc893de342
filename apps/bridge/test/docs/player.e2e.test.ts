// What a player does with the README, word by word, in a clone that was only just made: the bridge, the lines for the
// game in the test host, which runs the real program, and a client with the configuration that the bridge prints.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { atPrompt, screenText, startWorld } from "../computer/helpers.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { freshClone, output, shell } from "./clone.js";
import { root } from "./terminal.js";

const readme = readFileSync(join(root, "README.md"), "utf8");

/** A line of the page, as it is there. */
function line(text: string): string {
  const commands = [...readme.matchAll(/`([^`\n]+)`|^ *((?:node|wget) .*)$/gm)];
  const known = commands.flatMap(([, inline, block = ""]) => inline ?? block.replace(/\s+#.*/, ""));
  expect(known).toContain(text);
  return text;
}

it("a player links a computer, approves it, and asks; then locks, stops and removes the program", async () => {
  const clone = freshClone();
  const [mcpPort, linkPort] = [await freePort(), await freePort()];
  const env = {
    HOME: scratchDirectory(),
    MCP_PORT: String(mcpPort),
    CC_LINK_PORT: String(linkPort),
    // As for a computer of another machine, which this one has not.
    CC_PAIRING: "on",
  };
  const bridge = shell(clone, [line("node start")], env);
  const started = JSON.parse(await bridge.line((each) => each.includes('"bridge started"')));
  expect(started.gameCommand).toMatch(/^wget run http:\/\/\S+:\d+\/install\.lua$/);
  const typed = line("wget run http://<bridge>:3001/install.lua");

  const world = await startWorld();
  const computer = world.computer({ id: 3, kind: "turtle" });
  computer.turnOn();
  const shows = (text: string | RegExp) =>
    computer.until(() => screenText(computer).search(text) >= 0);
  const prompt = () => computer.until(() => atPrompt(computer));
  const type = async (text: string) => {
    await prompt();
    computer.type(`clear\n${text}\n`);
  };
  await type(typed.replace("<bridge>:3001", `127.0.0.1:${linkPort}`));
  await shows("A name for this computer");
  computer.type("base-turtle\n");
  await shows("whenever this computer starts?");
  computer.type("n\n");
  await shows(/\b[A-Z0-9]{3}-[A-Z0-9]{3}\b/);
  const [code = ""] = /\b[A-Z0-9]{3}-[A-Z0-9]{3}\b/.exec(screenText(computer)) ?? [];
  const paired = await output(
    shell(clone, [line("node start pair CODE").replace("CODE", code)], env),
  );
  expect(paired).toContain("base-turtle");

  const config = line("node start --print-client-config <client>").replace("<client>", "gemini");
  const printed = await output(shell(clone, [config], env));
  const [, url = ""] = /"httpUrl": "([^"]+)"/.exec(printed) ?? [];
  const client = await connectClient(url);
  const asked = async () => (await callTool(client, "list-computers")).text;
  await expect.poll(asked, { timeout: 60_000, interval: 200 }).toContain("base-turtle");
  expect((await callTool(client, "turtle-status", { computerId: "base-turtle" })).text).toContain(
    "Fuel: 0 of 20000",
  );
  expect(await output(shell(clone, [line("node start doctor")], env))).toMatch(
    /1 computer is linked/,
  );
  expect(await output(shell(clone, [line("node start --help")], env))).toMatch(
    /Usage: node start \[flags\].*--demo/s,
  );

  expect(await output(shell(clone, ["node start update-agents"], env))).not.toMatch(/failed/i);

  const linked = /1 computer is linked/;
  const gone = () => expect.poll(asked, { timeout: 60_000, interval: 200 }).not.toMatch(linked);
  await stop();
  await type(line("set mcp_computer.allow look"));
  await type(line("mcp-computer"));
  const write = () =>
    callTool(client, "write-file", { computerId: "base-turtle", path: "/a", content: "x" });
  await expect
    .poll(async () => (await write()).text, { timeout: 60_000, interval: 200 })
    .toMatch(/player .*look|look/);
  expect(computer.fs.exists("/a")).toBe(false);
  await stop();
  await gone();

  await type(line("mcp-computer --autostart"));
  await shows("Starts at boot");
  await type("reboot");
  await expect.poll(asked, { timeout: 60_000, interval: 200 }).toMatch(linked);
  await type(line("mcp-computer status"));
  await shows(/linked to .*starts at boot: yes/);
  await type(`mcp-computer ${line("stop")}`);
  await shows("mcp-computer stopped.");
  await gone();
  await type(`mcp-computer ${line("--no-autostart")}`);
  await shows("No longer starts at boot.");

  const revoke = "node start pair --revoke base-turtle";
  expect(await output(shell(clone, [revoke], env))).toContain("base-turtle");
  await type(line("mcp-computer --uninstall"));
  await shows(/[Rr]emoved/);
  expect(computer.fs.exists("/mcp-computer.lua")).toBe(false);

  /** Ctrl+T, as no prompt is beside it on this screen. */
  async function stop() {
    computer.queueEvent("terminate");
    await prompt();
  }
}, 400_000);
