import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests read sibling packages from source. The plain `resolve.conditions` is not enough for that.
  ssr: {
    resolve: { conditions: ["@ccbridge/source", "module", "node", "development|production"] },
  },
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "apps/*/test/**/*.test.ts",
      "bench/test/**/*.test.ts",
      // What else is there needs an install of its own.
      "test-servers/*/properties-*.test.ts",
    ],
    setupFiles: [fileURLToPath(new URL("./vitest.setup.ts", import.meta.url))],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A deadline, not a wait: on a busy machine the usual second is too short.
    expect: { poll: { timeout: 15_000 } },
    // Most tests wait for other processes, so that even two cores carry two files at once.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
