import { createHash } from "node:crypto";
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { AuditFile } from "../../src/calls/audit/audit-file.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { startWithTokens } from "./helpers.js";

const code = "return 1";
const programs = { [code]: () => [{ type: "number", value: 1 }] };

function linesOf(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const calls = (path: string) => linesOf(path).filter(({ event }) => event === "call");
const TOKEN = "a-token-of-some-length";

async function audited(settings = {}, tokens = `${TOKEN} name=ann\n`) {
  const auditFile = join(scratchDirectory(), "audit.log");
  const { log, lines } = recordingLogger();
  const bridge = await startWithTokens(tokens, { auditFile, ...settings }, log);
  const computer = await linkComputer(bridge.linkUrl, { computerId: 7, programs });
  return { bridge, auditFile, computer, logged: lines, client: await bridge.connect(TOKEN) };
}

it("a fault of a viewer at the end of a call reaches neither the client nor the next call", async () => {
  const { client, bridge, logged } = await audited();
  const stop = bridge.audit.trail.subscribe(({ outcome }) => {
    if (outcome !== undefined) throw new Error("a fault");
  });
  for (let call = 0; call < 2; call += 1) {
    expect((await callTool(client, "exec-lua", { computerId: 7, code })).text).toContain(
      "Returned: 1",
    );
  }
  stop();
  expect(logged().filter(({ reason }) => reason === "a fault")).toHaveLength(1);
});

describe("the audit file", () => {
  it("has the end of a call before its answer, and has it too when the client is gone", async () => {
    const endless = endlessProgram();
    Object.assign(programs, endless.programs);
    const { client, auditFile } = await audited();
    await callTool(client, "exec-lua", { computerId: 7, code });
    expect(calls(auditFile).map(({ phase }) => phase)).toEqual(["before", "after"]);
    const gone = new AbortController();
    const call = client.callTool(
      { name: "exec-lua", arguments: { computerId: 7, code: endless.code } },
      undefined,
      { signal: gone.signal },
    );
    call.catch(() => {});
    await endless.running;
    gone.abort();
    await expect
      .poll(() => calls(auditFile).map(({ phase }) => phase))
      .toEqual(["before", "after", "before", "after"]);
  });

  it("has a line before each acting call and one after, for its owner alone", async () => {
    const { client, auditFile, logged } = await audited();
    await callTool(client, "exec-lua", { computerId: 7, code });
    await callTool(client, "list-computers");
    await callTool(client, "write-file", { computerId: 9, path: "a.txt", content: "hello" });
    const session = expect.stringMatching(/^[0-9a-f]{12}$/);
    const common = { event: "call", client: "ann", software: "test 0", session };
    const provider = { providers: ["computer 7 (Label: null)"] };
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    expect(calls(auditFile)).toMatchObject([
      { ...common, ...provider, phase: "before", tool: "exec-lua", code, sha256: hash(code) },
      {
        ...common,
        ...provider,
        phase: "after",
        job: expect.any(String),
        outcome: "ok",
        durationMs: expect.any(Number),
      },
      {
        ...common,
        phase: "before",
        tool: "write-file",
        path: "a.txt",
        sha256: hash("hello"),
        providers: [],
        notFound: expect.stringContaining("Computer 9 is not linked"),
      },
      { ...common, phase: "after", outcome: "error" },
    ]);
    if (process.platform !== "win32") expect(statSync(auditFile).mode & 0o777).toBe(0o600);
    expect(linesOf(auditFile)[0]).toMatchObject({
      event: "linked",
      provider: "computer 7 (Label: null)",
    });
    expect(logged().filter(({ msg }) => msg === "call")).toMatchObject([
      { client: "ann", tool: "exec-lua", outcome: "ok" },
      { client: "ann", tool: "write-file", outcome: "error" },
    ]);
  });

  it("has read-only calls too when configured, refusals, and connection events", async () => {
    const { client, bridge, auditFile } = await audited({ audit: "all", readOnly: true });
    await callTool(client, "list-computers");
    await callTool(client, "exec-lua", { computerId: 7, code });
    await expect(bridge.connect("wrong-token-wrong")).rejects.toThrow();
    await linkComputer(bridge.linkUrl, { computerId: 7, programs });
    expect(calls(auditFile)).toMatchObject([
      { phase: "before", tool: "list-computers" },
      { phase: "after", tool: "list-computers", outcome: "ok" },
      { phase: "after", tool: "exec-lua", outcome: "refused" },
    ]);
    const events = linesOf(auditFile).map(({ event }) => event);
    expect(events).toEqual(expect.arrayContaining(["linked", "token-refused", "takeover"]));
  });

  it("never contains a token, whatever a client sends", async () => {
    const { client, bridge, auditFile, logged } = await audited({ linkTokens: [] });
    await callTool(client, "exec-lua", { computerId: 7, code: `print("${TOKEN}")` });
    await callTool(client, "set-label", { computerId: 7, label: TOKEN });
    await bridge.connect(`${TOKEN}-x`).catch(() => {});
    const everything = `${readFileSync(auditFile, "utf8")}${JSON.stringify(logged())}${JSON.stringify(bridge.audit.trail.recent())}`;
    expect(everything).toContain("[secret]");
    expect(everything).not.toContain(TOKEN);
  });

  it("that cannot be written stops a call where it is required, and only there", async () => {
    const { client, bridge, auditFile } = await audited({ auditRequired: true });
    rmSync(auditFile);
    const { mkdirSync } = await import("node:fs");
    mkdirSync(auditFile);
    bridge.reload();
    const refused = await callTool(client, "exec-lua", { computerId: 7, code });
    expect(refused.text).toMatch(new RegExp(texts.cannotWriteItsAuditFile, "s"));
    expect(await callTool(client, "list-computers")).not.toHaveProperty("isError", true);
    expect(bridge.registry.jobs.list()).toEqual([]);
    rmSync(auditFile, { recursive: true });
    expect(await callTool(client, "exec-lua", { computerId: 7, code })).not.toHaveProperty(
      "isError",
      true,
    );
    expect(calls(auditFile)).toHaveLength(2);
  });

  it("is opened again by its name", async () => {
    const { client, bridge, auditFile } = await audited();
    await callTool(client, "exec-lua", { computerId: 7, code });
    renameSync(auditFile, `${auditFile}.aside`);
    bridge.reload();
    await callTool(client, "exec-lua", { computerId: 7, code });
    expect(calls(auditFile)).toHaveLength(2);
    expect(calls(`${auditFile}.aside`)).toHaveLength(2);
  });
});

describe("rotation", () => {
  let file: AuditFile | undefined;
  afterEach(() => file?.close());

  it("keeps the configured number and size of files, and loses no line in between", () => {
    const path = join(scratchDirectory(), "audit.log");
    writeFileSync(path, "");
    chmodSync(path, 0o644);
    file = new AuditFile({ path, maxBytes: 100, keep: 2 });
    for (let n = 0; n < 20; n += 1) file.write({ n, text: "x".repeat(20) });
    const kept = [`${path}.2`, `${path}.1`, path];
    for (const each of kept) expect(statSync(each).size).toBeLessThanOrEqual(100);
    const numbers = kept.flatMap(linesOf).map(({ n }) => n);
    expect(numbers).toEqual([...numbers.keys()].map((index) => index + 20 - numbers.length));
    expect(() => statSync(`${path}.3`)).toThrow();
    if (process.platform !== "win32") {
      for (const each of kept) expect(statSync(each).mode & 0o777).toBe(0o600);
    }
  });
});
