// The floor of a link's round trip: a socket that answers every frame with the frame that a computer
// would send, without looking at what came.
import { WebSocketServer } from "ws";
import { tell } from "../harness/ipc.js";
import { execResponse } from "../peers/frames.js";

const answer = JSON.stringify(execResponse("a1b2c3-1000"));
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket) => {
  socket.on("message", () => socket.send(answer));
});
server.on("listening", () => tell({ port: (server.address() as { port: number }).port }));
