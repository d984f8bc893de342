// Every command of docs/minecraft.md, taken from the page and typed as its reader types it, in a clone that was only
// just made. What the reader puts in (folders, ports, tokens, codes) is put in here.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PlacedComputer } from "@ccbridge/cc-host";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it, onTestFinished } from "vitest";
import { answerTo } from "../../../minecraft-agent/test/fake-server/commands.js";
import { FakeWorld } from "../../../minecraft-agent/test/fake-server/world.js";
import { atPrompt, screenText, startWorld } from "../computer/helpers.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { cleanEnv } from "../helpers/spawn-bridge.js";
import { startGame } from "../server/agent-process.js";
import { startServerBridge } from "../server/helpers.js";
import { freshClone, output, shell } from "./clone.js";

const repository = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/\/$/, "");
const page = readFileSync(join(repository, "docs/minecraft.md"), "utf8");

const blocks = [...page.matchAll(/^```(sh)?\n([^`]*?)^```$/gm)].map(([, , text = ""]) =>
  text
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, ""))
    .filter((line) => line !== ""),
);
const prose = page.replace(/^```.*?^```$/gms, "");
const inline = [
  ...prose.matchAll(/`((?:node|npx|pnpm|ccbridge|mcp-computer|systemctl|gradle|wget|git) [^`]+)`/g),
].map(([, command = ""]) => command);

type Way =
  | "typed here"
  | "after publishing"
  | "service.e2e.test.ts"
  | "needs Gradle"
  | "a reference";

/** What tries each command. */
const ways: readonly [command: RegExp, way: Way][] = [
  [/^npx -y pnpm@\S+ install && npx -y pnpm@\S+ build$/, "typed here"],
  [/^export MINECRAFT_TOKENS=\$\(openssl rand -hex 24\)$/, "typed here"],
  [/^node apps\/ccbridge\/bin\/ccbridge\.js$/, "typed here"],
  [/^BRIDGE_URL=\S+ AUTH_TOKEN=\S+ node apps\/ccbridge\/bin\/ccbridge\.js --stdio$/, "typed here"],
  [/^agent=\$PWD\/apps\/minecraft-agent\/bin\/ccbridge-minecraft-agent\.js$/, "typed here"],
  [/^cd \/srv\/minecraft$/, "typed here"],
  [/^node \$agent( --check| --write-config)?$/, "typed here"],
  [/^node apps\/ccbridge\/bin\/ccbridge\.js (minecraft-agent|doctor)$/, "typed here"],
  [/^wget run http:\/\/<bridge>:3001\/install\.lua$/, "typed here"],
  [/^mcp-computer --server survival$/, "typed here"],
  [/^MINECRAFT_COMMAND_COMPUTERS=\S+ node apps\/ccbridge\/bin\/ccbridge\.js$/, "typed here"],
  [/^mcp-computer --uninstall$/, "a reference"],
  [/^node <the clone>\/apps\/minecraft-agent\/bin\/ccbridge-minecraft-agent\.js$/, "a reference"],
  [/^systemctl enable --now ccbridge-minecraft$/, "service.e2e.test.ts"],
  [/^npx (ccbridge|@ccbridge\/minecraft-agent)$/, "after publishing"],
  [/^git clone <this repository> && cd <its folder>\/mods\/(paper|neoforge)$/, "needs Gradle"],
  [/^gradle (:mc1\.21\.1:)?build$/, "needs Gradle"],
  [
    /^cp (mc1\.21\.1\/)?build\/libs\/\*-0\.1\.0\.jar \/srv\/minecraft\/(plugins|mods)\/$/,
    "needs Gradle",
  ],
  [/^\$EDITOR \/srv\/minecraft\/config\/minecraft-mcp-bridge\.toml$/, "needs Gradle"],
];
const commands = [...blocks.flat(), ...inline];

/** The one line of the page that fits. */
function command(pattern: RegExp): string {
  const found = [...new Set(commands.filter((line) => pattern.test(line)))];
  expect(found).toHaveLength(1);
  return found[0] ?? "";
}

/** A block by its first line. */
function block(pattern: RegExp): string[] {
  const found = blocks.filter(([first = ""]) => pattern.test(first));
  expect(found).toHaveLength(1);
  return found[0] ?? [];
}

function typed(line: string, changes: readonly (readonly [was: string, is: string])[]): string {
  return changes.reduce((text, [was, is]) => {
    expect(text).toContain(was);
    return text.replace(was, is);
  }, line);
}

