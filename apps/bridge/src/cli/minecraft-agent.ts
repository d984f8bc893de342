import { runAgent } from "@ccbridge/minecraft-agent";
import { stopSignals } from "../system.js";

/** The process exits after this even if stopping hangs. */
const EXIT_DEADLINE_MS = 3_000;

export function minecraftAgent(argv: string[]): Promise<number> {
  const stop = new Promise<void>((resolve) => {
    for (const signal of stopSignals(process.platform)) {
      process.on(signal, () => {
        setTimeout(() => process.exit(0), EXIT_DEADLINE_MS).unref();
        resolve();
      });
    }
  });
  return runAgent({
    argv,
    env: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    complain: (text) => void process.stderr.write(`${text}\n`),
    stop,
  });
}
