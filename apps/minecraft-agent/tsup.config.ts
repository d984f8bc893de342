import { defineConfig } from "tsup";
import { typesOnly } from "../../tsup.base.js";

export default defineConfig({
  entry: { main: "src/main.ts", index: "src/index.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  sourcemap: true,
  clean: true,
  // Workspace libraries are bundled; npm dependencies are not.
  noExternal: [/^@ccbridge\//],
  esbuildOptions(options) {
    options.conditions = ["@ccbridge/source"];
  },
  dts: {
    only: typesOnly,
    entry: { index: "src/index.ts" },
    compilerOptions: { ignoreDeprecations: "6.0" },
  },
});
