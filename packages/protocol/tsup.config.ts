import { libraryConfig } from "../../tsup.base.js";

export default libraryConfig({
  index: "src/index.ts",
  btcp: "src/btcp/index.ts",
  dashboard: "src/dashboard/index.ts",
  minecraft: "src/minecraft/index.ts",
  screen: "src/screen/index.ts",
});
