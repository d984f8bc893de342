// What a page's code returns, as a client gets it: the classes of a browser exist only there.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { foreignServer } from "../helpers/ports.js";
import { connectClient } from "../helpers/sdk-client.js";

/** Four pixels by two, red. */
const avif =
  "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAOptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAEOAAEAAAAAAAAAHAAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEAAGF2MDEAAAAAamlwcnAAAABLaXBjbwAAABNjb2xybmNseAACAAIABoAAAAAMYXYxQ4EADAAAAAAUaXNwZQAAAAAAAAAEAAAAAgAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgYIDhAAAACRtZGF0EgAKBRgEOwIQMhEYAAooooQAALATVl9ApOsM/A==";

const html = (bridgeUrl: string) => `<!doctype html><title>Values</title>
<canvas width="300" height="100"></canvas>
<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><rect width="30" height="20" fill="red"/></svg>
<p id="text">Hello</p>
<script type="module">
  import { connect } from "${bridgeUrl}/pages.js";
  const page = connect({ url: "${bridgeUrl.replace("http", "ws")}" });
  const canvas = document.querySelector("canvas");
  const svg = document.querySelector("svg");
  const png = () => new Promise((done) => canvas.toBlob(done));
  const bytes = Uint8Array.from(atob("${avif}"), (letter) => letter.charCodeAt(0));
  const values = {
    blob: png,
    canvas: () => canvas,
    svgBlob: () => new Blob([svg.outerHTML], { type: "image/svg+xml" }),
    svgElement: () => svg,
    avif: () => new Blob([bytes], { type: "image/avif" }),
    list: async () => ["before", await png()],
    nested: async () => ({ picture: await png() }),
    map: () => new Map([["a", new Set([1, 2])]]),
    typed: () => new Float32Array([0.5, 2]),
    buffer: () => new Uint8Array([1, 2]).buffer,
    big: () => ({ number: 12345678901234567890n }),
    element: () => document.querySelector("#text"),
    text: () => new Blob(["plain"], { type: "text/plain" }),
    json: () => new Blob(['{"a":1}'], { type: "application/json" }),
    binary: () => new Blob([new Uint8Array([0, 255])], { type: "application/zip" }),
    audio: () => new Blob([new Uint8Array([1])], { type: "audio/wav" }),
    nothing: () => {},
    huge: () => "x".repeat(5_000_000),
    waiting: () => new Promise((resolve) => setTimeout(resolve, 300, "waited")),
  };
  for (const [name, run] of Object.entries(values)) page.tool({ name, description: "d", run });
  page.tool({ name: "small", description: "d", maxSide: 30, run: png });
</script>`;

/** The size that the header of a PNG states. */
function sizeOf(data: string): [width: number, height: number] {
  const bytes = Buffer.from(data, "base64");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

it.skipIf(chromiumPath === undefined)(
  `whatever a tool returns arrives as something useful${chromiumNote}`,
  async () => {
    let bridgeUrl = "";
    const { port } = await foreignServer("127.0.0.1", 0, (_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end(html(bridgeUrl));
    });
    const site = `http://127.0.0.1:${port}`;
    const bridge = await startTestBridge({ pagesOrigins: [site] });
    bridgeUrl = bridge.pagesUrl.replace(/^ws/, "http");
    const page = await (await startChromium()).newPage();
    const said: string[] = [];
    page.on("console", (message) => said.push(message.text()));
    await page.goto(site);
    const client = await connectClient(bridge.mcpUrl);
    await vi.waitFor(async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("small");
    });
    const blocks = async (name: string) =>
      ((await client.callTool({ name, arguments: {} })) as CallToolResult).content;
    const text = async (name: string) => {
      const [block] = await blocks(name);
      return block?.type === "text" ? block.text : block?.type;
    };
    const picture = async (name: string, at = 0) => {
      const block = (await blocks(name))[at];
      if (block?.type !== "image") throw new Error(`no picture: ${JSON.stringify(block)}`);
      expect(block.mimeType).toBe("image/png");
      return sizeOf(block.data);
    };
    expect(await picture("blob")).toEqual([300, 100]);
    expect(await picture("canvas")).toEqual([300, 100]);
    expect(await picture("small")).toEqual([30, 10]);
    expect(await picture("svgBlob")).toEqual([30, 20]);
    expect(await picture("svgElement")).toEqual([30, 20]);
    expect(await picture("avif")).toEqual([4, 2]);
    expect(await text("list")).toBe("before");
    expect(await picture("list", 1)).toEqual([300, 100]);
    expect(await text("nested")).toMatch(/^\{"picture":"\(image\/png, \d+ bytes\)"\}$/);
    expect(await text("map")).toBe('{"a":[1,2]}');
    expect(await text("typed")).toBe("[0.5,2]");
    expect(await text("buffer")).toBe("[1,2]");
    expect(await text("big")).toBe('{"number":"12345678901234567890"}');
    expect(await text("element")).toBe('"<p id=\\"text\\">Hello</p>"');
    expect(await text("text")).toBe("plain");
    expect(await text("json")).toBe('{"a":1}');
    expect((await blocks("binary"))[0]).toMatchObject({
      type: "resource",
      resource: { blob: "AP8=" },
    });
    expect((await blocks("audio"))[0]).toMatchObject({ type: "audio", mimeType: "audio/wav" });
    expect(await text("nothing")).toBe("Done.");

    const waiting = text("waiting");
    await expect(blocks("huge")).rejects.toMatchObject({
      message: expect.stringMatching(/has \d+ bytes, where 4194304 is the limit/),
      data: { btcpCode: "RESULT_TOO_LARGE" },
    });
    expect(await waiting).toBe("waited");
    await vi.waitFor(() => expect(said.join("\n")).toContain("The result of huge has"));
  },
);