it("each command of the page is tried, or says that it comes after publishing", () => {
  const unknown = commands.filter((line) => !ways.some(([pattern]) => pattern.test(line)));
  expect(unknown).toEqual([]);
  const unused = ways.filter(([pattern]) => !commands.some((line) => pattern.test(line)));
  expect(unused).toEqual([]);
  const published = /`npx (?!-y pnpm)[^`]+`/g;
  for (const paragraph of page.split("\n\n")) {
    if (published.test(paragraph)) expect(paragraph).toMatch(/^After publishing, and not before:/);
  }
});

it("what the mods' blocks build and write is there under these names", () => {
  const source = (name: string) => readFileSync(join(repository, "mods", name), "utf8");
  for (const mod of ["paper", "neoforge", "fabric"]) {
    expect(source(`${mod}/build.gradle`)).toMatch(/^\s*version = '0\.1\.0'$/m);
    expect(source(`${mod}/settings.gradle`)).toContain("rootProject.name");
  }
  for (const [, name = ""] of page.matchAll(/:(mc[\d.]+):build/g)) {
    expect(source("neoforge/settings.gradle")).toContain(`'${name}'`);
    expect(existsSync(join(repository, "mods/neoforge", name, "build.gradle"))).toBe(true);
  }
});

it("a reader of the page gets a server linked by its agent, and one by a command computer", async () => {
  const clone = freshClone();
  const [mcpPort, linkPort] = [await freePort(), await freePort()];
  const home = scratchDirectory();
  const env = {
    MCP_PORT: String(mcpPort),
    CC_LINK_PORT: String(linkPort),
    CC_PAIRING_FILE: join(home, "paired.json"),
  };

  // On the bridge.
  const [install = "", token = "", start = ""] = block(/^npx -y pnpm@/);
  const built = await output(shell(clone, [install]));
  expect(built).not.toMatch(/ERR_PNPM|failed/i);
  const bridge = shell(clone, [token, 'echo "token $MINECRAFT_TOKENS"', start], env);
  const serverToken = (await bridge.line((line) => line.startsWith("token "))).slice(6);
  expect(serverToken).toMatch(/^[0-9a-f]{48}$/);
  await bridge.line((line) => line.includes('"bridge started"'));
  const client = await connectClient(`http://127.0.0.1:${mcpPort}/mcp`);

  // The server agent.
  const game = await startGame();
  game.world.addPlayer("Steve");
  const [agent = "", into = "", check = "", writeConfig = "", run = ""] = block(/^agent=/);
  const first = [agent, typed(into, [["/srv/minecraft", game.folder]])];
  expect(await output(shell(clone, [...first, check]))).toContain("RCON: works");
  await output(shell(clone, [...first, writeConfig]));
  const config = join(game.folder, "config/minecraft-mcp-bridge.toml");
  writeFileSync(
    config,
    typed(readFileSync(config, "utf8"), [
      ['auth_token = ""', `auth_token = "${serverToken}"`],
      ["localhost:3001", `127.0.0.1:${linkPort}`],
    ]),
  );
  expect(await output(shell(clone, [...first, check]))).toContain("accepts the token");
  const same = command(/ccbridge\.js minecraft-agent$/);
  expect(await output(shell(clone, [`${same} --check ${game.folder}`]))).toContain(
    "accepts the token",
  );
  await shell(clone, [...first, run]).line((line) => line.includes("linked to the bridge"));
  expect((await callTool(client, "get_online_players")).text).toContain("Steve");

  // A command computer.
  const computer = await commandComputer();
  const [wget = "", server = ""] = block(/^wget run/);
  computer.type(`${typed(wget, [["<bridge>:3001", `127.0.0.1:${linkPort}`]])}\n`);
  await computer.until(() => screenText(computer).includes("whenever this computer starts?"));
  computer.type("n\n");
  await computer.until(() => atPrompt(computer));
  computer.type(`${server}\n`);
  await computer.until(() => screenText(computer).includes("Restart it?"));
  expect(page).toMatch(/to start the program again.*: answer `y`/);
  computer.type("y\n");
  const offers = await bridge.line((line) => line.includes("offers to be a Minecraft server"));
  const { code } = JSON.parse(offers) as { code: string };
  const shown = await output(shell(clone, [command(/ccbridge\.js doctor$/)], env));
  expect(shown).toContain(code);
  await client.close();
  await bridge.kill("SIGTERM");
  const allow = command(/^MINECRAFT_COMMAND_COMPUTERS=/);
  const [, example = ""] = /COMPUTERS=(\S+)/.exec(allow) ?? [];
  const again = shell(
    clone,
    [`export MINECRAFT_TOKENS=${serverToken}`, typed(allow, [[example, code]])],
    env,
  );
  await again.line((line) => line.includes('"bridge started"'));
  const next = await connectClient(`http://127.0.0.1:${mcpPort}/mcp`);
  const servers = async () => (await callTool(next, "list-servers")).text;
  await expect
    .poll(servers, { timeout: 60_000, interval: 200 })
    .toMatch(/minecraft: live.*survival: live/s);
}, 400_000);

async function commandComputer(): Promise<PlacedComputer> {
  const world = await startWorld();
  const game = new FakeWorld();
  const computer = world.computer({
    id: 7,
    label: "spawn",
    kind: "command",
    commands: { onCommand: (line) => ({ ok: true, output: answerTo(game, line).split("\n") }) },
  });
  computer.turnOn();
  await computer.until(() => atPrompt(computer));
  return computer;
}

it("a client on another machine serves the bridge of BRIDGE_URL", async () => {
  const bridge = await startServerBridge({ mcpTokens: ["a-good-client-token"] });
  await bridge.link({ name: "survival" });
  const line = typed(command(/^BRIDGE_URL=/), [
    ["https://bridge.example.org", new URL(bridge.mcpUrl).origin],
    ["one-of-its-MCP_TOKENS", "a-good-client-token"],
  ]);
  const client = new Client({ name: "test", version: "0" });
  onTestFinished(() => client.close());
  const transport = { command: "bash", args: ["-c", line], cwd: repository, env: cleanEnv() };
  await client.connect(new StdioClientTransport(transport));
  expect((await callTool(client, "list-servers")).text).toContain("survival");
});
