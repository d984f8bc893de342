// @ts-check
// A player: joins, follows orders from stdin, and reports events on stdout.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const mineflayer = createRequire(import.meta.url)("mineflayer");
const { port, username } = JSON.parse(process.argv[2] ?? "{}");
/** @param {string} line */
const log = (line) => process.stdout.write(`${line.replace(/\s+/g, " ")}\n`);
process.on("uncaughtException", (error) => log(`uncaught: ${error.message}`));

const bot = mineflayer.createBot({
  host: "127.0.0.1",
  port,
  username,
  version: "1.16.5",
  auth: "offline",
});
bot.once("spawn", () => log("spawned"));
bot.on("message", (/** @type {any} */ message) => log(`heard ${message.toString()}`));
bot.on("forcedMove", () => log(`moved ${bot.entity.position.toArray().join(",")}`));
bot.on("kicked", (/** @type {unknown} */ reason) => log(`kicked ${JSON.stringify(reason)}`));
bot.on("error", (/** @type {Error} */ error) => log(`error ${error.message}`));
bot.on("end", () => process.exit(0));

createInterface({ input: process.stdin }).on("line", (line) => {
  const order = JSON.parse(line);
  if (order.do === "chat")
    for (const message of order.messages) bot._client.write("chat", { message });
  if (order.do === "dig") {
    bot._client.write("block_dig", { status: 0, location: order.location, face: 1 });
  }
  if (order.do === "quit") bot.quit();
});
