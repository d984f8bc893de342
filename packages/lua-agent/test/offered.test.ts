import { readFileSync } from "node:fs";
import type { Tools } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { greet, type Link } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

const readme = readFileSync(new URL("../../../lua/README.md", import.meta.url), "utf8");
const examples = Object.fromEntries(
  [...readme.matchAll(/```lua\n-- (\/mcp-tools\/\w+\.lua)\n([\s\S]*?)```/g)].map(
    ([, path, text]) => [path, text],
  ),
) as Record<string, string>;

const tool = (returned: string) =>
  `return { description = "says something", run = function() return ${returned} end }`;

const newest = (link: Link): Tools | undefined => link.of("tools").at(-1);
const names = (link: Link) => newest(link)?.tools.map(({ name }) => name);
const offers = (link: Link, ...wanted: string[]) =>
  link.until(`tools ${wanted}`, () => names(link)?.join() === wanted.join());
const call = (link: Link, name: string, args?: object) =>
  link.request("call-tool", { name, ...(args === undefined ? {} : { arguments: args }) });

describe("tools in a folder", () => {
  it("are announced after each hello, and called as jobs: the README's door", async () => {
    await using agent = await startAgent({ computer: { files: examples } });
    const link = await agent.link();
    await offers(link, "door", "quarry");
    expect(newest(link)?.tools[0]).toEqual({
      name: "door",
      description: texts.opensOrClosesTheDoor,
      inputSchema: {
        type: "object",
        properties: { open: { type: "boolean", description: "true opens it, false closes it" } },
        required: ["open"],
      },
    });
    expect(newest(link)?.tools[1]?.inputSchema).toEqual({
      type: "object",
      properties: {
        depth: {
          type: "integer",
          description: "blocks to dig",
          minimum: 1,
          maximum: 64,
          default: 8,
        },
      },
    });
    expect(await call(link, "door", { open: true })).toMatchObject({
      ok: true,
      result: { returns: [{ type: "string", value: "the door is open" }] },
    });
    expect(agent.computer.redstone.output("back")).toBe(15);
    expect(await call(link, "door")).toMatchObject({
      ok: false,
      error: "the argument open is missing",
    });
    link.drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    await offers(await agent.link(2), "door", "quarry");
  });

  it("report progress, stream their output and can be cancelled: the README's quarry", async () => {
    await using agent = await startAgent({
      greeting: greet({ jobs: [] }),
      computer: {
        kind: "turtle",
        files: examples,
        turtle: { position: { x: 0, y: 64, z: 0 }, fuel: 100 },
      },
    });
    for (const y of [63, 62, 61]) agent.world.blocks.set({ x: 0, y, z: 0 }, "minecraft:stone");
    const link = await agent.link();
    await offers(link, "door", "quarry");
    const id = link.send("call-tool", { name: "quarry", arguments: { depth: 3 } });
    await agent.world.advanceUntil(() => link.responses(id).length > 0);
    const response = await link.response(id);
    expect(response).toMatchObject({
      ok: true,
      result: {
        returns: [{ type: "number", value: 3 }],
        output: "1: minecraft:stone\n2: minecraft:stone\n3: minecraft:stone\n",
      },
    });
    expect(link.of("progress")).toEqual(
      [1, 2, 3].map((progress) => ({
        ...{ type: "progress", id, progress },
        ...{ total: 3, message: `layer ${progress}` },
      })),
    );
    const stopped = link.send("call-tool", { name: "quarry", arguments: { depth: 64 } });
    await agent.world.advanceUntil(() => link.of("progress").length > 4);
    link.cancel(stopped);
    expect(await link.response(stopped)).toMatchObject({ error: "cancelled" });
  });

  it("are noticed when they come, change and go", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    await link.request("ping");
    expect(link.of("tools")).toEqual([]);
    agent.computer.fs.write("/mcp-tools/first.lua", tool("1"));
    await agent.world.advance(5_100);
    await offers(link, "first");
    agent.computer.fs.write("/mcp-tools/second.lua", tool("2"));
    await agent.world.advance(2_100);
    await offers(link, "first", "second");
    agent.computer.fs.write("/mcp-tools/first.lua", tool("'changed'"));
    await agent.world.advance(2_100);
    expect(await call(link, "first")).toMatchObject({
      result: { returns: [{ value: "changed" }] },
    });
    agent.computer.fs.delete("/mcp-tools/second.lua");
    await agent.world.advance(2_100);
    await offers(link, "first");
    expect(await call(link, "second")).toMatchObject({
      ok: false,
      error: texts.thisComputerOffersNoTool,
    });
    agent.computer.fs.delete("/mcp-tools");
    await agent.world.advance(2_100);
    await offers(link);
  });

  it("are there at once after a request that wrote one", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    await link.request("write-file", { path: "/mcp-tools/mine.lua", content: tool("7") });
    await offers(link, "mine");
    expect(await call(link, "mine")).toMatchObject({ result: { returns: [{ value: 7 }] } });
  });

  it.each([
    ["does not compile", "return {", /door\.lua:1:/],
    ["fails", "error('no luck')", /no luck/],
    ["never ends", "while true do pcall(sleep, 0) end", /did not return its table within 5 s/],
    ["returns nothing", "", /must return a table/],
    ["has no run", "return { description = 'x' }", /run must be a function/],
    ["has no description", "return { run = print }", /description must say/],
    [
      "has a strange type",
      "return { description = 'x', run = print, input = { n = { type = 'turtle' } } }",
      /input\.n\.type must be string/,
    ],
    [
      "has a list as its input",
      "return { description = 'x', run = print, input = { 'n' } }",
      /must name its fields with letters/,
    ],
    ["is long", `return { description = '${"x".repeat(70_000)}', run = print }`, /65536 bytes/],
  ])("that %s are reported, and do not affect others", async (_name, text, problem) => {
    await using agent = await startAgent({
      computer: { files: { "/mcp-tools/door.lua": text, "/mcp-tools/good.lua": tool("1") } },
    });
    const link = await agent.link();
    await agent.world.advanceUntil(() => (newest(link)?.broken ?? []).length > 0);
    await offers(link, "good");
    expect(newest(link)?.broken).toEqual([
      { file: "/mcp-tools/door.lua", problem: expect.stringMatching(problem) },
    ]);
    await agent.shows("/mcp-tools/door.lua: ");
    expect(await call(link, "good")).toMatchObject({ ok: true });
    agent.computer.fs.write("/mcp-tools/door.lua", tool("'mended'"));
    await agent.world.advance(2_100);
    await offers(link, "door", "good");
    expect(newest(link)?.broken).toEqual([]);
  });

  it("have names that clients accept", async () => {
    await using agent = await startAgent({
      computer: { files: { "/mcp-tools/ok_1-x.lua": tool("1"), "/mcp-tools/1st.lua": tool("1") } },
    });
    const link = await agent.link();
    await offers(link, "ok_1-x");
    expect(newest(link)?.broken?.[0]?.problem).toContain(texts.aToolNameMustBe);
  });

  it("may run for long, be cancelled and fail like other code", async () => {
    const files = {
      "/mcp-tools/busy.lua":
        "return { description = 'x', run = function() print('on') while true do end end }",
      "/mcp-tools/fails.lua":
        "return { description = 'x', run = function() error('broken pipe') end }",
    };
    await using agent = await startAgent({ computer: { files } });
    const link = await agent.link();
    await offers(link, "busy", "fails");
    const busy = link.send("call-tool", { name: "busy" });
    await link.until("output", () => link.outputs(busy).length > 0);
    link.cancel(busy);
    expect(await link.response(busy)).toMatchObject({
      error: "cancelled",
      result: { output: "on\n" },
    });
    expect(await call(link, "fails")).toMatchObject({
      ok: false,
      error: expect.stringContaining("broken pipe"),
    });
  });
});

