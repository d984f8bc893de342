import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.config.js";

const merged = mergeConfig(shared, defineConfig({}));

// A bench, not a test suite: it uses the runner, which resolves the workspace from source.
export default {
  ...merged,
  test: {
    ...merged.test,
    projects: undefined,
    include: [fileURLToPath(new URL("frames.ts", import.meta.url))],
    testTimeout: 600_000,
  },
};
