import { annotationsOf, tools } from "@ccbridge/mcp-tools";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { examples } from "../docs/examples.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { everyTransport } from "./every-transport.js";
import { startWithTokens } from "./helpers.js";

const acting = tools
  .filter((tool) => !annotationsOf(tool).readOnlyHint && tool.isForOwners !== true)
  .map(({ name }) => name);
const textOf = (result: unknown) =>
  (result as { content: { text?: string }[] }).content[0]?.text ?? "";

describe.each(Object.entries(everyTransport))("over %s", (_, open) => {
  it("a read-only bridge refuses every tool that acts, whatever the token allows", async () => {
    const bridge = await startWithTokens("t-all name=ann\n", {
      readOnly: true,
      minecraftTokens: ["m-token"],
      syncFolders: [`a=${scratchDirectory()}`],
    });
    const client = await open(bridge, "t-all");
    const listed = (await client.listTools()).tools;
    expect(listed.length).toBeGreaterThan(10);
    expect(listed.filter(({ name }) => acting.includes(name))).toEqual([]);
    expect(acting.length).toBeGreaterThan(15);
    const refusable = acting.filter((name) => name !== "call-offered-tool");
    for (const name of refusable) {
      const args = { ...examples[name] };
      if ("jobId" in args) args.jobId = "none";
      const refused = await client.callTool({ name, arguments: args });
      expect(refused, name).toMatchObject({ isError: true });
      expect(textOf(refused), name).toContain(texts.thisBridgeIsReadOnly);
    }
    const records = bridge.audit.trail.recent();
    expect(records.map(({ outcome }) => outcome)).toEqual(refusable.map(() => "refused"));
  });

  it("a token sees its computers and uses its tools, and nothing else", async () => {
    const bridge = await startWithTokens(
      "t-some name=bob tools=core,files,-exec-lua computers=1,label:farm-* rate=4/h\n",
    );
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "one" });
    await linkComputer(bridge.linkUrl, { computerId: 2, label: "two" });
    await linkComputer(bridge.linkUrl, { computerId: 3, label: "farm-a" });
    const client = await open(bridge, "t-some");
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["list-computers", "read-file", "write-file"]));
    expect(names).not.toContain("exec-lua");
    expect(names).not.toContain("read-screen");
    const uris = (await client.listResources()).resources.map(({ uri }) => uri).join(" ");
    expect(uris).toContain("cc://computers/1");
    expect(uris).not.toMatch(/computers\/2|screen|events/);
    const call = async (name: string, args = {}) =>
      textOf(await client.callTool({ name, arguments: args }));
    expect(await call("exec-lua", { computerId: 1, code: "return 1" })).toContain(
      "(bob) does not allow exec-lua",
    );
    const list = await call("list-computers");
    expect(list).toMatch(/one/);
    expect(list).not.toMatch(/two/);
    expect((await call("list-files", { computerId: 2 })).replace("Computer 2", "Computer 9")).toBe(
      await call("list-files", { computerId: 9 }),
    );
    await call("list-computers");
    expect(await call("list-computers")).toMatch(new RegExp(texts.allowsCallsAnHourAnd));
  });
});
