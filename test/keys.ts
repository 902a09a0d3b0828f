import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring } from '../src/auth/keyring.ts';
import { openTestDatabase } from './database.ts';

export type TestKeys = Awaited<ReturnType<typeof openKeys>>;

/** A keyring on a database of its own, whose time the test sets. */
export async function openKeys() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-keys-'));
  const database = await openTestDatabase(join(folder, 'darkroom.db'));
  /** Unix milliseconds. */
  const clock = { now: Date.now() };
  return {
    folder,
    database,
    clock,
    keyring: createKeyring({ database, now: () => clock.now }),
    /** The rows of all keys, the oldest first. */
    rows: () => database.db.selectFrom('api_key').selectAll().orderBy('createdAt').execute(),
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
