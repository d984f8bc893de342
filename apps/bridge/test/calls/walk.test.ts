// The path of exec-lua through the bridge as V8 sees it: the stacks at the moments when a file
// passes the call on.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { Job } from "../../../../packages/registry/src/jobs/job.js";
import { Audit } from "../../src/calls/audit/audit.js";
import { CallLimiter } from "../../src/calls/rates.js";
import { PeerSocket } from "../../src/http/peer-socket.js";
import { ResponseWriter } from "../../src/http/response-writer.js";
import { HttpTransport } from "../../src/mcp/transports/http-transport.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { withSection } from "../helpers/generated.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const document = fileURLToPath(new URL("../../../../docs/architecture.md", import.meta.url));
const code = "return 1";

interface Hop {
  readonly file: string;
  readonly functions: string[];
}

const frame =
  /at (?:async )?(?:new )?(.*?) ?\(?(?:file:\/\/)?\/[^ ]*?\/((?:packages|apps)\/[^/]+\/src\/[^:?]+)/;

function hopsOf(stack = ""): Hop[] {
  const hops: Hop[] = [];
  for (const line of stack.split("\n").reverse()) {
    const [, called = "", file] = frame.exec(line) ?? [];
    if (file === undefined) continue;
    const name = nameOf(called);
    const last = hops.at(-1);
    if (last?.file === file) last.functions.push(name);
    else hops.push({ file, functions: [name] });
  }
  return hops;
}

function nameOf(called: string): string {
  const name =
    called
      .replace(/ \[as .*/, "")
      .split(".")
      .at(-1) ?? "";
  return /^#?[a-zA-Z]{3,}$/.test(name) ? name : "(callback)";
}

function stackOf<T extends object, M extends keyof T & string>(
  prototype: T,
  method: M,
  fits: (...args: unknown[]) => boolean = () => true,
): () => Hop[] {
  const original = prototype[method] as (...args: unknown[]) => unknown;
  let stack: string | undefined;
  const spy = vi.spyOn(prototype as Record<string, () => unknown>, method);
  spy.mockImplementation(function (this: unknown, ...args: unknown[]) {
    if (fits(...args)) stack ??= new Error("here").stack;
    return original.apply(this, args);
  });
  return () => hopsOf(stack);
}

function joined(...parts: Hop[][]): Hop[] {
  const all: Hop[] = [];
  for (const hop of parts.flat()) {
    const last = all.at(-1);
    if (last?.file !== hop.file) all.push({ file: hop.file, functions: [...hop.functions] });
    else last.functions.push(...hop.functions.filter((name) => !last.functions.includes(name)));
  }
  return all;
}

const list = (hops: readonly Hop[]) =>
  hops
    .map(
      ({ file, functions }, at) => `${at + 1}. \`${file}\`: ${[...new Set(functions)].join(", ")}`,
    )
    .join("\n");

it("exec-lua passes few files on its way, and docs/architecture.md shows them", async () => {
  const bridge = await startTestBridge({ structured: false });
  await linkComputer(bridge.linkUrl, { computerId: 1, programs: { [code]: () => [] } });
  const client = await connectClient(bridge.mcpUrl);
  const call = () => callTool(client, "exec-lua", { computerId: 1, code });
  await call();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 200;
  onTestFinished(() => {
    Error.stackTraceLimit = limit;
    vi.restoreAllMocks();
  });
  const received = stackOf(HttpTransport.prototype, "serve");
  const began = stackOf(CallLimiter.prototype, "enter");
  const sent = stackOf(PeerSocket.prototype, "send", (text) => String(text).includes(code));
  const answered = stackOf(Job.prototype, "answer");
  const ended = stackOf(Audit.prototype, "end");
  const written = stackOf(ResponseWriter.prototype, "end");
  await call();
  const transport = {
    file: "apps/bridge/src/mcp/transports/http-transport.ts",
    functions: ["serve"],
  };
  const socket = { file: "apps/bridge/src/http/peer-socket.ts", functions: ["send"] };
  const server = began().filter(({ file }) => file.includes("mcp/sdk/"));
  const out = joined(received(), [transport], server, sent(), [socket]);
  const pipeline = out.findIndex(({ file }) => file.endsWith("calls/pipeline.ts"));
  const port = out.findIndex(({ file }) => file.endsWith("calls/traced-port.ts"));
  const tool = out.slice(pipeline + 1, port).reverse();
  const writer = { file: "apps/bridge/src/http/response-writer.ts", functions: ["end"] };
  const back = joined(answered(), tool, ended().reverse(), server, written(), [writer]);
  expect(out.length).toBeLessThanOrEqual(18);
  expect(back.length).toBeLessThanOrEqual(12);
  const files = new Set([...out, ...back].map(({ file }) => file));
  expect(files.size).toBeLessThanOrEqual(35);
  const walk = [
    `Out, ${out.length} hops:`,
    "",
    list(out),
    "",
    `Back, ${back.length} hops (${files.size} files in all):`,
    "",
    list(back),
  ].join("\n");
  const text = withSection(await readFile(document, "utf8"), "walk", walk);
  await expect(text).toMatchFileSnapshot(document);
});
