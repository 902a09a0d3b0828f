import type { ApiKeyRow, OpenDatabase } from '../db/schema.ts';

/** The rows of the keys, as the verification of a key needs them. */
export interface KeyRows {
  /**
   * The row of the key with this hash.
   * @throws HttpProblem 503 when the lookup fails
   */
  find(hash: string): Promise<ApiKeyRow | undefined>;
  /** Records the last use of a key in the background. */
  noteUse(id: string, lastUsedAt: string): void;
  /** Writes the pending uses. Failures are ignored: the next call retries. */
  writeUses(): Promise<void>;
  /** Evicts all cached rows, because keys have changed. */
  clear(): void;
  /**
   * Marks all cached rows as stale, because keys may have changed; they stay valid until they can be looked up again.
   */
  markStale(): void;
  /** Ends the work in the background. */
  close(): Promise<void>;
}

/** Reads the database each time, so that a change by any process applies immediately. */
export function createKeyRows(database: OpenDatabase): KeyRows {
  return {
    find: prepareFind(database),
    noteUse: createUseNotes(database),
    writeUses: async () => undefined,
    clear: () => undefined,
    markStale: () => undefined,
    close: async () => undefined,
  };
}

/** Prepares the lookup of keys in the database itself. */
export function prepareFind({ db, prepare }: OpenDatabase): KeyRows['find'] {
  const find = prepare<ApiKeyRow>(db.selectFrom('api_key').selectAll().where('hash', '=', ''));
  return async (hash) => (await find(hash))[0];
}

/**
 * Records last uses of keys without delaying requests, also while another process holds the database. A failure is
 * ignored, because a full disk must lock no client out; the next use retries.
 */
function createUseNotes({ db }: OpenDatabase): KeyRows['noteUse'] {
  const running = new Set<string>();
  return (id, lastUsedAt) => {
    if (running.has(id)) return;
    running.add(id);
    const change = db.updateTable('api_key').set({ lastUsedAt }).where('id', '=', id).execute();
    void change.catch(() => undefined).then(() => running.delete(id));
  };
}
