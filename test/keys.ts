import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuth } from '../src/auth/auth.ts';
import { createKeyring } from '../src/auth/keyring.ts';
import { readAuthSecret } from '../src/auth/secret.ts';
import { openTestDatabase } from './database.ts';

export type TestKeys = Awaited<ReturnType<typeof openKeys>>;

/** A keyring on a database of its own, whose time the test sets. */
export async function openKeys() {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-keys-'));
  const database = await openTestDatabase(join(folder, 'darkroom.db'));
  const auth = createAuth({ db: database.db, secret: await readAuthSecret(database.db) });
  /** Unix milliseconds. */
  const clock = { now: Date.now() };
  return {
    ...{ folder, database, auth, clock },
    keyring: createKeyring({ auth, database, now: () => clock.now }),
    /** The rows of all keys, the oldest first. */
    rows: () => database.db.selectFrom('apikey').selectAll().orderBy('createdAt').execute(),
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
