import { defineConfig } from "tsup";
import { libraryConfig } from "../../tsup.base.js";

// One small file that a page can load directly.
export default [
  libraryConfig({ index: "src/index.ts" }, { target: "es2022", minify: true }),
  // A classic script: one tag, without a module.
  defineConfig({
    entry: { webmcp: "src/webmcp.ts" },
    format: "iife",
    target: "es2022",
    minify: true,
    outExtension: () => ({ js: ".js" }),
  }),
];
