import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";
import { typesOnly } from "../../tsup.base.js";

/** The built page. A bridge that is built without it says so. */
const dashboard = "../dashboard/dist";
/** The scripts that the pages port serves. */
const pages = "../../packages/pages/dist";

/** Many small files: in one they are read faster at the start. */
const bundled = ["zod", "smol-toml"];

/** Zod's messages in fifty languages are a third of it, and a tenth of all that is read at the start. */
const withoutLocales: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "without-locales",
  setup(build) {
    const filter = /[\\/]locales[\\/]index\.js$/;
    build.onLoad({ filter }, () => ({ contents: 'export { default as en } from "./en.js";' }));
  },
};

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
  // agent: its source mode reads Lua files, its build holds them as text.
  noExternal: [/^@ccbridge\/(?!lua-agent)/, ...bundled],
  esbuildPlugins: [withoutLocales],
  esbuildOptions(options) {
    options.conditions = ["@ccbridge/source"];
    // Half as much to read and scan at the start. Names stay, for stack traces.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
  onSuccess: async () => {
    const licenses = bundled.map(
      (name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`,
    );
    writeFileSync("dist/third-party.txt", licenses.join("\n"));
    if (existsSync(dashboard)) cpSync(dashboard, "dist/dashboard", { recursive: true });
    for (const file of ["index.js", "webmcp.js"]) cpSync(`${pages}/${file}`, `dist/pages/${file}`);
  },
  dts: {
    only: typesOnly,
    entry: { index: "src/index.ts" },
    compilerOptions: { ignoreDeprecations: "6.0" },
  },
});
