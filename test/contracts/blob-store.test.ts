import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import { createMemoryStore } from '../memory-store.ts';
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

async function temporaryFolder(): Promise<{ folder: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  return { folder, close: () => rm(folder, { recursive: true }) };
}
