import { stat } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import { formatBytes } from '../../bytes.ts';
import { codeOf, hasCode } from '../../errors.ts';
import type { Schema } from '../schema.ts';

/** Reads the size and the permissions of the file with warnings about them, or the reason why they cannot be read. */
export async function readFile(file: string) {
  try {
    const { size, mode } = await stat(file);
    const permissions = (mode & 0o777).toString(8).padStart(3, '0');
    const facts = { size: formatBytes(size), permissions };
    if ((mode & 0o177) === 0) return facts;
    return { ...facts, security_warning: `Expected permissions 600 or stricter, found ${permissions}.` };
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? 'it is no longer there' : codeOf(error) || 'error';
    return { file_error: `The size and permissions of the database file cannot be read: ${reason}.` };
  }
}

/**
 * Warns when write-ahead logging is off. Some network file systems refuse it; SQLite then silently uses a rollback
 * journal.
 */
export async function readJournal(db: Kysely<Schema>): Promise<{ warning?: string }> {
  const { rows } = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(db);
  const mode = rows[0]?.journal_mode;
  if (mode === 'wal') return {};
  return { warning: `The database uses the journal mode ${mode} instead of wal, so that readers and writers wait.` };
}
