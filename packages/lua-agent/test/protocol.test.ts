import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  decodeAgentFrame,
  Feature,
  HelloErrorCode,
  isHeartbeat,
  LinkCloseCode,
  MAX_CHECKED_REQUESTS,
  MAX_EVENT_WATCHES,
  MAX_FROM_AGENT_BYTES,
  MAX_TO_AGENT_BYTES,
  MIN_FRAME_BYTES,
  PROTOCOL_VERSION,
  SAFE_FRAME_BYTES,
} from "@ccbridge/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LuaComputer } from "./lua-computer.js";

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const literal = (value: unknown) =>
  typeof value === "number" ? String(value) : JSON.stringify(value);
const table = (entries: Record<string, unknown>) =>
  Object.entries(entries)
    .map(([name, value]) => `    ${snake(name)} = ${literal(value)},\n`)
    .join("");

const generated = `--- What both sides of the link must agree on. Written from packages/protocol: change it there, then run
-- npx vitest run packages/lua-agent/test/protocol.test.ts --update

return {
  VERSION = ${PROTOCOL_VERSION},
  MAX_FRAME = ${SAFE_FRAME_BYTES},
  MIN_FRAME = ${MIN_FRAME_BYTES},
  MAX_INCOMING = ${MAX_TO_AGENT_BYTES},
  MAX_OUTGOING = ${MAX_FROM_AGENT_BYTES},
  MAX_CHECKED = ${MAX_CHECKED_REQUESTS},
  MAX_WATCHES = ${MAX_EVENT_WATCHES},
  FEATURES = { ${Object.values(Feature).sort().map(literal).join(", ")} },
  CLOSE = {
${table(LinkCloseCode)}  },
  HELLO_ERROR = {
${table(HelloErrorCode)}  },
}
`;

it("lua/mcp/protocol.lua matches packages/protocol", async () => {
  await expect(generated).toMatchFileSnapshot("../../../lua/mcp/protocol.lua");
});

const root = fileURLToPath(new URL("../../protocol/fixtures", import.meta.url));
interface Fixture {
  from: "agent" | "bridge";
  text: string;
  frame?: unknown;
  refused?: string;
}
const fixtures = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".json") && !/btcp|minecraft/.test(path))
  .map((path) => [path, JSON.parse(readFileSync(`${root}/${path}`, "utf8")) as Fixture] as const)
  .filter(([, fixture]) => fixture.frame !== undefined);

const written = /^(response|output|progress|tools|screen|event)[/\\]/;
/** Accepted by the bridge but never sent by this agent: null in a list, an error that is not text. */
const foreign = /chat|error-not-text/;
const ownFrames = fixtures.filter(([path]) => written.test(path) && !foreign.test(path));

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const length = value.findLastIndex((each) => each !== null) + 1;
    return length === 0 ? {} : value.slice(0, length).map(plain);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]));
}

const readInput = `local file = fs.open("/in.json", "rb") local text = file.readAll() file.close()
  local frame = assert(json.decode(text))`;

describe.each(["1.100.0", "1.113.1"])("golden frames on CC:Tweaked %s", (version) => {
  let lua: LuaComputer;
  beforeAll(async () => {
    lua = await LuaComputer.boot(version);
  });
  afterAll(() => lua.close());

  it("are all found, of both sides", () => {
    const from = (side: string) => fixtures.filter(([, fixture]) => fixture.from === side).length;
    expect(from("bridge")).toBeGreaterThan(10);
    expect(from("agent")).toBeGreaterThan(25);
    expect(ownFrames.length).toBeGreaterThan(15);
  });

  it.each(fixtures)("%s is read and written again as it was", async (_path, fixture) => {
    lua.computer.fs.write("/in.json", fixture.text);
    const back = await lua.run(`${readInput} return json.encode(frame)`);
    expect(plain(JSON.parse(back))).toEqual(plain(JSON.parse(fixture.text)));
  });

  it.each(ownFrames)("%s is what the agent writes", async (_path, fixture) => {
    lua.computer.fs.write("/in.json", fixture.text);
    const text = await lua.run(`${readInput}
      local frames, base64 = require("mcp.frames"), require("mcp.base64")
      local writers = {
        response = function()
          if frame.ok then return frames.success(frame.id, frame.result) end
          return frames.failure(frame.id, frame.error, frame.result, frame.reason)
        end,
        output = function()
          local text = frame.encoding and base64.decode(frame.text) or frame.text
          return frames.output(frame.id, frame.seq, text)
        end,
        progress = function() return frames.progress(frame.id, frame) end,
        tools = function() return frames.tools(frame.tools, frame.broken) end,
        screen = function() return frames.screen(frame.job, frame) end,
        event = function() return frames.event(frame) end,
      }
      return writers[frame.type]()`);
    const decoded = decodeAgentFrame(text);
    expect(decoded).toMatchObject({ ok: true });
    if (decoded.ok) expect(plain(decoded.frame)).toEqual(plain(fixture.frame));
  });

  it("and its hello are read by the bridge", async () => {
    const text = await lua.run(`return require("mcp.frames").hello({
      token = "s3cret", world = "survival", methods = { "ping" }, jobs = { "k2-7" } })`);
    expect(decodeAgentFrame(text)).toMatchObject({
      ok: true,
      frame: {
        type: "hello",
        computerId: 7,
        protocol: PROTOCOL_VERSION,
        agent: { name: "mcp-computer" },
        kind: "computer",
        world: "survival",
        token: "s3cret",
        methods: ["ping"],
        features: Object.values(Feature).sort(),
        jobs: ["k2-7"],
        maxFrame: SAFE_FRAME_BYTES,
      },
    });
  });

  it("lists the methods of every group, and no others", async () => {
    const [listed, found] = await lua.json<[Record<string, string>, Record<string, string>]>(`
      local listed, found = require("mcp.methods").group_of, {}
      for _, group in pairs(listed) do
        for name in pairs(require(group)) do found[name] = group end
      end
      return json.encode({ listed, found })`);
    expect(Object.keys(listed)).toContain("exec-lua");
    expect(found).toEqual(listed);
    const groups = readdirSync(new URL("../../../lua/mcp/methods", import.meta.url));
    expect(new Set(Object.values(listed)).size).toBe(groups.length - 1);
  });

  it("agrees with the bridge on which requests are heartbeats", async () => {
    const flags = await lua.json<Record<string, boolean>>(`
      local flags = {}
      local methods = require("mcp.methods")
      for name in pairs(methods.group_of) do
        flags[name] = methods.methods[name].heartbeat == true
      end
      return json.encode(flags)`);
    expect(Object.keys(flags)).toContain("ping");
    expect(flags).toEqual(
      Object.fromEntries(Object.keys(flags).map((name) => [name, isHeartbeat(name)])),
    );
  });
});
