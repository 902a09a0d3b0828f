import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyring } from '../src/auth/keyring.ts';
import { openTestDatabase } from './database.ts';

export type TestKeys = Awaited<ReturnType<typeof openKeys>>;

/** Opens a keyring on its own database, with a clock that the test sets. */
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
    /** Returns the rows of all keys, oldest first. */
    rows: () => database.db.selectFrom('api_key').selectAll().orderBy('createdAt').execute(),
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
