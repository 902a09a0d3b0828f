import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import type { BucketSettings } from '../../src/storage/s3/bucket.ts';
import { openBucketStorage } from './bucket-world.ts';
import { openDiskStorage } from './disk-world.ts';
import type { World, WorldStorage } from './rig.ts';

/** A separate world, deleted when it is closed. */
export type OwnWorld = World & { close(): Promise<void> };

/** Storage of the worlds: this disk without a bucket, SQLite without a PostgreSQL database. */
export interface Places {
  bucket?: BucketSettings | undefined;
  databaseUrl?: string | undefined;
}

/** Creates worlds in the same storage, one after another. */
export function worldsIn({ bucket, databaseUrl }: Places): () => Promise<OwnWorld> {
  return () =>
    createWorld((folder) => (bucket ? openBucketStorage(bucket, folder) : openDiskStorage(folder)), databaseUrl);
}

/** Creates a local folder and a SQLite database. */
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
