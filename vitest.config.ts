import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

/** Tests that change neither modules nor globals: what they import is loaded once for all of them, not for each file. */
const sharing = [
  "apps/bridge/test/{commands,dashboard,game,minecraft,screen-view}/**/*.test.ts",
  "apps/minecraft-agent/test/**/*.test.ts",
  "packages/{cc-host,lua-agent}/test/**/*.test.ts",
];

export default defineConfig({
  // Tests read sibling packages from source. The plain `resolve.conditions` is not enough for that.
  ssr: {
    resolve: { conditions: ["@ccbridge/source", "module", "node", "development|production"] },
  },
  test: {
    projects: [
      { extends: true, test: { name: "sharing", include: sharing, isolate: false } },
      {
        extends: true,
        test: {
          name: "isolated",
          include: [
            "packages/*/test/**/*.test.ts",
            "apps/*/test/**/*.test.ts",
            "bench/test/**/*.test.ts",
            // What else is there needs an install of its own.
            "test-servers/*/properties-*.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...sharing],
        },
      },
    ],
    setupFiles: [fileURLToPath(new URL("./vitest.setup.ts", import.meta.url))],
    // Deadlines, not waits: a machine that is busy with other things takes ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Most tests wait for other processes, so that even two cores carry two files at once.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
