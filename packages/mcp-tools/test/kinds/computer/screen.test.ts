import { inflateSync } from "node:zlib";
import type { Screen } from "@ccbridge/protocol";
import { CELL_HEIGHT, CELL_WIDTH, glyphOf, isTypable, toUnicode } from "@ccbridge/protocol/screen";
import { describe, expect, it } from "vitest";
import { drawScreen } from "../../../src/kinds/computer/screen/picture.js";
import { reportScreen, screenText } from "../../../src/kinds/computer/screen/rows.js";
import { call, createRegistry, linkRaw } from "../../harness.js";

function screen(lines: string[], more: Partial<Screen> = {}): Screen {
  const width = Math.max(...lines.map((line) => line.length));
  return {
    width,
    height: lines.length,
    cursor: { x: 1, y: 1, blink: false },
    colour: true,
    text: btoa(lines.map((line) => line.padEnd(width)).join("")),
    encoding: "base64",
    ...more,
  };
}

async function pixelsOf(source: Screen): Promise<string[][]> {
  const { data } = await drawScreen(source);
  const png = Buffer.from(data, "base64");
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const length = png.readUInt32BE(at);
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length));
  }
  const palette = chunks.get("PLTE") ?? Buffer.alloc(0);
  const rows = inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0));
  const rowBytes = 1 + Math.ceil(width / 2);
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => {
      const two = rows[y * rowBytes + 1 + (x >> 1)] ?? 0;
      const index = x % 2 === 0 ? two >> 4 : two & 15;
      return palette.toString("hex", index * 3, index * 3 + 3);
    }),
  );
}

describe("the charset", () => {
  it("shows each byte as one character that is not a control character", () => {
    for (let byte = 0; byte < 256; byte++) {
      expect([...toUnicode(byte)]).toHaveLength(1);
      expect(toUnicode(byte)).not.toMatch(/\p{Cc}|\p{Cf}/u);
    }
  });

  it("has the block graphics in Unicode's order", () => {
    expect(toUnicode(129)).toBe("\u{1fb00}");
    expect(toUnicode(148)).toBe("\u{1fb13}");
    expect(toUnicode(149)).toBe("\u258c");
    expect(toUnicode(150)).toBe("\u{1fb14}");
    expect(toUnicode(159)).toBe("\u{1fb1d}");
  });

  it("knows what can be typed", () => {
    expect(["a", "~", "\n", "\t", "\u00e9"].every(isTypable)).toBe(true);
    expect(["\u0000", "\u007f", "\u0085", "\u20ac", "\u{1f600}"].some(isTypable)).toBe(false);
  });
});

describe("the font", () => {
  it("has a separate glyph for every printable character", () => {
    const shapes = new Set<string>();
    for (let byte = 32; byte < 127; byte++) {
      const glyph = glyphOf(byte);
      expect(glyph).toHaveLength(CELL_HEIGHT);
      for (const row of glyph) expect(row).toHaveLength(CELL_WIDTH);
      shapes.add(JSON.stringify(glyph));
    }
    expect(shapes.size).toBe(95);
  });

  it("draws blocks from the top left on, and letters without the accents it lacks", () => {
    const top = glyphOf(128 + 0b00011);
    expect(top[0]).toEqual(Array(6).fill(true));
    expect(top[3]).toEqual(Array(6).fill(false));
    expect(glyphOf(0xe9)).toEqual(glyphOf("e".charCodeAt(0)));
  });
});

describe("a picture", () => {
  it("has the colours of the cells, their palette, and the cursor", async () => {
    const source = screen(["\x95 ", "  "], {
      foreground: "e000",
      background: "4fff",
      cursor: { x: 2, y: 2, blink: true },
    });
    const pixels = await pixelsOf(source);
    expect([pixels.length, pixels[0]?.length]).toEqual([36, 24]);
    expect(pixels[0]?.slice(4, 8)).toEqual(["cc4c4c", "cc4c4c", "dede6c", "dede6c"]);
    expect(pixels[0]?.[12]).toBe("111111");
    expect(pixels[35]?.[12]).toBe("f0f0f0");
    const palette = Array.from({ length: 16 }, () => "000000");
    palette[14] = "abcdef";
    expect((await pixelsOf({ ...source, palette }))[0]?.[0]).toBe("abcdef");
  });

  it("is grey where the computer is", async () => {
    const source = screen(["\x95"], { foreground: "e", background: "f", colour: false });
    expect((await pixelsOf(source))[0]?.[0]).toBe("777777");
  });

  it("of a wall of monitors is smaller", async () => {
    const pixels = await pixelsOf(screen(Array(81).fill("x".repeat(164))));
    expect([pixels.length, pixels[0]?.length]).toEqual([729, 984]);
  });
});

describe("a screen as text", () => {
  it("numbers its lines and leaves out what is empty below", () => {
    const report = reportScreen(screen(["ab", "", "c", ""]));
    expect(report.lines).toEqual(["ab", "", "c"]);
    expect(screenText(report)).toBe("Screen 2x4, cursor at 1,1, hidden:\n1|ab\n2|\n3|c");
    const far = screenText(reportScreen(screen(["a", "", "", "", "b"])));
    expect(far).toContain(":\n1|a\n(lines 2 to 4 are empty)\n5|b");
    expect(screenText(reportScreen(screen(["", "", " "])))).toContain("(empty)");
  });

  it("of a large screen comes in pages that fit into an answer and leave nothing out", () => {
    const lines = Array.from({ length: 81 }, (_, i) => `${i} `.padEnd(164, "\x99"));
    const seen: string[] = [];
    let from: number | undefined = 1;
    while (from !== undefined) {
      const report = reportScreen(screen(lines), from);
      expect(Buffer.byteLength(screenText(report))).toBeLessThan(6_000);
      seen.push(...report.lines);
      from = report.nextLine;
    }
    expect(seen).toHaveLength(81);
    expect(seen[80]?.startsWith("80 ")).toBe(true);
  });

  it("describes stretches of colour", () => {
    const report = reportScreen(
      screen(["abcd", "ef"], { foreground: "00ee0000", background: "ffffffff" }),
    );
    expect(report.colours).toEqual(["3-4 red on black", ""]);
  });
});

describe("the screen tools and agents that do not have them", () => {
  it("say how to update", async () => {
    const registry = createRegistry();
    linkRaw(registry, { computerId: 5, protocol: 2, methods: ["ping", "exec-lua"] });
    for (const [name, args] of [
      ["run-program", { computerId: 5, command: "ls" }],
      ["read-screen", { computerId: 5 }],
    ] as const) {
      const { isError, text } = await call(registry, name, args);
      expect(isError).toBe(true);
      expect(text).toContain("mcp-computer ws://bridge:3001");
    }
    expect(registry.jobs.list()).toEqual([]);
  });
});
