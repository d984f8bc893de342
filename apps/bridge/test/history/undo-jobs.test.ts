// Files that jobs write through `fs` can be taken back: with the real program.
import { describe, expect, it, vi } from "vitest";
import { isLinked } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { openSocket } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startUndoScene } from "./undo-scene.js";

type Scene = Awaited<ReturnType<typeof startUndoScene>>;

const KEPT = "/.mcp-computer.before";
const put = (path: string, text: string, mode = "w") =>
  `local f = fs.open(${JSON.stringify(path)}, "${mode}") f.write(${JSON.stringify(text)}) f.close() `;

async function run({ on }: Scene, code: string, more: object = {}): Promise<string> {
  const { structuredContent, text } = await on("exec-lua", { code, ...more });
  const { jobId } = structuredContent as { jobId?: string };
  if (jobId === undefined) throw new Error(text);
  return jobId;
}

const back = ({ undo }: Scene, job: string, more: object = {}) =>
  undo({ job, dryRun: false, ...more });

describe("exec-lua", () => {
  it("replaced, new, appended, deleted, moved and copied files come back, byte for byte", async () => {
    const scene = await startUndoScene();
    const { computer } = scene;
    const before: Record<string, string> = {
      "/replaced": "old\0\xff\r\n",
      "/appended": "line 1\n",
      "/both": "begin",
      "/deleted": "",
      "/moved": "to be moved",
      "/folder/a": "A",
      "/folder/sub/b": "B",
    };
    const bytes = (path: string) => computer.fs.readBytes(path).toString("latin1");
    for (const [path, text] of Object.entries(before)) {
      computer.fs.write(path, Buffer.from(text, "latin1"));
    }
    const job = await run(
      scene,
      put("/replaced", "new") +
        put("/replaced", "newer") +
        put("/appended", "line 2\n", "a") +
        put("/both", "more", "a") +
        put("/both", "all new") +
        put("/created/x", "x") +
        'fs.delete("/deleted") fs.move("/moved", "/elsewhere") fs.copy("/folder", "/copy") fs.delete("/folder")',
    );
    expect(bytes("/appended")).toBe("line 1\nline 2\n");
    const list = (await scene.changes({ job })) as { subject: string; before: object }[];
    expect(list.map(({ subject }) => subject).sort()).toEqual(
      [...Object.keys(before), "/copy/a", "/copy/sub/b", "/created/x", "/elsewhere"].sort(),
    );
    const done = await back(scene, job);
    expect(done.text).not.toContain("REFUSED");
    for (const [path, text] of Object.entries(before)) expect(bytes(path), path).toBe(text);
    for (const path of ["/created/x", "/elsewhere", "/copy/a", "/copy/sub/b"]) {
      expect(computer.fs.exists(path), path).toBe(false);
    }
    // Nothing is left on the computer, and the undo can be undone.
    expect(computer.fs.exists(KEPT)).toBe(false);
    const [last] = await scene.changes();
    await scene.undo({ trace: last?.trace, dryRun: false });
    expect(bytes("/both")).toBe("all new");
    expect(bytes("/copy/sub/b")).toBe("B");
  });

  it("of a long file that is appended to, only the length is kept", async () => {
    const scene = await startUndoScene();
    const { computer } = scene;
    const log = "line\n".repeat(10_000);
    computer.fs.write("/log", log);
    const free = computer.fs.freeSpace;
    const code = `${put("/log", "more\n", "a")} while not fs.exists("/go") do sleep(0.05) end`;
    const job = await run(scene, code, { waitMs: 0 });
    await computer.until(() => computer.fs.read("/log").length > log.length);
    expect(free - computer.fs.freeSpace).toBeLessThan(5_000);
    computer.fs.write("/go", "");
    await scene.on("get-job", { jobId: job, waitMs: 10_000 });
    await back(scene, job);
    expect(computer.fs.read("/log")).toBe(log);
    // And all of it once the job replaces it.
    const both = await run(scene, `${put("/log", "x", "a")} ${put("/log", "new")}`);
    await back(scene, both);
    expect(computer.fs.read("/log")).toBe(log);
  });

  it("what failed, was stopped, or did nothing in the end", async () => {
    const scene = await startUndoScene();
    const { computer, on } = scene;
    computer.fs.write("/a", "old");
    const failed = await run(scene, `${put("/a", "new")} error("no")`);
    expect((await back(scene, failed)).text).toContain("Undone: 1 change.");
    const stopped = await run(scene, `${put("/a", "endless")} while true do sleep(1) end`, {
      waitMs: 0,
    });
    await computer.until(() => computer.fs.read("/a") === "endless");
    await on("cancel-job", { jobId: stopped });
    expect((await back(scene, stopped)).text).toContain("Undone: 1 change.");
    expect(computer.fs.read("/a")).toBe("old");
    const nothing = await run(
      scene,
      `${put("/a", "x")} ${put("/a", "old")} ${put("/t", "")} fs.delete("/t")`,
    );
    expect(await scene.changes({ job: nothing })).toEqual([]);
  });

  it("while it still runs: what it wrote until now", async () => {
    const scene = await startUndoScene();
    const { computer, on } = scene;
    computer.fs.write("/a", "0");
    const wait = (name: string) => `while not fs.exists("${name}") do sleep(0.05) end `;
    const code = `${put("/a", "1")} ${wait("/go")} ${put("/a", "2")} ${wait("/end")}`;
    const job = await run(scene, code, { waitMs: 0 });
    await computer.until(() => computer.fs.read("/a") === "1");
    expect(await scene.changes({ job })).toHaveLength(1);
    computer.fs.write("/go", "");
    await computer.until(() => computer.fs.read("/a") === "2");
    expect(await scene.changes({ job })).toHaveLength(2);
    await back(scene, job);
    expect(computer.fs.read("/a")).toBe("0");
    await on("cancel-job", { jobId: job });
  });

  it("is refused when the player changed a file since, unless forced", async () => {
    const scene = await startUndoScene();
    const { computer } = scene;
    computer.fs.write("/a", "old");
    const job = await run(scene, put("/a", "new"));
    await scene.changes();
    computer.fs.write("/a", "the player's");
    expect((await back(scene, job)).text).toContain("REFUSED");
    expect(computer.fs.read("/a")).toBe("the player's");
    await back(scene, job, { force: true });
    expect(computer.fs.read("/a")).toBe("old");
  });

  it("what is too large is said, and a full disk does not fail the job", async () => {
    const scene = await startUndoScene();
    const { computer } = scene;
    computer.fs.write("/large", "x".repeat(200_000));
    const job = await run(scene, put("/large", "small"));
    const [large] = await scene.changes({ job });
    expect(large?.cannot).toContain("too large to keep");
    expect((await back(scene, job)).text).toContain("REFUSED");
    computer.fs.write("/small", "y".repeat(2_000));
    computer.fs.write("/full", "y".repeat(computer.fs.freeSpace - 3_000));
    const tight = await run(scene, put("/small", "z".repeat(3_000)));
    expect(computer.fs.read("/small")).toBe("z".repeat(3_000));
    const [small] = await scene.changes({ job: tight });
    expect(small?.cannot).toContain("too large to keep");
    computer.fs.delete("/full");
  });

  it("keys of the computer are never kept, and the folder is not listed", async () => {
    const scene = await startUndoScene();
    const { computer, on } = scene;
    const job = await run(
      scene,
      `${put("/.settings", '{ ["mcp_computer.token"] = "t-1234567890" }')} ${put("/b", "b")}`,
    );
    await scene.changes({ job });
    const next = await run(scene, `${put("/.settings", "{}")} ${put("/b", "c")} sleep(0)`);
    const list = await scene.changes({ job: next });
    expect(list.find(({ subject }) => subject === "/.settings")?.cannot).toContain(
      "keys of this computer",
    );
    const code = `${put("/b", "d")} while not fs.exists("/go") do sleep(0.05) end`;
    const running = await run(scene, code, { waitMs: 0 });
    await computer.until(() => computer.fs.exists(KEPT));
    expect((await on("list-files", { path: "/" })).text).not.toContain("mcp-computer.before");
    await on("cancel-job", { jobId: running });
  });

  it("can be switched off", async () => {
    const scene = await startUndoScene({ keepJobFiles: false });
    const job = await run(scene, put("/a", "new"));
    expect(await scene.changes({ job })).toEqual([]);
    expect(scene.computer.fs.exists(KEPT)).toBe(false);
  });
});

