import { defineConfig } from "tsup";
import { libraryConfig, typesOnly } from "../../tsup.base.js";

const webmcp = defineConfig({
  entry: { webmcp: "src/webmcp.ts" },
  format: "iife",
  target: "es2022",
  minify: true,
  outExtension: () => ({ js: ".js" }),
});

// One small file that a page can load directly.
export default [
  libraryConfig({ index: "src/index.ts" }, { target: "es2022", minify: true }),
  // A classic script: one tag, without a module, and so without types.
  ...(typesOnly ? [] : [webmcp]),
];
