import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../vitest.config.js";

const merged = mergeConfig(shared, defineConfig({}));

// Not part of the default suite: its dependencies take 400 MB. Run by `pnpm test:minecraft`.
export default {
  ...merged,
  test: {
    ...merged.test,
    // With the projects of the suite, all of its tests would run as well.
    projects: undefined,
    include: [fileURLToPath(new URL("squid.long.test.ts", import.meta.url))],
    testTimeout: 60_000,
    fileParallelism: false,
  },
};
