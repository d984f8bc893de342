import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { allowAll } from "../src/index.js";
import { newWorld, reported, run, webServer } from "./helpers.js";

async function server() {
  return webServer((request, response) => {
    const path = request.url ?? "";
    if (path === "/text") response.setHeader("X-One", "1").end("line one\r\nline two");
    else if (path === "/bytes") response.end(Buffer.from([0, 255, 10]));
    else if (path === "/gzip")
      response.setHeader("Content-Encoding", "gzip").end(gzipSync("packed"));
    else if (path === "/redirect") response.writeHead(302, { Location: "/text" }).end();
    else if (path === "/loop") response.writeHead(302, { Location: "/loop" }).end();
    else if (path === "/big") response.end(Buffer.alloc(2_000));
    else if (path === "/install.lua") response.end('print("installed", ...) error("oops")');
    else if (path === "/echo") {
      const chunks: Buffer[] = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => response.end(`${request.method} ${Buffer.concat(chunks)}`));
    } else response.writeHead(404).end("nothing");
  });
}

it("should limit bodies by rule", async () => {
  const base = await server();
  const world = await newWorld({
    httpRules: [{ host: "*", action: "allow", maxDownload: 1_000, maxUpload: 10 }],
  });
  const computer = world.computer();
  await run(
    computer,
    `report(http.get("${base}/big")) report(http.post("${base}/echo", ("x"):rep(11)))`,
  );
  await computer.until(() => reported(computer).length === 2);
  expect(reported(computer)).toEqual([
    "nil|Response is too large|nil",
    "nil|Request body is too large|nil",
  ]);
});

it("should have no http global when it is disabled", async () => {
  const computer = (await newWorld()).computer({ http: false });
  expect(await run(computer, "report(http)")).toEqual(["nil"]);
});

it("should run a program with wget run, with its arguments and its errors", async () => {
  const base = await server();
  const computer = (await newWorld({ httpRules: allowAll })).computer();
  computer.turnOn();
  await computer.idle();
  computer.type(`wget run ${base}/install.lua one two\n`);
  await computer.until(() => computer.screen.text().includes("oops"));
  expect(computer.screen.text()).toContain("installed one two");
  expect(computer.screen.text()).toContain('[string "install.lua"]:1: oops');
});

it("should download with wget and refuse an existing file", async () => {
  const base = await server();
  const computer = (await newWorld({ httpRules: allowAll })).computer();
  computer.turnOn();
  await computer.idle();
  computer.type(`wget ${base}/text here.txt\n`);
  await computer.until(() => computer.screen.text().includes("Downloaded as here.txt"));
  expect(computer.fs.read("here.txt")).toBe("line one\r\nline two");
  computer.type(`wget ${base}/text here.txt\n`);
  await computer.until(() => computer.screen.text().includes("File already exists"));
});

it("should print a reason in wget only from 1.114.3 on, and private hosts always", async () => {
  const base = await server();
  for (const [version, text] of [
    ["1.114.2", "Failed."],
    ["1.114.3", "Not Found"],
  ] as const) {
    const computer = (await newWorld({ httpRules: allowAll, version })).computer();
    computer.turnOn();
    await computer.idle();
    computer.type(`wget run ${base}/none\n`);
    await computer.until(() => computer.screen.text().includes(text));
  }
  const guarded = (await newWorld()).computer();
  guarded.turnOn();
  await guarded.idle();
  guarded.type(`wget run ${base}/text\n`);
  await guarded.until(() => guarded.screen.text().includes("Domain not permitted"));
});