describe("tools of running programs", () => {
  it("come and go with mcp.tool and mcp.remove", async () => {
    await using agent = await startAgent({
      computer: { files: { "/mcp-tools/greet.lua": tool("'from the file'") } },
    });
    const link = await agent.link();
    await offers(link, "greet");
    await link.exec(`mcp.tool { name = "count", description = "counts", input = { to = "integer" },
      run = function(args) local t = {} for i = 1, args.to do t[i] = i end return t end }`);
    await offers(link, "count", "greet");
    expect(await call(link, "count", { to: 3 })).toMatchObject({
      result: { returns: [{ value: [1, 2, 3] }] },
    });
    await link.exec(
      `mcp.tool { name = "greet", description = "greets", run = function() return "from a program" end }`,
    );
    expect(await call(link, "greet")).toMatchObject({
      result: { returns: [{ value: "from a program" }] },
    });
    expect(await link.exec("return mcp.remove('greet'), mcp.remove('greet')")).toMatchObject({
      result: { returns: [{ value: true }, { value: false }] },
    });
    expect(await call(link, "greet")).toMatchObject({
      result: { returns: [{ value: "from the file" }] },
    });
    expect(await link.exec("mcp.tool { name = 'x', description = 'y' }")).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.mcpToolRunMustBe),
    });
  });

  it("are offered only while the program runs", async () => {
    await using agent = await startAgent();
    await agent.link();
    await agent.shows("linked as");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("lua\n");
    agent.computer.type("mcp == nil\n");
    await agent.computer.until(() => screenText(agent.computer).includes("true"));
  });
});
