import { homedir } from "node:os";
import { join } from "node:path";
import { type ChangeStore, MemoryChangeStore } from "@ccbridge/registry";
import { openStore, type Retention, type Store } from "@ccbridge/store";
import { CleanValues } from "../auth/secrets/clean-values.js";
import type { Secrets } from "../auth/secrets/secrets.js";
import type { LiveSettings, LiveValues } from "../config/live-settings.js";
import { type Config, settings } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";

/** How the history is kept, for the start report, /health and the dashboard. */
export interface HistoryStatus {
  readonly keptIn: "memory" | "node:sqlite" | "libsql";
  readonly file?: string;
  /** Why nothing is saved, although it should be. */
  readonly trouble?: string;
}

export interface OpenedHistory {
  /** What was changed, with what was before; in memory where nothing else is kept. */
  readonly changes: ChangeStore;
  /** Undefined when everything is kept in memory only. */
  readonly store: Store | undefined;
  /** Removes secrets. */
  clean<T>(value: T): T;
  status(): HistoryStatus;
  close(): Promise<void>;
}

/** Opens the history file. When that is impossible the bridge works without one, and says so. */
export async function openHistory(options: {
  config: Config;
  live: LiveSettings;
  log: Logger;
  secrets: Secrets;
}): Promise<OpenedHistory> {
  const { config, live, log, secrets } = options;
  const values = new CleanValues(secrets);
  const clean = <T>(value: T) => values.of(value);
  const file = historyFile(config);
  if (file === undefined) return inMemory(clean);
  try {
    const store = await openStore({
      file,
      retention: retentionOf(live.values),
      clean,
      onTrouble(reason) {
        if (reason === undefined) log.info({ file }, "history is saved again");
        else log.warn({ file, reason }, "history cannot be saved and waits in memory");
      },
      onDamage: (path) =>
        log.warn({ file, damaged: path }, "the history file was damaged: another one was begun"),
    });
    live.subscribe((name) => {
      if (name.startsWith("history")) store.retain(retentionOf(live.values));
    });
    return {
      ...{ store, clean, changes: store.changes },
      status() {
        const { engine: keptIn, trouble } = store.status;
        return { keptIn, file, ...(trouble === undefined ? {} : { trouble }) };
      },
      close: () => store.close(),
    };
  } catch (error) {
    const trouble = problemOf(error as Error);
    log.warn({ file, reason: trouble }, "history is kept in memory only");
    return inMemory(clean, { file, trouble });
  }
}

function retentionOf(values: LiveValues): Retention {
  const { historyCallDays: callDays, historyEventDays: eventDays } = values;
  const { historyJobDays: jobDays, historyChangeDays: changeDays } = values;
  return { callDays, eventDays, jobDays, changeDays, maxBytes: values.historyMaxBytes };
}

function historyFile({ history, historyFile: file, linkPort }: Config): string | undefined {
  if (history === "memory") return undefined;
  if (file !== "") return file;
  if (linkPort === 0) return undefined;
  const name = linkPort === settings.linkPort.default ? "history.db" : `history-${linkPort}.db`;
  return join(homedir(), ".ccbridge", name);
}

function problemOf({ message }: Error): string {
  return /locked|busy/i.test(message) ? "another process uses the file" : message;
}

function inMemory(clean: OpenedHistory["clean"], more: Partial<HistoryStatus> = {}): OpenedHistory {
  return {
    ...{ store: undefined, clean, changes: new MemoryChangeStore() },
    status: () => ({ keptIn: "memory", ...more }),
    close: async () => {},
  };
}
