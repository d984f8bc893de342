import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { defineConfig, type Options } from "tsup";
import { libraryConfig } from "../../tsup.base.js";
import * as program from "./src/program.js";

const embedProgram: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "embed-program",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]program\.ts$/ }, () => ({
      loader: "js",
      contents: Object.entries(program)
        .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
        .join("\n"),
    }));
  },
};

export default defineConfig({
  ...(libraryConfig({ index: "src/index.ts" }) as Options),
  esbuildPlugins: [embedProgram],
  async onSuccess() {
    const file = new URL("dist/mcp-computer.lua", import.meta.url);
    await writeFile(fileURLToPath(file), program.programText);
  },
});
