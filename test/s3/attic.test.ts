import { S3RetentionStore } from '../../src/storage/s3/retention-store.ts';
import { S3Store } from '../../src/storage/s3/store.ts';
import { atticContract } from '../contracts/retention-store.ts';
import { describeOnS3, newS3Store } from './bucket.ts';

describeOnS3('a bucket', () => {
  atticContract('a bucket', async () => {
    const { store, bucket, close } = await newS3Store();
    if (!(store instanceof S3Store)) throw new Error('Expected a store on a bucket.');
    const conditions = { hasConditions: true, hasPartConditions: false, hasDeleteConditions: false };
    return { store, retention: new S3RetentionStore(bucket, store.area, conditions), close };
  });
});
