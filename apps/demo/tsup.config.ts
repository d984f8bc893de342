import { cpSync } from "node:fs";
import { defineConfig } from "tsup";

export default defineConfig({
  // As deep as the test host's own files are, which look for its ROM two folders up.
  entry: { "program/demo/main": "src/main.ts" },
  format: "esm",
  target: "node20",
  platform: "node",
  sourcemap: true,
  clean: true,
  noExternal: [/^@ccbridge\/(?!lua-agent)/],
  esbuildOptions(options) {
    options.conditions = ["@ccbridge/source"];
  },
  onSuccess: async () => cpSync("../../packages/cc-host/rom", "dist/rom", { recursive: true }),
});
