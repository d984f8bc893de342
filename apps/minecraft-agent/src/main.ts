import { runAgent } from "./run.js";

const EXIT_DEADLINE_MS = 3_000;

const stop = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      setTimeout(() => process.exit(0), EXIT_DEADLINE_MS).unref();
      resolve();
    });
  }
});

process.exitCode = await runAgent({
  argv: process.argv.slice(2),
  env: process.env,
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
  stop,
});
