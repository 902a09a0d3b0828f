import { blobStoreContract } from '../contracts/blob-store.ts';
import { describeOnS3, newS3Store } from './bucket.ts';

describeOnS3('a bucket', () => {
  blobStoreContract('a bucket', () => newS3Store());
});
