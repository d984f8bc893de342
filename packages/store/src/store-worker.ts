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

/** Nothing was written for so long: there is time. */
const QUIET_MS = 250;
const RETRY_MS = 5_000;
/** More than this does not wait in the journal, in characters. */
const MAX_WAITING_LENGTH = 64 * 1_024 * 1_024;

interface Reader {
  readonly message: ToWorker;
  /** The place of the last batch that it must see. */
  readonly after: number;
}

let database: HistoryDatabase | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
/** Places in the journal: of the last batch that was saved, and of the last one that is in the tables. */
let [last, settled] = [0, 0];
let waitingLength = 0;
const readers: Reader[] = [];

function start(): void {
  try {
    const opened = openDatabase(file, engine);
    database = opened?.database;
    if (opened === undefined) return post({ type: "refused", reason: "no SQLite engine is there" });
    const { setAside: damaged } = opened;
    const { isUnclean } = opened.database;
    post({ type: "ready", engine: opened.engine, isUnclean, damaged });
    setInterval(purgeAll, PURGE_MS).unref();
    last = opened.database.lastBatch;
    settleSoon();
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

function answer(message: ToWorker): void {
  try {
    const { id, method, args } = message;
    if (method === "write") {
      const batch = args[0] as string;
      last = open().append(batch);
      waitingLength += batch.length;
      post({ type: "answer", id, result: undefined });
      settleSoon();
    } else if (settled >= last) {
      post({ type: "answer", id, result: call(method, args) });
    } else {
      readers.push({ message, after: last });
      settleSoon();
    }
  } catch (error) {
    failed(message, error);
  }
}

function failed(message: ToWorker, error: unknown): void {
  const { id } = message;
  if (!isDamage(error)) return post({ type: "failed", id, reason: (error as Error).message });
  replaceDamaged();
  retry(message);
}

/** Saved batches go into their tables when nothing more comes for a while, when many wait, and before a read. */
function settleSoon(): void {
  clearTimeout(timer);
  const isUrgent = readers.length > 0 || waitingLength > MAX_WAITING_LENGTH;
  timer = setTimeout(settleOne, isUrgent ? 0 : QUIET_MS);
}

function settleOne(): void {
  try {
    const place = open().settle();
    settled = place ?? last;
    if (place === undefined) waitingLength = 0;
  } catch (error) {
    // Such as a full disk. Readers see what is in the tables.
    if (isDamage(error)) replaceDamaged();
    settled = last;
    timer = setTimeout(settleOne, RETRY_MS);
  }
  while (readers[0] !== undefined && readers[0].after <= settled) {
    const { message } = readers.shift() as Reader;
    answer(message);
  }
  if (settled < last) timer = setTimeout(settleOne, 0);
}

function open(): HistoryDatabase {
  if (database === undefined) throw new Error("the history is closed");
  return database;
}

function call(method: ToWorker["method"], args: readonly unknown[]): unknown {
  const opened = open();
  if (method === "bytes") return opened.bytes;
  if (method === "retain") {
    retention = args[0] as Retention;
    return purgeAll();
  }
  const run = opened[method as "job"] as (...args: unknown[]) => unknown;
  return run.apply(opened, [...args]);
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
  [last, settled, waitingLength] = [0, 0, 0];
  post({ type: "damaged", damaged });
}

function retry({ id, method, args }: ToWorker): void {
  try {
    const isWrite = method === "write";
    const result = isWrite ? open().append(args[0] as string) : call(method, args);
    post({ type: "answer", id, result });
    settleSoon();
  } catch (error) {
    post({ type: "failed", id, reason: (error as Error).message });
  }
}

start();
port.on("message", answer);
