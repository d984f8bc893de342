import process from "node:process";

// With a seed, properties try the same values in every run: a change is judged by what it changes.
const seed = process.env.FAST_CHECK_SEED;
if (seed !== undefined) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: Number(seed) });
}
