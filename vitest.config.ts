import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";

// The tier of a test is in its file name; docs/testing.md says what belongs to which.
const e2e = "**/*.e2e.test.ts";
const long = "**/*.long.test.ts";

/** Tests with fake timers: a timer that a shared module created meanwhile would be lost to the next file. */
const drivesTime = [
  "packages/{registry,mcp-tools,pages}/test/**/*.test.ts",
  "**/{ended-page-streams,fleet,log,purge,rate-limits,restarts.property,token-guesses,token-oracle,unfinished-bodies}.test.ts",
];

export default defineConfig({
  // Tests read sibling packages from source. The plain `resolve.conditions` is not enough for that.
  ssr: {
    resolve: { conditions: ["@ccbridge/source", "module", "node", "development|production"] },
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [...configDefaults.exclude, e2e, long, ...drivesTime],
          // Modules are loaded once per worker, not per file.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "unit-isolated",
          include: drivesTime,
          exclude: [...configDefaults.exclude, e2e, long],
        },
      },
      { extends: true, test: { name: "e2e", include: [e2e] } },
      {
        extends: true,
        // The game of squid.long.test.ts needs an install: `pnpm test:minecraft`.
        test: { name: "long", include: [long], exclude: [...configDefaults.exclude, "**/squid.*"] },
      },
    ],
    // A file must not see the mocks of another.
    restoreMocks: true,
    unstubGlobals: true,
    setupFiles: [fileURLToPath(new URL("./vitest.setup.ts", import.meta.url))],
    // Deadlines, not waits: a busy machine takes ten times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // Most tests wait for other processes, so even two cores can run two files at once.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
