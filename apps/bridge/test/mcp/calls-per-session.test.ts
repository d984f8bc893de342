import { expect, it } from "vitest";
import { startListener } from "../helpers/abuse.js";
import { initialize, post } from "../helpers/http.js";

const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

it("one session cannot have calls without end", async () => {
  const { url } = await startListener(() => {});
  const session = await initialize(url);
  const hold = new AbortController();
  const open = Array.from({ length: 8 }, (_, round) =>
    fetch(url, {
      method: "POST",
      signal: hold.signal,
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "mcp-session-id": session,
      },
      body: JSON.stringify(Array.from({ length: 32 }, (_, id) => list(round * 32 + id))),
    }).catch(() => {}),
  );
  await expect.poll(async () => (await post(url, { session, body: list(9_999) })).status).toBe(429);
  hold.abort();
  await Promise.all(open);
  expect((await post(url, { session, body: list(9_998) })).status).toBe(429);
});
