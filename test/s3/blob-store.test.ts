import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { blobStoreContract } from '../contracts/blob-store.ts';
import { expectOutside, putOutside, ROOT_OF_SPACE } from '../spaces/outside.ts';
import { describeOnS3, newS3Store } from './bucket.ts';

describeOnS3('a bucket', () => {
  blobStoreContract('a bucket', () => newS3Store());

  blobStoreContract('a space in a bucket', async () => {
    const { store: library, close } = await newS3Store();
    await putOutside(library);
    return {
      store: rootedStore(library, ROOT_OF_SPACE),
      async close() {
        await expectOutside(library);
        await close();
      },
    };
  });
});
