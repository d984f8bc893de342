import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.config.js";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const merged = mergeConfig(shared, defineConfig({}));

// A bench, not a test suite: it uses the runner, which resolves the workspace from source.
export default {
  ...merged,
  test: {
    ...merged.test,
    projects: undefined,
    include: [here("torture.ts")],
    reporters: [here("table-reporter.ts")],
    fileParallelism: false,
  },
};