it("programs, also after a reboot in the middle", async () => {
  const scene = await startUndoScene();
  const { computer, on, bridge } = scene;
  computer.fs.write("/a", "old");
  computer.fs.write("/p.lua", put("/a", "by a program"));
  await on("run-program", { command: "p", waitMs: 20_000 });
  const [program] = await scene.changes();
  expect(program).toMatchObject({ tool: "run-program", subject: "/a", canBeUndone: true });
  await scene.undo({ changes: [program?.id] });
  expect(computer.fs.read("/a")).toBe("old");

  const code = `${put("/a", "cut off")} while true do sleep(1) end`;
  const job = await run(scene, code, { waitMs: 0 });
  await computer.until(() => computer.fs.read("/a") === "cut off");
  computer.reboot();
  await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(0));
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(1), 20_000);
  await vi.waitFor(async () => expect(await scene.changes({ job })).toHaveLength(1), 10_000);
  expect(computer.fs.exists(KEPT)).toBe(false);
  // Nothing says what the job had left, so that a person must insist.
  expect((await back(scene, job)).text).toContain("REFUSED");
  await back(scene, job, { force: true });
  expect(computer.fs.read("/a")).toBe("old");
});

it("offered tools, with the rights of those who called them", async () => {
  const scene = await startUndoScene();
  const { computer, client } = scene;
  computer.fs.write("/a", "old");
  computer.fs.write(
    "/mcp-tools/note.lua",
    `return { description = "Notes.", run = function() ${put("/a", "noted")} end }`,
  );
  await vi.waitFor(
    async () =>
      expect((await callTool(client, "call-offered-tool", { name: "note" })).isError).not.toBe(
        true,
      ),
    20_000,
  );
  const [change] = await scene.changes();
  expect(change).toMatchObject({ tool: "call-offered-tool", subject: "/a" });
  await scene.undo({ changes: [change?.id] });
  expect(computer.fs.read("/a")).toBe("old");
});

