import { Buffer } from "node:buffer";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { bearer } from "../../calls/helpers.js";
import { linkGameComputer, startWorld } from "../../computer/helpers.js";
import { startWireBridge, tokenFile, WirePage } from "../../dashboard/helpers.js";
import { scratchDirectory } from "../../helpers/scratch.js";
import { callTool, connectClient } from "../../helpers/sdk-client.js";

const LINK = "hPz3-link-token-of-the-bridge-0001";
const OWNER = "Qk9s-the-token-of-its-owner-0002";
const LOOKER = "w7Rt-the-token-of-a-looker-0003";

async function leaky() {
  const lines = tokenFile(`${OWNER} name=owner`, `${LOOKER} name=looker mode=look`);
  const bridge = await startWireBridge({ ...lines, linkTokens: [LINK] });
  const world = await startWorld();
  const door = `return { description = "Says ${LINK}", input = { word = { type = "string", description = "like ${OWNER}" } },
    run = function(_, context) context.progress(1, 2, "${LINK}") sleep(0.5) print("${OWNER}") return "${LINK}" end }`;
  const computer = await linkGameComputer(
    { ...bridge, linkUrl: `${bridge.linkUrl} --token ${LINK}` },
    world,
    {
      files: {
        "/note.txt": `first\nlink ${LINK} owner ${OWNER}\n`,
        "/data.bin": Buffer.concat([Buffer.from(`\xff${OWNER}`, "latin1")]),
        "/mcp-tools/door.lua": door,
        "/show.lua": `print("${LINK}") print("${OWNER}") os.pullEvent("never")`,
      },
    },
  );
  const client = await connectClient(bridge.mcpUrl, bearer(OWNER));
  const looker = await connectClient(bridge.mcpUrl, bearer(LOOKER));
  return { bridge, computer, client, looker };
}

const halves = [LINK, OWNER].flatMap((token) => [
  token.slice(0, token.length / 2),
  token.slice(token.length / 2),
]);

function expectClean(answer: unknown, what: string): void {
  const text = JSON.stringify(answer);
  const bytes = (text.match(/[\w+/]{16,}={0,2}/g) ?? []).map((part) =>
    Buffer.from(part, "base64").toString("latin1"),
  );
  for (const half of halves) {
    expect(text, what).not.toContain(half);
    expect(bytes.join("\n"), what).not.toContain(half);
  }
}

