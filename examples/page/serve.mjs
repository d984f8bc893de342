// @ts-check
// Serves the example: node serve.mjs [port]
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/build.mjs";

const types = new Map([
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
]);

const files = new Map(
  [
    ["/", "./public/index.html"],
    ["/board.css", "./public/board.css"],
    ["/board.js", "./public/board.js"],
    ["/tools.js", "./public/tools.js"],
    ["/pages.js", "../../packages/pages/dist/index.js"],
  ].map(([path = "", file = ""]) => [path, fileURLToPath(new URL(file, import.meta.url))]),
);

const port = Number(process.argv[2] ?? 8080);
await build("packages/pages");
const server = createServer(({ url = "/" }, response) => {
  const file = files.get(new URL(url, "http://page").pathname);
  if (file === undefined) {
    response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here.\n");
    return;
  }
  const type = types.get(extname(file)) ?? "text/plain";
  response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
  response.end(readFileSync(file));
});
server.on("error", (error) => {
  console.error(
    `The example cannot be served: ${error.message}. Name another port as an argument.`,
  );
  process.exit(1);
});
server.listen(port, "127.0.0.1", () => {
  const address = server.address();
  const chosen = typeof address === "object" && address !== null ? address.port : port;
  const origin = `http://127.0.0.1:${chosen}`;
  console.log(`The board is at ${origin}`);
  console.log(`Start the bridge beside it: node start --pages ${origin}`);
  console.log("Then ask your AI client: put three things to do on the board, and paint a creeper.");
});
