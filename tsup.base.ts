import { defineConfig, type Options } from "tsup";

/**
 * `build:types` adds declarations to a build and leaves the rest alone: a rewritten file would look stale to the next
 * build, which would then replace `dist` under whatever uses it.
 */
export const typesOnly = process.env.npm_lifecycle_event === "build:types";

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
    dts: { only: typesOnly, compilerOptions: { ignoreDeprecations: "6.0" } },
    ...differences,
  } satisfies Options);
}
