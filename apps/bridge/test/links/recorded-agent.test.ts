import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { openSocket } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

interface Recording {
  /** All that the agent sent, and which requests it got, in order. */
  readonly frames: readonly Frame[];
  readonly calls: readonly Call[];
}

interface Frame {
  readonly type: string;
  readonly id?: string;
  readonly method?: string;
}

interface Call {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly isError: boolean;
  /** Facts that the answer of any later bridge has too. */
  readonly facts: readonly string[];
}

const folder = "../../../../packages/protocol/fixtures/recorded";
const recorded: Recording = JSON.parse(
  readFileSync(new URL(`${folder}/agent-0.1.0.json`, import.meta.url), "utf8"),
);

/** Answers as the recorded agent did: each request by what followed the first unused one of its method. */
async function linkRecorded(url: string): Promise<void> {
  const asked = recorded.frames.filter(({ type }) => type === "request");
  const { socket } = await openSocket(url);
  const send = (frame: object) => socket.send(JSON.stringify(frame));
  const welcomed = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame = JSON.parse(String(data));
      if (frame.type === "hello-ok") resolve();
      if (frame.type !== "request") return;
      const index = asked.findIndex(({ method }) => method === frame.method);
      const [request] = index < 0 ? [] : asked.splice(index, 1);
      if (request === undefined) {
        return send({ type: "response", id: frame.id, ok: false, error: "unknown method" });
      }
      const start = recorded.frames.indexOf(request);
      let isAnswered = false;
      for (const each of recorded.frames.slice(start + 1)) {
        if (isAnswered && each.type === "request") break;
        const isOurs = each.type !== "request" && each.id === request.id;
        if (isOurs) send({ ...each, id: frame.id });
        // What came by itself until the next request.
        else if (["event", "tools", "hello"].includes(each.type)) send(each);
        isAnswered ||= isOurs && each.type === "response";
      }
    });
  });
  for (const frame of recorded.frames) {
    if (frame.type === "request") break;
    send(frame);
  }
  await welcomed;
}

it("an agent of 0.1.0 works with this bridge, by the frames that it sent", async () => {
  const { linkUrl, mcpUrl } = await startTestBridge();
  await linkRecorded(linkUrl);
  const client = await connectClient(mcpUrl);
  expect(recorded.calls.length).toBeGreaterThan(15);
  for (const { tool, args, isError, facts } of recorded.calls) {
    const answer = await callTool(client, tool, args);
    expect(answer.isError ?? false, `${tool}: ${answer.text}`).toBe(isError);
    for (const fact of facts) expect(answer.text, tool).toContain(fact);
  }
});
