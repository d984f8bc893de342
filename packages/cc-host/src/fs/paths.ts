const FORBIDDEN = /["*:<>?|]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the game drops these from paths
const CONTROL = /[\x00-\x1f]/g;
const MAX_PART_LENGTH = 255;

/**
 * As the game normalizes paths: no leading slash, no "." or "..", odd characters dropped. ".."
 * above the root stays in front, and such a path cannot be opened.
 */
export function sanitizePath(path: string, allowWildcards = false): string {
  const cleaned = path.replaceAll("\\", "/").replace(CONTROL, "");
  const kept = allowWildcards ? cleaned.replace(/["<>|:]/g, "") : cleaned.replace(FORBIDDEN, "");
  const parts: string[] = [];
  for (const raw of kept.split("/")) {
    const part = raw.trim().slice(0, MAX_PART_LENGTH).trim();
    if (part === "" || part === "." || /^\.{3,}$/.test(part)) continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}

export function isOutsideRoot(path: string): boolean {
  return path === ".." || path.startsWith("../");
}

export function parentPath(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut);
}

export function baseName(path: string): string {
  return path === "" ? "root" : path.slice(path.lastIndexOf("/") + 1);
}
