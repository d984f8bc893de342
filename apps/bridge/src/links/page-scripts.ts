import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What the pages port serves: the client as a module, and the script that bridges WebMCP. */
const files: ReadonlyMap<string, string> = new Map([
  ["/pages.js", "index.js"],
  ["/webmcp.js", "webmcp.js"],
]);

/** Beside the built program, or in the workspace for a bridge that runs from its source. */
const folders = ["./pages/", "../../../../packages/pages/dist/"];

export function isPageScript(path: string): boolean {
  return files.has(path);
}

/** The text of a script; undefined for a bridge that was built without it. */
export function pageScript(path: string): string | undefined {
  const file = files.get(path);
  if (file === undefined) return undefined;
  const place = folders
    .map((folder) => fileURLToPath(new URL(`${folder}${file}`, import.meta.url)))
    .find((candidate) => existsSync(candidate));
  return place === undefined ? undefined : readFileSync(place, "utf8");
}
