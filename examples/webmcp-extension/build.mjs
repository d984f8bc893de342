// @ts-check
// Puts the script that bridges WebMCP beside the extension: extensions may not load scripts from elsewhere.
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/build.mjs";

await build("packages/pages");
const from = fileURLToPath(new URL("../../packages/pages/dist/webmcp.js", import.meta.url));
copyFileSync(from, fileURLToPath(new URL("./webmcp.js", import.meta.url)));
console.log("The extension is ready. Load this folder as an unpacked extension:");
console.log(fileURLToPath(new URL(".", import.meta.url)));