it("jobs of a bridge that died before it saved them: by owners", async () => {
  const linkPort = await freePort();
  const scene = await startUndoScene({ linkPort });
  const { computer } = scene;
  computer.fs.write("/a", "old");
  const code = `${put("/a", "new")} while not fs.exists("/go") do sleep(0.05) end`;
  const job = await run(scene, code, { waitMs: 0 });
  await computer.until(() => computer.fs.read("/a") === "new");
  await scene.bridge.close();
  // Its history has a new file: it knows nothing of the job but the id.
  const bridge = await startTestBridge({ linkPort });
  const client = await connectClient(bridge.mcpUrl);
  await computer.until(() => isLinked(bridge, 12));
  computer.fs.write("/go", "");
  await vi.waitFor(() => expect(bridge.registry.jobs.get(job)?.ended).toBe(true), 20_000);
  const { structuredContent } = await callTool(client, "list-changes", { job });
  const { changes } = structuredContent as { changes: Record<string, unknown>[] };
  expect(changes).toMatchObject([{ subject: "/a", canBeUndone: true }]);
  const { text } = await callTool(client, "undo-change", { job, dryRun: false });
  expect(text).toContain("Undone: 1 change.");
  expect(computer.fs.read("/a")).toBe("old");
});

it("items that such a job moved are listed too", async () => {
  const bridge = await startTestBridge();
  const client = await connectClient(bridge.mcpUrl);
  const { socket } = await openSocket(bridge.linkUrl);
  const say = (frame: object) => socket.send(JSON.stringify(frame));
  const instance = { protocol: 2, instance: "gate", run: "run-1", kind: "computer" };
  const knows = { methods: ["ping", "move-items"], features: ["jobs"], jobs: ["unsaved"] };
  say({ type: "hello", computerId: 12, ...instance, ...knows });
  await vi.waitFor(() => expect(isLinked(bridge, 12)).toBe(true));
  const moved = [{ from: "chest_2", to: "chest_0", item: "iron_ingot", count: 3 }];
  const returns = [{ type: "number", value: 3 }];
  say({ type: "response", id: "unsaved", ok: true, result: { output: "", returns, moved } });
  await vi.waitFor(async () => {
    const { structuredContent } = await callTool(client, "list-changes", { job: "unsaved" });
    expect(structuredContent).toMatchObject({
      changes: [{ subject: "3 iron_ingot from chest_2 to chest_0", canBeUndone: true }],
    });
  });
});
