import { join } from 'node:path';
import { createCopyingRetentionStore } from '../../src/storage/copying-retention-store.ts';
import { createDiskRetentionStore } from '../../src/storage/disk/retention-store.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { atticContract } from './retention-store.ts';

atticContract('the disk', async () => {
  const { folder, close } = await temporaryFolder();
  const root = join(folder, 'originals');
  const temp = join(folder, 'tmp');
  const store = await createDiskStore({ root, temp });
  return { store, retention: await createDiskRetentionStore({ root, temp, retention: join(folder, 'attic') }), close };
});

atticContract('a second store', async () => {
  const { folder: temp, close } = await temporaryFolder();
  const store = createMemoryStore({ temp });
  return { store, retention: createCopyingRetentionStore(store, createMemoryStore({ temp })), close };
});
