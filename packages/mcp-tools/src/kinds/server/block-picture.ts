import { type Cell, isAir } from "@ccbridge/protocol/minecraft";
import type { ToolImage } from "../../core/define.js";
import { pngImage } from "../../format/png.js";

/** A block before and after a change. */
export interface ChangedCell extends Cell {
  readonly after: string;
}

const kinds = ["unchanged", "added", "removed", "replaced"] as const;
type Kind = (typeof kinds)[number];

const signs: Record<Kind, string> = { unchanged: ".", added: "+", removed: "-", replaced: "~" };
/** Background, then the kinds in their order. */
const palette = ["101418", "39424e", "3fb950", "f85149", "d29922"];

const MAX_TEXT_SIDE = 64;
const MAX_TEXT_LAYERS = 6;
const MAX_PIXELS = 1_024;
const GAP = 1;

interface Layers {
  readonly from: { readonly x: number; readonly y: number; readonly z: number };
  readonly width: number;
  readonly depth: number;
  readonly height: number;
  kindAt(x: number, y: number, z: number): Kind;
}

function kindOf({ block, after }: ChangedCell): Kind {
  if (isAir(block)) return "added";
  return isAir(after) ? "removed" : "replaced";
}

function layersOf(cells: readonly ChangedCell[]): Layers {
  const least = { x: Infinity, y: Infinity, z: Infinity };
  const most = { x: -Infinity, y: -Infinity, z: -Infinity };
  const found = new Map<string, Kind>();
  for (const cell of cells) {
    for (const axis of ["x", "y", "z"] as const) {
      least[axis] = Math.min(least[axis], cell[axis]);
      most[axis] = Math.max(most[axis], cell[axis]);
    }
    found.set(`${cell.x} ${cell.y} ${cell.z}`, kindOf(cell));
  }
  return {
    from: least,
    width: most.x - least.x + 1,
    height: most.y - least.y + 1,
    depth: most.z - least.z + 1,
    kindAt: (x, y, z) => found.get(`${x} ${y} ${z}`) ?? "unchanged",
  };
}

/** The lowest layers as text, seen from above: north is up. Empty when they are too wide to be read. */
export function drawLayers(cells: readonly ChangedCell[]): string[] {
  if (cells.length === 0) return [];
  const { from, width, height, depth, kindAt } = layersOf(cells);
  if (width > MAX_TEXT_SIDE || depth > MAX_TEXT_SIDE) return [];
  const lines = ["From above, north is up (+ added, - removed, ~ replaced, . unchanged):"];
  for (let y = from.y; y < from.y + Math.min(height, MAX_TEXT_LAYERS); y++) {
    lines.push(`y ${y}, from x ${from.x}, z ${from.z}:`);
    for (let z = from.z; z < from.z + depth; z++) {
      lines.push(
        Array.from({ length: width }, (_, at) => signs[kindAt(from.x + at, y, z)]).join(""),
      );
    }
  }
  if (height > MAX_TEXT_LAYERS) lines.push(`${height - MAX_TEXT_LAYERS} more layers above`);
  return lines;
}

/** All layers side by side, the lowest first. Undefined when they do not fit into a picture. */
export async function drawChange(cells: readonly ChangedCell[]): Promise<ToolImage | undefined> {
  if (cells.length === 0) return undefined;
  const { from, width, height, depth, kindAt } = layersOf(cells);
  const columns = Math.min(height, Math.max(1, Math.floor(MAX_PIXELS / (width + GAP))));
  const rows = Math.ceil(height / columns);
  const [across, down] = [columns * (width + GAP) + GAP, rows * (depth + GAP) + GAP];
  if (across > MAX_PIXELS || down > MAX_PIXELS) return undefined;
  const scale = Math.max(1, Math.min(12, Math.floor(MAX_PIXELS / Math.max(across, down))));
  const pixels = new Uint8Array(across * scale * down * scale);
  for (let layer = 0; layer < height; layer++) {
    const left = GAP + (layer % columns) * (width + GAP);
    const top = GAP + Math.floor(layer / columns) * (depth + GAP);
    for (let z = 0; z < depth; z++) {
      for (let x = 0; x < width; x++) {
        const kind = kindAt(from.x + x, from.y + layer, from.z + z);
        const colour = 1 + kinds.indexOf(kind);
        for (let line = 0; line < scale; line++) {
          const start = ((top + z) * scale + line) * across * scale + (left + x) * scale;
          pixels.fill(colour, start, start + scale);
        }
      }
    }
  }
  return pngImage({ width: across * scale, height: down * scale, palette, pixels });
}
