import { join } from 'node:path';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { createMemoryStore } from '../memory-store.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { blobStoreContract } from './blob-store.ts';

blobStoreContract('the disk', async () => {
  const { folder, close } = await temporaryFolder();
  const root = join(folder, 'originals');
  return { store: await createDiskStore({ root, temp: join(folder, 'tmp') }), close };
});

blobStoreContract(
  'the memory',
  async () => {
    const { folder, close } = await temporaryFolder();
    return { store: createMemoryStore({ temp: folder }), close };
  },
  { holdsBytes: true },
);
