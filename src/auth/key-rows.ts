import type { ApiKeyRow, OpenDatabase } from '../db/schema.ts';

/** The rows of the keys, as a check of a key needs them. */
export interface KeyRows {
  /** The row of the key with this hash. @throws HttpProblem 503 when it cannot be found out whether there is one */
  find(hash: string): Promise<ApiKeyRow | undefined>;
  /** Records the last use of a key, sooner or later. Nobody waits for it. */
  noteUse(id: string, lastUsedAt: string): void;
  /** Writes the uses that are still to be written. A failure is ignored: the next time tries again. */
  writeUses(): Promise<void>;
  /** Forgets what is remembered, because keys have changed. */
  forget(): void;
  /** Has what is remembered looked up again, because keys may have changed; until that is possible, it stays good as it is. */
  doubt(): void;
  /** Ends the work in the background. */
  close(): Promise<void>;
}

/** Asks the database each time, so that a change by any process is seen at once. */
export function createKeyRows(database: OpenDatabase): KeyRows {
  return {
    find: prepareFind(database),
    noteUse: createUseNotes(database),
    writeUses: async () => undefined,
    forget: () => undefined,
    doubt: () => undefined,
    close: async () => undefined,
  };
}

/** Looks keys up in the database itself. */
export function prepareFind({ db, prepare }: OpenDatabase): KeyRows['find'] {
  const find = prepare<ApiKeyRow>(db.selectFrom('api_key').selectAll().where('hash', '=', ''));
  return async (hash) => (await find(hash))[0];
}

/**
 * Records last uses of keys, and lets nobody wait for it: not while another process holds the database. A failure is ignored,
 * because a full disk must lock nobody out; the next use tries again.
 */
function createUseNotes({ db }: OpenDatabase): KeyRows['noteUse'] {
  const underWay = new Set<string>();
  return (id, lastUsedAt) => {
    if (underWay.has(id)) return;
    underWay.add(id);
    const change = db.updateTable('api_key').set({ lastUsedAt }).where('id', '=', id).execute();
    void change.catch(() => undefined).then(() => underWay.delete(id));
  };
}
