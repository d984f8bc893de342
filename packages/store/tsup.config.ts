import { libraryConfig } from "../../tsup.base.js";

// The worker runs in a separate thread, so it is a separate file.
export default libraryConfig({ index: "src/index.ts", "store-worker": "src/store-worker.ts" });
