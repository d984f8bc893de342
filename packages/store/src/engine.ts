import { createRequire } from "node:module";

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

interface Statement {
  run(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
}

/** What both engines have in common. */
interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type Connect = new (file: string) => Connection;

export type EngineName = "node:sqlite" | "libsql";

/** The one connection to a database file. */
export class Engine {
  readonly name: EngineName;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();

  private constructor(name: EngineName, connection: Connection) {
    this.name = name;
    this.#connection = connection;
  }

  /** Opens a file with the engine of this Node, or the one that is installed. Undefined when there is none. */
  static open(file: string, wanted?: EngineName): Engine | undefined {
    for (const name of ["node:sqlite", "libsql"] as const) {
      const Connection = wanted === undefined || wanted === name ? engines[name]() : undefined;
      if (Connection !== undefined) return new Engine(name, new Connection(file));
    }
    return undefined;
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  run(sql: string, ...values: Value[]): void {
    this.#prepare(sql).run(...values);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.all(sql, ...values)[0];
  }

  /** Runs it in one transaction, which is rolled back when it throws. */
  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      try {
        this.exec("ROLLBACK");
      } catch {
        // The engine has rolled it back by itself, as on a full disk.
      }
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const engines: Record<EngineName, () => Connect | undefined> = {
  "node:sqlite"() {
    // Not an import: bundlers do not know this module.
    const { getBuiltinModule } = process as { getBuiltinModule?: (id: string) => unknown };
    const found = getBuiltinModule?.("node:sqlite") as { DatabaseSync: Connect } | undefined;
    return found?.DatabaseSync;
  },
  libsql() {
    try {
      return createRequire(import.meta.url)("libsql") as Connect;
    } catch {
      return undefined;
    }
  },
};

/** Whether an error means that the file is damaged, or is not a database. */
export function isDamage(error: unknown): boolean {
  return /malformed|not a database|disk image|database corruption/i.test(String(error));
}

/** Whether an error is about one row alone, such as a row of another bridge that has another form: others can be written. */
export function isAboutRow(error: unknown): boolean {
  return error instanceof TypeError || /constraint failed/i.test(String(error));
}
