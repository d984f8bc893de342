import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  CloseCode,
  Feature,
  HelloErrorCode,
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
${table(CloseCode)}  },
  HELLO_ERROR = {
${table(HelloErrorCode)}  },
}
`;

it("lua/mcp/protocol.lua says what packages/protocol says", async () => {
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
  .filter(([, fixture]) => fixture.from === "bridge" && fixture.frame !== undefined);

// What a bridge writes must be the same for the agent's own decoder as for everybody's.
describe.each(["1.100.0", "1.113.1"])("golden frames on CC:Tweaked %s", (version) => {
  let lua: LuaComputer;
  beforeAll(async () => {
    lua = await LuaComputer.boot(version);
  });
  afterAll(() => lua.close());

  it("are all found", () => {
    expect(fixtures.length).toBeGreaterThan(10);
  });

  it.each(fixtures)("%s", async (_path, fixture) => {
    lua.computer.fs.write("/in.json", fixture.text);
    const back = await lua.run(
      `local file = fs.open("/in.json", "rb") local text = file.readAll() file.close()
       return json.encode(assert(json.decode(text)))`,
    );
    // Lua cannot tell an empty list from an empty object, and lets null vanish.
    const plain = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.length === 0
          ? {}
          : value.map(plain)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .filter(([, each]) => each !== null)
                .map(([name, each]) => [name, plain(each)]),
            )
          : value;
    expect(plain(JSON.parse(back))).toEqual(plain(JSON.parse(fixture.text)));
  });
});
