import { expect, it } from "vitest";
import { startWithTokens } from "../calls/helpers.js";
import { FakeMod } from "../server/fake-mod.js";
import { connect, token } from "../server/helpers.js";

const chat = { player: "Steve", message: "hi" };

async function startScene() {
  const bridge = await startWithTokens("owner-token\nlimited-token computers=-server:survival", {
    minecraftTokens: [token],
  });
  const url = `${bridge.linkUrl}/minecraft`;
  const dial = (options: object) => FakeMod.dial({ url, token, name: "survival", ...options });
  const metrics = async (reader: string) => {
    const headers = { Authorization: `Bearer ${reader}` };
    return (await fetch(`http://127.0.0.1:${bridge.mcpPort}/metrics`, { headers })).text();
  };
  const until = async (line: string) => {
    await expect.poll(() => metrics("owner-token")).toContain(`\n${line}\n`);
  };
  return { bridge, dial, metrics, until };
}

it("the metrics have each server's events, losses, queue and open requests", async () => {
  const { bridge, dial, until } = await startScene();
  const hello = { instance: "run-1", nextEvent: 0, eventCount: 4, acknowledge: true };
  const mod = await dial({ hello, answer: () => null });
  await until('ccbridge_server_queued_events{server="survival"} 4');
  mod.event("player_chat", chat, 0);
  mod.event("player_chat", chat, 2);
  mod.event("shop:sold" as "player_chat", { price: 3 } as never, 3);
  await until('ccbridge_server_events_total{server="survival",event="player_chat"} 2');
  await until('ccbridge_server_events_total{server="survival",event="custom"} 1');
  await until('ccbridge_server_events_lost_total{server="survival"} 1');
  await until('ccbridge_server_queued_events{server="survival"} 0');
  const { call } = await connect(bridge, "owner-token");
  const calling = call("get_online_players");
  await until('ccbridge_server_open_requests{server="survival"} 1');
  mod.hangUp();
  await calling;
  await until('ccbridge_server_linked{server="survival"} 0');
  await until('ccbridge_server_open_requests{server="survival"} 0');
  await dial({ hello: { instance: "run-2", nextEvent: 5, eventCount: 5 } });
  await until('ccbridge_server_linked{server="survival"} 1');
  await until('ccbridge_server_events_lost_total{server="survival"} 1');
});

it("the metrics name a server only to readers who may see it", async () => {
  const { dial, metrics, until } = await startScene();
  await dial({ hello: {} });
  await dial({ hello: {}, name: "creative" });
  await until('ccbridge_server_linked{server="survival"} 1');
  const text = await metrics("limited-token");
  expect(text).toContain('ccbridge_server_linked{server="creative"} 1');
  expect(text).not.toContain("survival");
  expect(text).toContain('ccbridge_links{kind="minecraft"} 2');
});
