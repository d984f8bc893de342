import { openSocket } from "../helpers/computer.js";
import { result } from "../helpers/hostile-computer.js";

export interface Offering {
  readonly asked: { method: string; params: Record<string, unknown> }[];
  notice(): Promise<string>;
  terminate(): void;
}

export async function offerServer(
  url: string,
  {
    instance = "i7",
    secret: kept,
    message = "forged",
  }: { instance?: string; secret?: string | undefined; message?: string } = {},
): Promise<Offering> {
  const { socket } = await openSocket(url);
  const asked: Offering["asked"] = [];
  const notices: string[] = [];
  let wake = () => {};
  const welcomed = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === "hello-ok") resolve();
      if (frame.type !== "request") return;
      asked.push(frame);
      socket.send(JSON.stringify(result(frame.id, answer(frame.method))));
      if (frame.method !== "server-notice") return;
      notices.push(frame.params.text);
      wake();
    });
  });
  const answer = (method: string) => {
    if (method === "server-describe") {
      return { name: "survival", run: instance, first: 0, chat: true, secret: kept };
    }
    if (method !== "server-events") return {};
    const data = { player: "Admin", message };
    return {
      events: [{ seq: 0, eventType: "player_chat", timestamp: Date.now(), data }],
      next: 1,
    };
  };
  const hello = {
    type: "hello",
    computerId: 7,
    computerLabel: "spawn",
    protocol: 2,
    kind: "command",
    instance,
    features: ["cancel", "output", "chunk", "jobs"],
    methods: ["ping", "server-describe", "server-command", "server-events", "server-notice"],
  };
  socket.send(JSON.stringify(hello));
  await welcomed;
  return {
    asked,
    async notice() {
      while (notices.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return notices.shift() ?? "";
    },
    terminate: () => socket.terminate(),
  };
}