describe("the tokens of the bridge stay out of", () => {
  it("files, searches and resources, for a read-only client", async () => {
    const { client, computer, looker } = await leaky();
    const at = { computerId: 12 };
    const offset = 11 + 6;
    for (const [name, args] of [
      ["read-file", { path: "/note.txt" }],
      ["read-file", { path: "/note.txt", offset }],
      ["read-file", { path: "/note.txt", encoding: "base64" }],
      ["read-file", { path: "/data.bin" }],
      ["read-file", { path: ["/note.txt", "/data.bin"] }],
      ["search-files", { query: "link" }],
      ["search-files", { query: "first", context: 1 }],
    ] as const) {
      const answer = await callTool(looker, name, { ...at, ...args });
      expect(answer.isError, `${name}: ${answer.text}`).not.toBe(true);
      expectClean(answer, `${name} ${JSON.stringify(args)}`);
    }
    expect((await callTool(looker, "read-file", { ...at, path: "/note.txt" })).text).toContain(
      "[secret]***",
    );
    const [, hash] =
      /hash (\S+)/.exec((await callTool(client, "read-file", { ...at, path: "/note.txt" })).text) ??
      [];
    const content = "link [secret]********";
    const written = await callTool(client, "write-file", {
      ...at,
      path: "/note.txt",
      content,
      expectedHash: hash,
    });
    expect(written.text).toContain(texts.whereTheBridgeLeftOut);
    expect(computer.fs.read("/note.txt")).toContain(LINK);
    for (const path of ["note.txt", "data.bin"]) {
      const uri = `cc://computers/12/files/${path}`;
      expectClean(await looker.readResource({ uri }), uri);
    }
  });

  it("output, values, errors, progress, events and offered tools", async () => {
    const { client, looker } = await leaky();
    const at = { computerId: 12 };
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
      .toContain("door");
    expectClean(await client.listTools(), "tools/list");
    const received: unknown[] = [];
    const called = await callTool(
      client,
      "door",
      { word: "x" },
      {
        onprogress: (progress) => received.push(progress),
      },
    );
    expect(called.text).toContain("[secret]***");
    expectClean([called, received], "door");
    expect(JSON.stringify(received)).toContain("[secret]***");
    for (const code of [
      `print("${LINK}") return { "${OWNER}", { inner = "${LINK}" } }`,
      `error("${LINK}")`,
      `os.queueEvent("leak", "${OWNER}")`,
    ]) {
      const { jobId, ...answer } = await callTool(client, "exec-lua", { ...at, code }).then(
        ({ text, structuredContent }) =>
          ({ text, ...structuredContent }) as Record<string, unknown>,
      );
      expectClean(answer, code);
      expectClean(await callTool(looker, "get-job", { jobId }), `get-job after ${code}`);
    }
    expectClean(await callTool(looker, "list-jobs"), "list-jobs");
    await callTool(client, "watch-events", { ...at, events: ["leak"] });
    await callTool(client, "exec-lua", { ...at, code: `os.queueEvent("leak", "${OWNER}")` });
    await expect
      .poll(async () => (await callTool(looker, "get-events", at)).text)
      .toContain("[secret]***");
    expectClean(await callTool(looker, "get-events", at), "get-events");
  });

  it("screens, pictures of them, and the dashboard", async () => {
    const { client, looker, bridge } = await leaky();
    const started = await callTool(client, "run-program", {
      computerId: 12,
      command: "show",
      waitMs: 1_000,
    });
    expect(started.text).toContain("[secret]***");
    expectClean(started, "run-program");
    const jobId = String((started.structuredContent as { jobId?: string }).jobId);
    expectClean(await callTool(looker, "read-screen", { computerId: 12, jobId }), "read-screen");
    const page = await new WirePage(bridge).hello(LOOKER);
    const fleet = await page.watch("fleet", {}).first(({ rows }) => rows.length > 0);
    const key = fleet.rows[0]?.key ?? "";
    const { screen } = await page
      .watch("screen", { key, job: jobId })
      .first((data) => data.screen !== null);
    expect(screen?.text).toContain("[secret]***");
    const file = await page.act("read-file", { key, path: "/note.txt" });
    expect(JSON.stringify(file)).toContain("[secret]***");
    await page.watch("activity", {}).first(() => true);
    await page.watch("jobs", { key }).first(() => true);
    expectClean(page.received, "dashboard");
  });

  it("answers of a paired computer, which has a secret that is stored as a hash only", async () => {
    const bridge = await startWireBridge({
      pairing: "on",
      pairingFile: join(scratchDirectory(), "paired.json"),
      mcpTokens: [OWNER],
    });
    const world = await startWorld();
    const computer = await linkGameComputer(
      {
        ...bridge,
        get computers() {
          const [pending] = bridge.pairing?.pending() ?? [];
          if (pending) bridge.pairing?.confirm(pending.code, "owner");
          return bridge.computers;
        },
      },
      world,
    );
    const [, secret = ""] =
      /secret = "(\S+) /.exec(computer.fs.read("/.mcp-computer.secret")) ?? [];
    expect(secret).toHaveLength(43);
    computer.fs.write("/copy.txt", `a copy: ${secret}`);
    const client = await connectClient(bridge.mcpUrl, bearer(OWNER));
    const { text } = await callTool(client, "read-file", { computerId: 12, path: "/copy.txt" });
    expect(text).toContain(`a copy: [secret]${"*".repeat(35)}`);
  });
});
