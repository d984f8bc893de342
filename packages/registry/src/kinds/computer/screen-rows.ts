import { decodeText, type Screen, type ScreenFrame, type ScreenRow } from "@ccbridge/protocol";

/**
 * The screen after a frame of `watch-screen`: the whole one that it brings, or the earlier one with the rows
 * that changed. Undefined when rows come without a screen that they fit.
 */
export function applyScreenFrame(
  before: Screen | undefined,
  { screen, rows = [], cursor, palette }: ScreenFrame,
): Screen | undefined {
  const base = screen ?? before;
  if (base === undefined) return undefined;
  const fits = rows.every(
    ({ y, foreground }) => y <= base.height && foreground.length === base.width,
  );
  if (!fits) return undefined;
  const changes = {
    ...(cursor === undefined ? {} : { cursor }),
    ...(palette === undefined ? {} : { palette }),
  };
  return { ...(rows.length === 0 ? base : withRows(base, rows)), ...changes };
}

function withRows(screen: Screen, rows: readonly ScreenRow[]): Screen {
  const text = rowsOf(decodeText(screen.text, screen.encoding), screen);
  const foreground = rowsOf(screen.foreground ?? "0".repeat(screen.width * screen.height), screen);
  const background = rowsOf(screen.background ?? "f".repeat(screen.width * screen.height), screen);
  for (const row of rows) {
    text[row.y - 1] = decodeText(row.text, row.encoding);
    foreground[row.y - 1] = row.foreground;
    background[row.y - 1] = row.background;
  }
  // The encoding is that of the new text: what was base64 may be plain now.
  const { encoding: _, ...rest } = screen;
  return {
    ...rest,
    ...encodeCells(text.join("")),
    foreground: foreground.join(""),
    background: background.join(""),
  };
}

function rowsOf(cells: string, { width, height }: Screen): string[] {
  return Array.from({ length: height }, (_, row) => cells.slice(row * width, (row + 1) * width));
}

/** Cells as the wire writes them: as they are when they are plain, otherwise as base64. */
function encodeCells(cells: string): Pick<Screen, "text" | "encoding"> {
  return /^[ -~]*$/.test(cells) ? { text: cells } : { text: btoa(cells), encoding: "base64" };
}
