import { z } from "zod";
import { MAX_SCREEN_CELLS, MAX_SCREEN_SIDE, number } from "./bounds.js";
import { luaArray } from "./lua.js";
import { decodeText } from "./text.js";

const side = z.int().positive().max(MAX_SCREEN_SIDE);
const colours = z.string().regex(/^[0-9a-f]*$/);

const cells = {
  /** One byte of the game's charset for each cell; see `encoding`. */
  text: z.string(),
  /** Set when `text` is base64 because it is not plain ASCII. */
  encoding: z.literal("base64").optional().catch(undefined),
};

export const CursorSchema = z.object({ x: number, y: number, blink: z.boolean().catch(false) });

export const PaletteSchema = luaArray(z.string().regex(/^[0-9a-f]{6}$/), 16);

/** What is on a terminal. Rows follow each other without a separator, each `width` cells long. */
export const ScreenSchema = z
  .object({
    width: side,
    height: side,
    cursor: CursorSchema,
    /** False for a terminal that shows all colours as greys. */
    colour: z.boolean().catch(true),
    ...cells,
    /** A hexadecimal digit for each cell, 0 (white) to f (black); only if it was asked for. */
    foreground: colours.optional(),
    background: colours.optional(),
    palette: PaletteSchema.optional(),
  })
  .refine(({ width, height }) => width * height <= MAX_SCREEN_CELLS, "has too many cells")
  .refine(
    (screen) => hasCells(screen, screen.width * screen.height),
    "must have width x height cells",
  );

export type Screen = z.infer<typeof ScreenSchema>;

/** One row of a screen, `width` cells long, from 1 on. */
export const ScreenRowSchema = z
  .object({
    y: side,
    ...cells,
    foreground: colours.max(MAX_SCREEN_SIDE),
    background: colours.max(MAX_SCREEN_SIDE),
  })
  .refine((row) => hasCells(row, row.foreground.length), "must have as many cells everywhere");

export type ScreenRow = z.infer<typeof ScreenRowSchema>;

interface Cells {
  text: string;
  encoding?: "base64" | undefined;
  foreground?: string | undefined;
  background?: string | undefined;
}

function hasCells({ text, encoding, foreground, background }: Cells, count: number): boolean {
  // Base64 takes four characters for three bytes: a longer text is not decoded.
  if (text.length > 4 * Math.ceil(count / 3)) return false;
  return (
    decodeText(text, encoding).length === count &&
    (foreground === undefined || foreground.length === count) &&
    (background === undefined || background.length === count)
  );
}
