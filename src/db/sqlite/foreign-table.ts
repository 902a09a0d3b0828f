import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { hasCode } from '../../errors.ts';
import { cannotOpen } from './open.ts';

type Rows = readonly Readonly<Record<string, unknown>>[];

/** Files with changes that are not in the database yet, or have to be rolled back. */
const COMPANIONS = ['-wal', '-journal'];

/**
 * Reads a table of another program's SQLite database, from a copy: SQLite would create files next to it, with another
 * owner.
 * @param options.maxRows maximum number of rows
 * @param options.temp a folder for the copy
 * @returns undefined when there is no such table
 * @throws Error with the reason why the file cannot be read
 */
export async function readForeignTable(
  file: string,
  { table, maxRows, temp }: { table: string; maxRows: number; temp: string },
): Promise<Rows | undefined> {
  await mkdir(temp, { recursive: true });
  // Only its owner may read it.
  const folder = await mkdtemp(join(temp, 'foreign-'));
  try {
    return readTable(await copyDatabase(file, folder), table, maxRows);
  } catch (cause) {
    throw cannotOpen(file, cause);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the path of the copy */
async function copyDatabase(file: string, folder: string): Promise<string> {
  const copy = join(folder, 'copy.db');
  await copyFile(file, copy);
  for (const suffix of COMPANIONS) {
    await copyFile(file + suffix, copy + suffix).catch((error) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    });
  }
  return copy;
}

function readTable(file: string, table: string, maxRows: number): Rows | undefined {
  const sqlite = new Database(file, { fileMustExist: true });
  try {
    const named = sqlite.prepare<[string]>("select 1 from sqlite_master where type = 'table' and lower(name) = ?");
    if (named.get(table.toLowerCase()) === undefined) return undefined;
    return sqlite.prepare<[number], Record<string, unknown>>(`select * from "${table}" limit ?`).all(maxRows);
  } finally {
    sqlite.close();
  }
}
