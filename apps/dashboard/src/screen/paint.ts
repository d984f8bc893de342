import { decodeText, type Screen } from "@ccbridge/protocol";
import { CELL_HEIGHT, CELL_WIDTH, glyphOf, paletteOf, toUnicode } from "@ccbridge/protocol/screen";

const WHITE = 0;
const BLACK = 15;
const UNDERSCORE = 95;

export function paint(screen: Screen, isCursorOn: boolean): ImageData {
  const { width, height } = screen;
  const image = new ImageData(width * CELL_WIDTH, height * CELL_HEIGHT);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = paletteOf(screen).map(toPixel);
  const cells = decodeText(screen.text, screen.encoding);
  const draw = (at: number, byte: number, fore: number, back: number | undefined) => {
    const left = (at % width) * CELL_WIDTH;
    const top = Math.floor(at / width) * CELL_HEIGHT;
    for (const [y, line] of glyphOf(byte).entries()) {
      const start = (top + y) * image.width + left;
      for (const [x, isSet] of line.entries()) {
        const colour = isSet ? fore : back;
        if (colour !== undefined) pixels[start + x] = colour;
      }
    }
  };
  const colourAt = (digits: string | undefined, at: number, fallback: number) => {
    const digit = Number.parseInt(digits?.[at] ?? "", 16);
    return colours[Number.isNaN(digit) ? fallback : digit] ?? 0;
  };
  for (let at = 0; at < width * height; at++) {
    const fore = colourAt(screen.foreground, at, WHITE);
    draw(at, cells.charCodeAt(at), fore, colourAt(screen.background, at, BLACK));
  }
  const { x, y, blink } = screen.cursor;
  if (blink && isCursorOn && x >= 1 && y >= 1 && x <= width && y <= height) {
    draw((y - 1) * width + x - 1, UNDERSCORE, colours[WHITE] ?? 0, undefined);
  }
  return image;
}

function toPixel(colour: string): number {
  const value = Number.parseInt(colour, 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export function textOf({ text, encoding, width, height }: Screen): string {
  const cells = decodeText(text, encoding);
  return Array.from({ length: height }, (_, row) =>
    Array.from(cells.slice(row * width, (row + 1) * width), (cell) => toUnicode(cell.charCodeAt(0)))
      .join("")
      .trimEnd(),
  ).join("\n");
}
