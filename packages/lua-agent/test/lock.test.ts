import { expect, it } from "vitest";
import { fill, texts } from "../../../vitest.texts.js";
import { startAgent } from "./start-agent.js";

const locked = (allow: string) =>
  startAgent({
    computer: {
      files: {
        "/.settings": `{ ["mcp_computer.allow"] = "${allow}" }`,
        "/notes.txt": "hello",
        "/mcp-tools/door.lua": "return { description = 'x', run = print }",
      },
    },
  });
const write = (path: string) => ({ path, content: "mine" });

it.each(["nonsense", "Look", "none"])("refuses to start with allow = %s", async (allow) => {
  await using agent = await locked(allow);
  await agent.shows(`mcp_computer.allow is '${allow}', but it must be look, files or all.`);
  await agent.prompt();
  expect(agent.bridge.links).toHaveLength(0);
});

it("takes no other type of value for permission either", async () => {
  await using agent = await startAgent({
    computer: { files: { "/.settings": `{ ["mcp_computer.allow"] = false }` } },
  });
  await agent.shows("mcp_computer.allow is 'false'");
});

it("with allow = look it only looks, and says so", async () => {
  await using agent = await locked("look");
  const link = await agent.link();
  await agent.shows("locked by the player: a bridge may only look");
  expect(JSON.parse(link.texts[0] ?? "")).toMatchObject({ type: "hello", allow: "look" });
  expect(link.hello.methods).toEqual([
    ...["about-computer", "check-requests", "list-files", "list-inventory", "list-peripherals"],
    ...[
      "ping",
      "read-file",
      "read-screen",
      "search-files",
      "turtle-status",
      "watch-events",
      "watch-screen",
    ],
  ]);
  expect(await link.request("read-file", { path: "/notes.txt" })).toMatchObject({ ok: true });
  for (const [method, params] of [
    ["exec-lua", { code: "_G.ran = true" }],
    ["write-file", write("/notes.txt")],
    ["run-program", { command: "id" }],
    ["call-tool", { name: "door" }],
    ["reboot-computer", {}],
    ["send-input", { steps: [] }],
  ] as const) {
    expect(await link.request(method, params)).toMatchObject({
      ok: false,
      error: expect.stringMatching(new RegExp(fill(texts.isLockedOnThisComputer, method))),
    });
  }
  await agent.world.advance(6_000);
  expect(link.of("tools")).toEqual([]);
  expect(agent.computer.fs.read("/notes.txt")).toBe("hello");
});

it("with allow = files it changes files, but none that would undo the lock or run", async () => {
  await using agent = await locked("files");
  const link = await agent.link();
  expect(await link.request("write-file", write("/notes.txt"))).toMatchObject({ ok: true });
  for (const path of [
    ...["/.settings", "/startup.lua", "/startup/x.lua", "/mcp-tools/y.lua", "/mcp-computer.lua"],
    ...["/STARTUP.lua", "/disk/startup", "/a/../startup.lua", "/mcp-computer.lua.old"],
  ]) {
    expect(await link.request("write-file", write(path))).toMatchObject({
      ok: false,
      error: expect.stringContaining("must not be changed"),
    });
  }
  expect(await link.request("move-file", { from: "/notes.txt", to: "/startup.lua" })).toMatchObject(
    { ok: false },
  );
  expect(await link.request("delete-file", { path: "/.settings" })).toMatchObject({ ok: false });
  expect(await link.exec("return 1")).toMatchObject({ ok: false });
});

it("with allow = all it does everything", async () => {
  await using agent = await locked("all");
  expect(await (await agent.link()).exec("return 1")).toMatchObject({ ok: true });
});
