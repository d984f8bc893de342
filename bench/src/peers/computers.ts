// Fake computers: `computers.js <url> <count> <first id>`. They answer immediately; both the bridge and the
// bare ws server use them.
import { WebSocket } from "ws";
import { report } from "../harness/ipc.js";
import { execResponse, hello, pingResponse } from "./frames.js";

/** More would only wait in the listener's backlog. */
const AT_ONCE = 100;

function link(url: string, computerId: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on("open", () => socket.send(JSON.stringify(hello(computerId))));
    socket.on("error", reject);
    socket.on("close", (status) => reject(new Error(`computer ${computerId}: closed (${status})`)));
    socket.on("message", (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === "hello-ok") resolve();
      else if (frame.type === "ack") return;
      else if (frame.type !== "request") reject(new Error(`computer ${computerId}: ${data}`));
      else {
        const { id, method } = frame;
        const answer = method === "ping" ? pingResponse(id, computerId) : execResponse(id);
        socket.send(JSON.stringify(answer));
      }
    });
  });
}

const [url, count, first] = process.argv.slice(2) as [string, string, string];
let next = Number(first);
const end = next + Number(count);
async function linkTheRest(): Promise<void> {
  while (next < end) await link(url, next++);
}
await Promise.all(Array.from({ length: AT_ONCE }, linkTheRest));
report({ linked: Number(count) });
