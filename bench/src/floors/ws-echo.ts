// Baseline for a link's round trip: answers every frame with a constant frame, unparsed.
import { WebSocketServer } from "ws";
import { report } from "../harness/ipc.js";
import { execResponse } from "../peers/frames.js";

const answer = JSON.stringify(execResponse("a1b2c3-1000"));
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket) => {
  socket.on("message", () => socket.send(answer));
});
server.on("listening", () => report({ port: (server.address() as { port: number }).port }));
