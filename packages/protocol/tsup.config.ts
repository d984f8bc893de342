import { libraryConfig } from "../../tsup.base.ts";

export default libraryConfig({ index: "src/index.ts" });
