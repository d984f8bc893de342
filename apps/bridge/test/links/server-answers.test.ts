import { expect, it } from "vitest";
import { connect, startServerBridge } from "../server/helpers.js";

function message(type: string, payload: string): string {
  const head = '"version":"1.0.0","id":"heavy","timestamp":1,"source":"minecraft"';
  return `{${head},"type":"${type}","payload":${payload}}`;
}

const deep = `${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}`;
const keys = `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join(",")}}`;
const chat = `"eventType":"player_chat","data":{"player":"p","message":"m","more":`;

it.each([
  ["a deep answer", message("response", `{"success":true,"data":${deep}}`)],
  ["a deep event", message("event", `{${chat}${deep}}}`)],
  ["a command with 300,000 arguments", message("command", `{"command":"x","args":${keys}}`)],
  ["a million values", message("response", `{"success":true,"data":[${"{},".repeat(999_999)}0]}`)],
  [
    "a duplicate type",
    message("response", `{},"type":"command","payload":{"command":"x","args":${keys}}`),
  ],
])("%s of a server is refused before it is built", async (_, text) => {
  const bridge = await startServerBridge();
  const mod = await bridge.link();
  mod.send(text);
  await mod.until(() => mod.answerTo("heavy") !== undefined);
  expect(mod.answerTo("heavy")).toMatchObject({ outcome: { ok: false, code: "SCHEMA_ERROR" } });
});

it("absurd numbers and endless lists from a server are neither shown nor added up", async () => {
  const bridge = await startServerBridge();
  const stack = (i: number) => ({ type: `${i}${"t".repeat(200)}`, quantity: i });
  const data = {
    name: "p",
    health: 1e308,
    location: { world: "w", x: 1e308, y: -1e308, z: 0 },
    inventory: Array.from({ length: 1_000 }, (_, i) => stack(i)),
  };
  const mod = await bridge.link({ answer: () => ({ success: true, data }) });
  const { call } = await connect(bridge);
  const { text } = await call("get_player_info", { player: "p" });
  expect(text).toContain("health unknown");
  expect(text).toContain("at an unknown");
  expect(text).toMatch(/and 940 (other|more) /);
  expect(text.length).toBeLessThan(12_000);
  for (const seq of [0, 9e15]) mod.event("player_chat", { player: "p", message: "m" }, seq);
  await expect
    .poll(async () => (await call("get-server-events")).structuredContent)
    .toMatchObject({ events: [{ seq: 0 }, { seq: 1 }], dropped: 0 });
});
