import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import type { BucketSettings } from '../../src/storage/s3/bucket.ts';
import { openBucketStorage } from './bucket-world.ts';
import { openDiskStorage } from './disk-world.ts';
import type { World, WorldStorage } from './rig.ts';

/** A world of its own, which is gone when it is closed. */
export type OwnWorld = World & { close(): Promise<void> };

/** Where the worlds are kept: without a bucket on this disk, without a PostgreSQL database in SQLite. */
export interface Places {
  bucket?: BucketSettings | undefined;
  databaseUrl?: string | undefined;
}

/** Makes worlds in the same places, one after another. */
export function worldsIn({ bucket, databaseUrl }: Places): () => Promise<OwnWorld> {
  return () =>
    createWorld((folder) => (bucket ? openBucketStorage(bucket, folder) : openDiskStorage(folder)), databaseUrl);
}

/** A folder of this disk, and a SQLite database. */
export function createDiskWorld(): Promise<OwnWorld & { root: string }> {
  return createWorld(openDiskStorage);
}

async function createWorld<S extends WorldStorage>(
  openStorage: (folder: string) => S,
  databaseUrl?: string,
): Promise<S & OwnWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const database = await openDatabase({ file: join(folder, 'darkroom.db'), url: databaseUrl });
  if (databaseUrl !== undefined) await empty(database);
  const storage = openStorage(folder);
  return {
    ...storage,
    database,
    async close() {
      storage.close?.();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function empty({ db }: OpenDatabase): Promise<void> {
  await db.deleteFrom('asset').execute();
  await db.deleteFrom('folder').where('path', '<>', '').execute();
  await db.updateTable('folder').set({ mark: null, digest: null }).execute();
  await db.deleteFrom('asset_change').execute();
  await db.deleteFrom('setting').where('name', '=', 'catalog').execute();
}
