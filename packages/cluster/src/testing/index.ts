export { type NatsServer, noNats, startNats } from "./nats-server.js";
