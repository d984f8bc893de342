import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { bearer, connectSessionless, listeners, startWithTokens } from "../../calls/helpers.js";
import type { TestBridge } from "../../helpers/bridge.js";
import { linkComputer, openSocket } from "../../helpers/computer.js";
import { fromRemote } from "../../helpers/proxy.js";
import { callTool } from "../../helpers/sdk-client.js";

const TOOL = "approve-computer";
const tokens = "t-owner name=owner\nt-limited name=kim computers=-7\n";

async function showCode({ linkUrl }: TestBridge, computerId: number, label: string) {
  const { socket } = await openSocket(linkUrl, fromRemote());
  const shown = new Promise<string>((resolve) =>
    socket.once("message", (data) => resolve(JSON.parse(String(data)).code)),
  );
  const features = ["pairing"];
  socket.send(
    JSON.stringify({ type: "hello", computerId, computerLabel: label, protocol: 2, features }),
  );
  return { socket, code: await shown };
}

async function asking({ mcpUrl }: TestBridge, ...answers: ("accept" | "decline")[]) {
  const client = new Client({ name: "test", version: "0" }, { capabilities: { elicitation: {} } });
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: answers.shift() ?? "decline" };
  });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  const requestInit = { headers: bearer("t-owner") };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
  return { client, questions, approve: (code: string) => callTool(client, TOOL, { code }) };
}

describe("approve-computer", () => {
  it("asks the user each time, and approves nothing without a yes", async () => {
    const bridge = await startWithTokens(tokens);
    const { code, socket } = await showCode(bridge, 5, 'base" from 127.0.0.1');
    const { approve, questions } = await asking(bridge, "decline", "accept");
    expect(await approve(code)).toMatchObject({ isError: true });
    expect(bridge.pairing?.paired()).toEqual([]);
    const paired = new Promise((resolve) => socket.once("message", resolve));
    expect((await approve(code.toLowerCase().replace("-", " "))).text).toContain("is approved");
    expect(JSON.parse(String(await paired))).toMatchObject({ type: "paired" });
    expect(bridge.pairing?.paired()).toMatchObject([
      { computerId: 5, pairedBy: "owner in the chat" },
    ]);
    // The label is quoted, so that it cannot pass for text of the bridge.
    expect(new Set(questions)).toEqual(new Set([fill(texts.linkComputerWithTheLabel, code)]));
    expect((await approve(code)).text).toContain(texts.noComputerWaitsWith);
    expect(questions).toHaveLength(2);
  });

  it("accepts the id of a computer that shows no code, if only one has it", async () => {
    const bridge = await startWithTokens(tokens);
    const hello = { computerId: 12, label: "old", protocol: 1 } as const;
    await linkComputer(bridge.linkUrl, hello, fromRemote());
    const other = await linkComputer(bridge.linkUrl, hello, fromRemote("203.0.113.6"));
    const { code } = await showCode(bridge, 13, "new");
    const { approve, questions } = await asking(bridge, "accept");
    expect((await approve("12")).text).toContain(texts.severalComputersWithThe);
    // A computer that shows a code can only be approved by the code.
    expect((await approve("13")).isError).toBe(true);
    expect(questions).toEqual([]);
    other.socket.terminate();
    await vi.waitFor(() => expect(bridge.pairing?.pending()).toHaveLength(2));
    expect((await approve("12")).isError).toBeUndefined();
    expect(questions).toEqual([expect.stringContaining("cannot show a code")]);
    expect(bridge.computers.list().map(({ provider }) => provider.computerId)).toEqual([12]);
    expect(bridge.pairing?.pending()).toMatchObject([{ code }]);
  });

  it("does not approve what changed while the user was asked", async () => {
    const bridge = await startWithTokens(tokens);
    const hello = { computerId: 12, label: "old", protocol: 1 } as const;
    const { fake } = await linkComputer(bridge.linkUrl, hello, fromRemote());
    const { client } = await asking(bridge);
    client.setRequestHandler(ElicitRequestSchema, async () => {
      fake.send({ type: "hello", computerId: 12, computerLabel: "another" });
      await vi.waitFor(() => expect(bridge.pairing?.pending()[0]?.label).toBe("another"));
      return { action: "accept" };
    });
    const { text, isError } = await callTool(client, TOOL, { code: "12" });
    expect({ text, isError }).toMatchObject({ isError: true });
    expect(text).toContain(texts.doesNotWaitAny);
    expect(bridge.registry.size).toBe(0);
  });

  it("is refused where the user cannot be asked, and to clients with limits", async () => {
    const bridge = await startWithTokens(tokens);
    const { code } = await showCode(bridge, 5, "base");
    for (const [token, reason, next] of [
      ["t-owner", "cannot ask the user", /dashboard.*ccbridge pair CODE/],
      ["t-limited", "is for the bridge's owner", /Nothing was done/],
    ] as const) {
      const client = await bridge.connect(token);
      const { text, isError } = await callTool(client, TOOL, { code });
      expect(isError).toBe(true);
      expect(text).toContain(reason);
      expect(text).toMatch(next);
      expect((await callTool(client, "list-computers")).text).toContain("1 computer waits");
    }
    expect(bridge.pairing?.paired()).toEqual([]);
  });

  it("works for a client without sessions", async () => {
    const bridge = await startWithTokens(tokens);
    const { code } = await showCode(bridge, 5, "base");
    const client = await connectSessionless(bridge, "t-owner", { elicitation: {} });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept" }));
    const { isError = false } = await client.callTool({ name: TOOL, arguments: { code } });
    expect(isError).toBe(false);
    expect(bridge.pairing?.paired()).toHaveLength(1);
  });

  it.each(Object.keys(listeners))(
    "is listed for owners while a computer waits, with %s",
    async (how) => {
      const bridge = await startWithTokens(tokens);
      const owner = await listeners[how]?.(bridge, "t-owner");
      const limited = await bridge.connect("t-limited");
      await owner?.follow();
      expect(await owner?.tools()).not.toContain(TOOL);
      const { socket } = await showCode(bridge, 5, "base");
      await owner?.until("tools");
      expect(await owner?.tools()).toContain(TOOL);
      expect((await limited.listTools()).tools.map(({ name }) => name)).not.toContain(TOOL);
      socket.terminate();
      await vi.waitFor(async () => expect(await owner?.tools()).not.toContain(TOOL));
    },
  );
});
