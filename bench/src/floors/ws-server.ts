// Baseline for many links: a bare ws server with a map of sockets. A POST sends one frame to all
// and returns their answers.
import { createServer } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { answerHeap, report } from "../harness/ipc.js";

const sockets = new Map<number, WebSocket>();
let gather: { answers: string[]; done(answers: string[]): void } | undefined;

function receive(socket: WebSocket, text: string): void {
  const frame = JSON.parse(text);
  if (frame.type === "hello") {
    sockets.set(frame.computerId, socket);
    socket.send('{"type":"hello-ok"}');
  } else if (gather !== undefined) {
    gather.answers.push(frame.result);
    if (gather.answers.length === sockets.size) gather.done(gather.answers);
  }
}

const http = createServer((request, response) => {
  request.resume();
  gather = {
    answers: [],
    done(answers) {
      gather = undefined;
      const body = JSON.stringify(answers);
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    },
  };
  const frame = JSON.stringify({ type: "request", id: "a1b2c3-1000", method: "ping" });
  for (const socket of sockets.values()) socket.send(frame);
});

const server = new WebSocketServer({ server: http, perMessageDeflate: false });
server.on("connection", (socket) => {
  socket.on("message", (data) => receive(socket, data.toString()));
});
answerHeap();
http.listen(0, "127.0.0.1", () => report({ port: (http.address() as { port: number }).port }));
