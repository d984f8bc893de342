// @ts-check
// Builds what is behind its sources: node scripts/build.mjs [--types] [package...]
import { buildStale } from "./builds.mjs";

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("-"));
try {
  await buildStale({
    types: args.includes("--types"),
    ...(names.length === 0 ? {} : { names }),
    onBuild: ({ name }) => console.log(`building ${name}`),
  });
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
