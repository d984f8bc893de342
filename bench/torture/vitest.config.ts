import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.config.js";

const merged = mergeConfig(shared, defineConfig({}));

// Not a test suite: a bench that borrows the runner, which reads the workspace from source.
export default {
  ...merged,
  test: {
    ...merged.test,
    include: ["bench/torture/torture.ts"],
    reporters: ["bench/torture/table-reporter.ts"],
    fileParallelism: false,
  },
};
