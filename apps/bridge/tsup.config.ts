import { cpSync, existsSync } from "node:fs";
import { defineConfig } from "tsup";

/** The built page. A bridge that is built without it says so. */
const dashboard = "../dashboard/dist";

export default defineConfig({
  entry: { main: "src/main.ts", index: "src/index.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  sourcemap: true,
  clean: true,
  // The workspace's own libraries are part of the program; its npm dependencies are not, nor is the
  // agent: its source mode reads Lua files, its build holds them as text.
  noExternal: [/^@ccbridge\/(?!lua-agent)/],
  esbuildOptions(options) {
    options.conditions = ["@ccbridge/source"];
  },
  onSuccess: async () => {
    if (existsSync(dashboard)) cpSync(dashboard, "dist/dashboard", { recursive: true });
  },
  dts: { entry: { index: "src/index.ts" }, compilerOptions: { ignoreDeprecations: "6.0" } },
});
