// Fake computers that send events: `event-computers.js <url> <count> <each a second>`. Asked for "sent", they report
// how many each has sent.
import { WebSocket } from "ws";
import { report } from "../harness/ipc.js";
import { hello, pingResponse } from "./frames.js";

const [url = "", count, perSecond] = process.argv.slice(2);
const sent: Record<number, number> = {};
const sockets: WebSocket[] = [];

function link(computerId: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    sockets[computerId] = socket;
    sent[computerId] = 0;
    socket.on("open", () => socket.send(JSON.stringify(hello(computerId))));
    // The bridge is killed in the end.
    socket.on("error", reject);
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === "hello-ok") resolve();
      else if (frame.type === "request") {
        socket.send(JSON.stringify(pingResponse(frame.id, computerId)));
      }
    });
  });
}

function sendOne(computerId: number): void {
  const socket = sockets[computerId];
  if (socket?.readyState !== WebSocket.OPEN) return;
  const seq = sent[computerId] ?? 0;
  sent[computerId] = seq + 1;
  const args = [seq, { from: computerId, fuel: 1_000 - (seq % 100) }];
  socket.send(JSON.stringify({ type: "event", seq, time: Date.now(), name: "tick", args }));
}

for (let id = 0; id < Number(count); id++) await link(id);
const begunAt = performance.now();
setInterval(() => {
  const due = ((performance.now() - begunAt) / 1_000) * Number(perSecond);
  for (let id = 0; id < Number(count); id++) while ((sent[id] ?? 0) < due) sendOne(id);
}, 5);
process.on("message", (message) => {
  if (message === "sent") report(sent);
});
report({ linked: Number(count) });
