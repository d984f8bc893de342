import { parentPort, workerData } from "node:worker_threads";
import type { HistoryDatabase } from "./database.js";
import { isDamage } from "./engine.js";
import { openDatabase, setAside } from "./open-database.js";
import type { Retention } from "./rows.js";
import type { FromWorker, ToWorker, WorkerOptions } from "./worker-messages.js";

// The thread of the store: the only connection to the file, one message after the other.

/** How often old rows are looked for. */
const PURGE_MS = 60_000;

const port = parentPort;
if (port === null) throw new Error("this file runs in a worker thread");
const { file, engine, ...options } = workerData as WorkerOptions;
let { retention } = options;
const post = (message: FromWorker) => port.postMessage(message);

// Node 22 warns that its SQLite is experimental, on the terminal of the user.
process.emitWarning = () => {};

let database: HistoryDatabase | undefined;

function start(): void {
  try {
    const opened = openDatabase(file, engine);
    database = opened?.database;
    if (opened === undefined) return post({ type: "refused", reason: "no SQLite engine is there" });
    const { setAside: damaged } = opened;
    const { isUnclean } = opened.database;
    post({ type: "ready", engine: opened.engine, isUnclean, damaged });
    setInterval(purgeAll, PURGE_MS).unref();
  } catch (error) {
    post({ type: "refused", reason: (error as Error).message });
  }
}

function purgeAll(): void {
  try {
    // In small steps, so that writes and reads come in between.
    if (database?.purge(retention) === true) setImmediate(purgeAll);
  } catch {
    // Such as a full disk: the next round tries again.
  }
}

function answer({ id, method, args }: ToWorker): void {
  try {
    post({ type: "answer", id, result: call(method, args) });
  } catch (error) {
    if (!isDamage(error)) return post({ type: "failed", id, reason: (error as Error).message });
    replaceDamaged();
    retry({ id, method, args });
  }
}

function call(method: ToWorker["method"], args: readonly unknown[]): unknown {
  if (database === undefined) throw new Error("the history is closed");
  if (method === "bytes") return database.bytes;
  if (method === "retain") {
    retention = args[0] as Retention;
    return purgeAll();
  }
  if (method === "write") return database.write(JSON.parse(String(args[0])));
  const run = database[method] as (...args: unknown[]) => unknown;
  return run.apply(database, [...args]);
}

/** The file turned out to be damaged: another one is begun. */
function replaceDamaged(): void {
  try {
    database?.close();
  } catch {
    // It could not even be closed.
  }
  database = undefined;
  const damaged = setAside(file);
  database = openDatabase(file, engine)?.database;
  post({ type: "damaged", damaged });
}

function retry({ id, method, args }: ToWorker): void {
  try {
    post({ type: "answer", id, result: call(method, args) });
  } catch (error) {
    post({ type: "failed", id, reason: (error as Error).message });
  }
}

start();
port.on("message", answer);
