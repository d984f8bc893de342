import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.config.js";

const merged = mergeConfig(shared, defineConfig({}));

// Not a test suite: a bench that borrows the runner, which reads the workspace from source.
export default {
  ...merged,
  test: {
    ...merged.test,
    // With the projects of the suite, all of its tests would run as well.
    projects: undefined,
    include: [fileURLToPath(new URL("frames.ts", import.meta.url))],
    testTimeout: 600_000,
  },
};
