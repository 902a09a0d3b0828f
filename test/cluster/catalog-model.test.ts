import { ROUNDS, testCatalogModel } from '../catalog/model-test.ts';
import { worldsIn } from '../catalog/worlds.ts';
import { newDatabase } from '../postgres/database.ts';
import { newBucket } from '../s3/bucket.ts';
import { describeOnBoth } from './nodes.ts';

describeOnBoth('the catalog', () => {
  const places = {
    'on a disk, with PostgreSQL': async () => ({ databaseUrl: await newDatabase() }),
    'in a bucket, with SQLite': async () => ({ bucket: await newBucket() }),
    'in a bucket, with PostgreSQL': async () => ({ bucket: await newBucket(), databaseUrl: await newDatabase() }),
  };
  for (const [where, newPlaces] of Object.entries(places))
    testCatalogModel(where, async () => worldsIn(await newPlaces()), ROUNDS);
});
