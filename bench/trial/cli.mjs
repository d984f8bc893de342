#!/usr/bin/env node
// @ts-check
// The trial for a client that has only a shell; see bench/README.md.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const usage = `pnpm trial <command> [--as <name>]

start               start a place with its bridge in the background (--speed <n>: n times as fast as the game;
                    --place village: the ten newer tasks instead of the eight of the base), and print what to
                    tell the model that plays
tools               the server's instructions and tools, as an MCP client shows them to its model
tasks               what the player wants
call <tool> [json]  call a tool (--task <name>: count it for a task; - instead of the JSON: read it from stdin)
score               what is done in the world, and how many calls it took
log                 every call so far with its answer
stop                end the place

Places with different names run side by side.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    as: { type: "string", default: "base" },
    place: { type: "string", default: "base" },
    speed: { type: "string", default: "1" },
    task: { type: "string" },
  },
});
const [command = "help", ...rest] = positionals;
const folder = join(tmpdir(), "ccbridge-trial", values.as);
const stateFile = join(folder, "state.json");
const logFile = join(folder, "serve.log");
const self = fileURLToPath(import.meta.url);

/** `serve` is internal: `start` runs it. */
const commands = { start, tools, tasks, call, score, log, stop, serve };

try {
  if (!/^[\w-]+$/.test(values.as)) throw new Error("--as takes letters, digits, - and _");
  const run = commands[/** @type {keyof typeof commands} */ (command)];
  if (run === undefined) console.log(usage);
  else await run();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

async function start() {
  if (await isRunning()) throw new Error(`${values.as} runs already; end it with: pnpm trial stop`);
  // The history is kept by a thread whose program must be built.
  const { build } = await import("../../scripts/build.mjs");
  await build("packages/store");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const out = openSync(logFile, "w");
  const child = spawn(
    process.execPath,
    [self, "serve", "--as", values.as, "--speed", values.speed, "--place", values.place],
    { detached: true, stdio: ["ignore", out, out, "ipc"] },
  );
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error(readFileSync(logFile, "utf8"))));
  });
  child.disconnect();
  child.unref();
  console.log(
    `${values.as} is running. Tell the model: Read ${writePlayer()} and do what it says.`,
  );
}

/** Writes the words for the model and the only command that it may run, away from the code. */
function writePlayer() {
  const play = join(folder, "play");
  const quoted = [process.execPath, self].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  writeFileSync(
    play,
    `#!/bin/sh
case "$1" in
  tools | tasks | call) exec ${quoted.join(" ")} "$@" --as ${values.as} ;;
  *) echo "play tools, play tasks, or play call TOOL 'JSON' --task TASK" >&2; exit 2 ;;
esac
`,
    { mode: 0o755 },
  );
  const words = readFileSync(new URL("./player.md", import.meta.url), "utf8");
  const file = join(folder, "player.md");
  writeFileSync(file, words.replaceAll("PLAY", play));
  return file;
}

/** Resolves the workspace from source, as the tests do. */
async function serve() {
  const { createViteServer } = await import("vitest/node");
  const vite = await createViteServer({
    configFile: fileURLToPath(new URL("../../vitest.config.ts", import.meta.url)),
    root: fileURLToPath(new URL("../../", import.meta.url)),
    appType: "custom",
    server: { middlewareMode: true, hmr: false, watch: null, ws: false },
    optimizeDeps: { noDiscovery: true, include: [] },
  });
  const served = await vite.ssrLoadModule(fileURLToPath(new URL("./serve.ts", import.meta.url)));
  const { port, ended } = await served.serve(20 * Number(values.speed), values.place);
  writeFileSync(stateFile, JSON.stringify({ port }));
  process.send?.("ready");
  await ended;
  await vite.close();
}

async function tools() {
  const { instructions, tools: offered } = await ask("/tools");
  console.log(`${instructions}\n`);
  for (const { name, description, inputSchema } of offered) {
    console.log(`${name}: ${description}\n${JSON.stringify(inputSchema)}\n`);
  }
}

async function tasks() {
  for (const { name, words } of await ask("/tasks")) console.log(`${name}: ${words}\n`);
}

async function call() {
  const [tool, json = "{}"] = rest;
  if (tool === undefined) throw new Error("call which tool?");
  const args = JSON.parse(json === "-" ? await text(process.stdin) : json);
  const answer = await ask("/call", { tool, args, task: values.task });
  show(answer);
  if (answer.isError) process.exitCode = 1;
}

async function score() {
  const { tasks: scored, calls, errors } = await ask("/score");
  for (const { name, missing, calls: total } of scored) {
    const count = total === 0 ? "" : ` (${total} ${total === 1 ? "call" : "calls"})`;
    console.log(`${name}: ${missing === undefined ? "done" : `not done, ${missing}`}${count}`);
  }
  const done = scored.filter((/** @type {{ missing?: string }} */ task) => !task.missing).length;
  console.log(
    `${done} of ${scored.length} tasks, ${calls} calls, ${errors} of them ${errors === 1 ? "an error" : "errors"}`,
  );
}

async function log() {
  for (const [index, { tool, args, task, answer, ms }] of (await ask("/calls")).entries()) {
    const words = [`${index + 1}.`, ...(task ? [`[${task}]`] : []), tool, JSON.stringify(args)];
    console.log(`\n${words.join(" ")} (${ms} ms)`);
    show(answer);
  }
}

async function stop() {
  await ask("/stop");
  rmSync(folder, { recursive: true });
  console.log(`${values.as} has ended.`);
}

/** Prints what a model would see; pictures go to files. @param {any} answer */
function show(answer) {
  if (answer.isError) console.log("[error]");
  for (const part of answer.content) {
    if (part.type === "text") console.log(part.text);
    else if (part.type === "image") {
      const file = join(folder, `${Date.now()}.png`);
      writeFileSync(file, Buffer.from(part.data, "base64"));
      console.log(`[picture: ${file}]`);
    } else console.log(JSON.stringify(part));
  }
}

/** @param {string} path @param {unknown} [question] */
async function ask(path, question = {}) {
  if (!existsSync(stateFile)) throw new Error(`${values.as} does not run: pnpm trial start`);
  const { port } = JSON.parse(readFileSync(stateFile, "utf8"));
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(question),
  });
  const body = /** @type {any} */ (await response.json());
  if (!response.ok) throw new Error(body.message);
  return body;
}

async function isRunning() {
  if (!existsSync(stateFile)) return false;
  try {
    await ask("/tasks");
    return true;
  } catch {
    return false;
  }
}
