import { libraryConfig } from "../../tsup.base.js";

// One small file that a page can load directly.
export default libraryConfig({ index: "src/index.ts" }, { target: "es2022", minify: true });
