/** The parts of better-sqlite3 that this project uses; it ships no types of its own. */
declare module 'better-sqlite3' {
  interface RunResult {
    readonly changes: number;
    readonly lastInsertRowid: number | bigint;
  }

  interface Statement<Parameters extends unknown[], Row> {
    readonly reader: boolean;
    /** True while an iterator of it is incomplete. */
    readonly busy: boolean;
    get(...parameters: Parameters): Row | undefined;
    all(...parameters: Parameters): Row[];
    run(...parameters: Parameters): RunResult;
    iterate(...parameters: Parameters): IterableIterator<Row>;
  }

  /** One connection. Everything is synchronous; failures are errors with a `code` such as `SQLITE_BUSY`. */
  class Database {
    /** @param options `timeout`: milliseconds to wait for a lock that another connection holds. */
    constructor(file: string, options?: { timeout?: number; readonly?: boolean; fileMustExist?: boolean });
    readonly name: string;
    readonly open: boolean;
    readonly inTransaction: boolean;
    prepare<Parameters extends unknown[] = unknown[], Row = unknown>(sql: string): Statement<Parameters, Row>;
    exec(sql: string): this;
    /** @param options `simple`: the first column of the first row instead of rows. */
    pragma(source: string, options?: { simple?: boolean }): unknown;
    close(): this;
  }

  export = Database;
}
