import { ensureAdmin } from './auth/accounts.ts';
import { createAuth } from './auth/auth.ts';
import { createKeyring } from './auth/keyring.ts';
import { readAuthSecret } from './auth/secret.ts';
import type { Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import { createDeliver } from './delivery/deliver.ts';
import type { Log } from './log.ts';
import { createRenderPool } from './render/pool.ts';
import { createDiskStore } from './storage/disk.ts';
import { createOriginals } from './storage/originals.ts';
import { createTempFolder } from './storage/temp.ts';
import { createVariantStore } from './storage/variants.ts';

export type Services = Awaited<ReturnType<typeof createServices>>;

/** Puts the service together: the only place that knows which implementation stands behind a contract. */
export async function createServices(config: Config, log: Log) {
  const { data, auth: accounts, cache, limits } = config;
  const temp = await createTempFolder(data.temp);
  const store = await createDiskStore({ root: data.originals, temp });
  const variants = await createVariantStore({ directory: data.variants, temp, ...cache });
  const database = await openDatabase({ file: data.database });
  const secret = await readAuthSecret(database.db);
  const onError = (error: unknown) => log.error({ err: error }, 'authentication failed');
  const auth = createAuth({ db: database.db, secret, baseUrl: config.http.publicUrl, onError });
  const keyring = createKeyring({ auth, db: database.db, sqlite: database.sqlite });
  if (accounts.admin) await ensureAdmin({ db: database.db, ...accounts.admin });

  const originals = createOriginals(store, cache.originalCheckMs);
  const pool = createRenderPool(config.render);
  const deliver = createDeliver({ originals, variants, pool, limits, temp });

  return {
    config,
    log,
    temp,
    database,
    auth,
    keyring,
    originals,
    variants,
    pool,
    deliver,
    async close() {
      await pool.close();
      await variants.close();
      database.close();
    },
  };
}
