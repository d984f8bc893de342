import { cpSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig } from "tsup";

const require = createRequire(import.meta.url);

/** The built page. A bridge that is built without it says so. */
const dashboard = "../dashboard/dist";
/** The scripts that the pages port serves. */
const pages = "../../packages/pages/dist";

export default defineConfig({
  entry: {
    main: "src/main.ts",
    index: "src/index.ts",
    // Runs in a separate thread, so it is a separate file.
    "store-worker": "../../packages/store/src/store-worker.ts",
  },
  format: "esm",
  target: "node20",
  platform: "node",
  sourcemap: true,
  clean: true,
  // The workspace's own libraries are part of the program; its npm dependencies are not, nor is the
  // agent: its source mode reads Lua files, its build holds them as text. Zod is in more than a hundred files,
  // which take a tenth of the time to start: in one they do not.
  noExternal: [/^@ccbridge\/(?!lua-agent)/, "zod"],
  esbuildOptions(options) {
    options.conditions = ["@ccbridge/source"];
    // Half as much to read and scan at the start. Names stay, for stack traces.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
  onSuccess: async () => {
    cpSync(join(dirname(require.resolve("zod/package.json")), "LICENSE"), "dist/third-party.txt");
    if (existsSync(dashboard)) cpSync(dashboard, "dist/dashboard", { recursive: true });
    for (const file of ["index.js", "webmcp.js"]) cpSync(`${pages}/${file}`, `dist/pages/${file}`);
  },
  dts: { entry: { index: "src/index.ts" }, compilerOptions: { ignoreDeprecations: "6.0" } },
});
