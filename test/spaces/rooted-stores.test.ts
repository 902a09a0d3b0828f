import { join } from 'node:path';
import { rootedStore } from '../../src/spaces/rooted/blob-store.ts';
import { rootedRetentionStore } from '../../src/spaces/rooted/retention-store.ts';
import { createCopyingRetentionStore } from '../../src/storage/copying-retention-store.ts';
import { createDiskRetentionStore } from '../../src/storage/disk/retention-store.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { blobStoreContract } from '../contracts/blob-store.ts';
import { atticContract } from '../contracts/retention-store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { expectOutside, putOutside, ROOT_OF_SPACE } from './outside.ts';

const ALL_ARE_OWN = async () => true;

blobStoreContract('a space on the disk', async () => {
  const { folder, close } = await temporaryFolder();
  const library = await createDiskStore({ root: join(folder, 'originals'), temp: join(folder, 'tmp') });
  await putOutside(library);
  return {
    store: rootedStore(library, ROOT_OF_SPACE),
    async close() {
      await expectOutside(library);
      await close();
    },
  };
});

blobStoreContract(
  'a space in memory',
  async () => {
    const { folder, close } = await temporaryFolder();
    const library = createMemoryStore({ temp: folder });
    await putOutside(library);
    return {
      store: rootedStore(library, ROOT_OF_SPACE),
      async close() {
        await expectOutside(library);
        await close();
      },
    };
  },
  { holdsBytes: true },
);

atticContract('a space on the disk', async () => {
  const { folder, close } = await temporaryFolder();
  const root = join(folder, 'originals');
  const temp = join(folder, 'tmp');
  const library = await createDiskStore({ root, temp });
  const retention = await createDiskRetentionStore({ root, temp, retention: join(folder, 'attic') });
  await library.createFolder(ROOT_OF_SPACE.folder);
  return {
    store: rootedStore(library, ROOT_OF_SPACE),
    retention: rootedRetentionStore(retention, ROOT_OF_SPACE, ALL_ARE_OWN),
    close,
  };
});

atticContract('a space with a second store', async () => {
  const { folder: temp, close } = await temporaryFolder();
  const library = createMemoryStore({ temp });
  await library.createFolder(ROOT_OF_SPACE.folder);
  const retention = createCopyingRetentionStore(library, createMemoryStore({ temp }));
  return {
    store: rootedStore(library, ROOT_OF_SPACE),
    retention: rootedRetentionStore(retention, ROOT_OF_SPACE, ALL_ARE_OWN),
    close,
  };
});
