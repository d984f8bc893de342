import type { Screen } from "@ccbridge/protocol";
import { CELL_HEIGHT, CELL_WIDTH, type Glyph, glyphOf, paletteOf } from "@ccbridge/protocol/screen";
import type { ToolImage } from "../../../core/define.js";
import { pngImage } from "../../../format/png.js";
import { bytesOf } from "./rows.js";

const SCALE = 2;
const MAX_WIDTH = 1_400;

/** Needs the screen's colours; without them everything is white on black. */
export async function drawScreen(screen: Screen): Promise<ToolImage> {
  const scale = screen.width * CELL_WIDTH * SCALE > MAX_WIDTH ? 1 : SCALE;
  const canvas = new Canvas(screen.width * CELL_WIDTH, screen.height * CELL_HEIGHT, scale);
  const bytes = bytesOf(screen);
  for (let at = 0; at < screen.width * screen.height; at++) {
    const fore = digit(screen.foreground?.[at], WHITE);
    const back = digit(screen.background?.[at], BLACK);
    const cell = { column: at % screen.width, row: Math.floor(at / screen.width) };
    canvas.draw(cell, glyphOf(bytes[at] ?? 32), (isSet) => (isSet ? fore : back));
  }
  const { x, y, blink } = screen.cursor;
  if (blink && x >= 1 && y >= 1 && x <= screen.width && y <= screen.height) {
    canvas.draw({ column: x - 1, row: y - 1 }, cursorGlyph, (isSet) => (isSet ? WHITE : undefined));
  }
  return pngImage({ ...canvas.image(), palette: paletteOf(screen) });
}

const WHITE = 0;
const BLACK = 15;
const cursorGlyph = glyphOf("_".charCodeAt(0));

class Canvas {
  readonly #pixels: Uint8Array;
  readonly #width: number;
  readonly #height: number;
  readonly #scale: number;

  constructor(width: number, height: number, scale: number) {
    this.#width = width * scale;
    this.#height = height * scale;
    this.#scale = scale;
    this.#pixels = new Uint8Array(this.#width * this.#height);
  }

  draw(
    { column, row }: { column: number; row: number },
    glyph: Glyph,
    colourOf: (isSet: boolean) => number | undefined,
  ): void {
    for (const [y, line] of glyph.entries()) {
      for (const [x, isSet] of line.entries()) {
        const colour = colourOf(isSet);
        if (colour === undefined) continue;
        this.#dot(column * CELL_WIDTH + x, row * CELL_HEIGHT + y, colour);
      }
    }
  }

  image() {
    return { width: this.#width, height: this.#height, pixels: this.#pixels };
  }

  #dot(left: number, top: number, colour: number): void {
    for (let y = 0; y < this.#scale; y++) {
      const start = (top * this.#scale + y) * this.#width + left * this.#scale;
      this.#pixels.fill(colour, start, start + this.#scale);
    }
  }
}

function digit(character: string | undefined, fallback: number): number {
  const value = Number.parseInt(character ?? "", 16);
  return Number.isNaN(value) ? fallback : value;
}
