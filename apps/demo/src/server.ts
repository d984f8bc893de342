import {
  decodeFrame,
  type EventData,
  type EventType,
  encodeEvent,
  encodeRequest,
  encodeResponse,
} from "@ccbridge/protocol/minecraft";
import WebSocket from "ws";
import type { DemoAddresses } from "./main.js";

const EVENT_MS = 9_000;
const RETRY_MS = 2_000;

type Scene = { [T in EventType]: { readonly type: T; readonly data: EventData<T> } }[EventType];

const scenes: readonly Scene[] = [
  { type: "player_join", data: { player: "Alex", uuid: null } },
  { type: "player_chat", data: { player: "Alex", message: "is the quarry still running?" } },
  { type: "player_join", data: { player: "Sam", uuid: null } },
  { type: "player_chat", data: { player: "Sam", message: "yes, 20 layers so far" } },
  { type: "player_chat", data: { player: "Alex", message: "we need iron for the reactor" } },
  {
    type: "player_death",
    data: { player: "Sam", cause: "Sam was slain by Zombie", location: null },
  },
  { type: "player_chat", data: { player: "Sam", message: "ouch. my things are at 96 64 -8" } },
  { type: "player_quit", data: { player: "Sam", uuid: null } },
];

/** A Minecraft server with players who talk, as far as a bridge can tell. */
export function runServer({ linkUrl, serverToken }: DemoAddresses): void {
  const socket = new WebSocket(`${linkUrl}/minecraft`, {
    headers: { Authorization: `Bearer ${serverToken}` },
  });
  const players = new Set<string>();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const sender = (id: string) => ({ source: "minecraft", id }) as const;
  const tell = () => {
    const scene = scenes[count % scenes.length];
    if (scene === undefined) return;
    count += 1;
    if (scene.type === "player_join") players.add(scene.data.player);
    if (scene.type === "player_quit") players.delete(scene.data.player);
    const { type: eventType, data } = scene;
    socket.send(
      encodeEvent(sender(`event-${count}`), { eventType, timestamp: Date.now(), data, seq: count }),
    );
  };
  socket.on("open", () => {
    const args = {
      name: "survival",
      agent: { name: "demo", version: "0" },
      game: { version: "1.21.1", software: "Paper (demo)" },
    };
    socket.send(encodeRequest(sender("hello"), { command: "hello", args }));
    timer = setInterval(tell, EVENT_MS);
    for (let first = 0; first < 5; first++) tell();
  });
  socket.on("message", (text) => {
    const decoded = decodeFrame(String(text), "mcp");
    if (!decoded.ok) return;
    const { frame } = decoded;
    if (frame.type !== "command" && frame.type !== "query") return;
    const name = frame.type === "command" ? frame.payload.command : frame.payload.query;
    socket.send(encodeResponse(sender(frame.id), answer(name, players)));
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    clearInterval(timer);
    setTimeout(() => runServer({ linkUrl, serverToken, mcpUrl: "" }), RETRY_MS);
  });
}

function answer(name: string, players: ReadonlySet<string>): Record<string, unknown> {
  switch (name) {
    case "get_online_players":
      return { players: [...players] };
    case "get_server_info":
      return {
        version: "1.21.1",
        onlinePlayers: players.size,
        maxPlayers: 20,
        timeOfDay: 6_000,
        weather: "clear",
        tps: 19.9,
      };
    default:
      return { success: true, message: "done (demo)" };
  }
}
