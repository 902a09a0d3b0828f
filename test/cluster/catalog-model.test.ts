import { beforeAll } from 'vitest';
import { bucketWorlds } from '../catalog/bucket-world.ts';
import { testCatalogModel } from '../catalog/model-test.ts';
import { newDatabase } from '../postgres/database.ts';
import { newBucket } from '../s3/bucket.ts';
import { describeOnBoth } from './nodes.ts';

describeOnBoth('the catalog', () => {
  let newWorld: ReturnType<typeof bucketWorlds>;
  beforeAll(async () => {
    newWorld = bucketWorlds(await newBucket(), await newDatabase());
  });
  testCatalogModel('in a bucket', () => newWorld(), 100);
});
