import { libraryConfig } from "../../tsup.base.js";

// The worker is a file of its own, since it runs in a thread of its own.
export default libraryConfig({ index: "src/index.ts", "store-worker": "src/store-worker.ts" });
