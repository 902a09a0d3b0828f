import type { Places } from '../catalog/worlds.ts';
import { createDatabase } from '../postgres/create.ts';
import { PostgresServer } from '../postgres/server.ts';
import { createBucketOn } from '../s3/create.ts';
import { startS3Server } from '../s3/server.ts';

const STORAGES = ['disk', 'bucket'] as const;
const DATABASES = ['sqlite', 'postgres'] as const;

/** The selected kinds of file storage and database. */
export interface PlaceChoice {
  storages: readonly (typeof STORAGES)[number][];
  databases: readonly (typeof DATABASES)[number][];
}

/**
 * Parses the selection; everything by default.
 * @throws Error that lists the valid values
 */
export function placeChoice(given: { storage?: string | undefined; database?: string | undefined } = {}): PlaceChoice {
  return {
    storages: chosen('--storage', STORAGES, given.storage),
    databases: chosen('--database', DATABASES, given.database),
  };
}

function chosen<T extends string>(option: string, known: readonly T[], given: string | undefined): readonly T[] {
  const found = given === undefined ? known : known.filter((one) => one === given);
  if (found.length === 0) throw new Error(`Expected ${option} to be one of ${known.join(', ')}, received "${given}".`);
  return found;
}

/** One kind of file storage with one kind of database. */
export interface Combination {
  storage: (typeof STORAGES)[number];
  database: (typeof DATABASES)[number];
}

/** Returns every selected combination. */
export function combinationsOf({ storages, databases }: PlaceChoice): Combination[] {
  return storages.flatMap((storage) => databases.map((database) => ({ storage, database })));
}

/**
 * Returns the selected combinations that the service supports: with PostgreSQL it stores its files in a bucket.
 * @throws Error when none is selected
 */
export function serviceCombinationsOf(choice: PlaceChoice): Combination[] {
  const found = combinationsOf(choice).filter(({ storage, database }) => storage === 'bucket' || database === 'sqlite');
  if (found.length === 0) throw new Error('Expected --storage=bucket with --database=postgres, received disk.');
  return found;
}

/** Runs a function in each combination, one after another, with its own servers. */
export async function inPlaces(
  combinations: readonly Combination[],
  work: (where: string, newPlaces: () => Promise<Places>) => Promise<void>,
): Promise<void> {
  const s3 = combinations.some(({ storage }) => storage === 'bucket') ? await startS3Server() : undefined;
  try {
    const hasPostgres = combinations.some(({ database }) => database === 'postgres');
    const postgres = hasPostgres ? await PostgresServer.start() : undefined;
    try {
      for (const { storage, database } of combinations)
        await work(`${storage}, ${database}`, async () => ({
          bucket: storage === 'bucket' && s3 ? await createBucketOn(s3) : undefined,
          databaseUrl: database === 'postgres' && postgres ? await createDatabase(postgres.url()) : undefined,
        }));
    } finally {
      await postgres?.close();
    }
  } finally {
    await s3?.close();
  }
}
