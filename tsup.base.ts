import { defineConfig, type Options } from "tsup";

/** The build configuration of every published library: ESM, declarations, source maps. */
export function libraryConfig(
  entry: Record<string, string>,
  differences: Pick<Options, "target" | "minify"> = {},
): ReturnType<typeof defineConfig> {
  return defineConfig({
    entry,
    format: "esm",
    target: "node20",
    platform: "neutral",
    external: [/^node:/],
    sourcemap: true,
    clean: true,
    // tsup passes a baseUrl that TypeScript 6 calls deprecated.
    dts: { compilerOptions: { ignoreDeprecations: "6.0" } },
    ...differences,
  } satisfies Options);
}
