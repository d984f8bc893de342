import { defineConfig } from "tsup";
import { typesOnly } from "../../tsup.base.js";

const libraries = { index: "src/index.ts", game: "src/game/index.ts" };

export default defineConfig({
  entry: { main: "src/main.ts", ...libraries },
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
  dts: { only: typesOnly, entry: libraries, compilerOptions: { ignoreDeprecations: "6.0" } },
});
