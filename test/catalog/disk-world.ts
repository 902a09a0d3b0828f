import { lstat, mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '../../src/db/open.ts';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import type { Change } from './model.ts';
import type { World } from './rig.ts';

/** A folder of this disk, and a SQLite database. */
export async function createDiskWorld(): Promise<World & { root: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const root = join(folder, 'originals');
  const [temp, moves] = [join(folder, 'tmp'), join(folder, 'moves')];
  const database = await openDatabase({ file: join(folder, 'darkroom.db') });
  return {
    open: () => createDiskStore({ root, temp, moves }),
    database,
    root,
    foreign: (change, bytes) => changeDisk(root, change, bytes),
    hasIdentity: true,
    async close() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function changeDisk(root: string, change: Change, bytes: Buffer): Promise<void> {
  const place = join(root, change.path);
  const target = 'to' in change ? join(root, change.to) : root;
  const isThere = async (name: string) => lstat(name).then(Boolean, () => false);
  switch (change.type) {
    case 'write':
      await mkdir(dirname(place), { recursive: true });
      return writeFile(place, bytes);
    case 'remove':
      return unlink(place);
    case 'createFolder':
      return void (await mkdir(place, { recursive: true }));
    case 'removeFolder':
      return rm(place, { recursive: true });
    case 'move':
      if (!(await lstat(place)).isFile()) throw new Error('no file');
      await mkdir(dirname(target), { recursive: true });
      return rename(place, target);
    case 'moveFolder':
      if (!(await lstat(place)).isDirectory() || (await isThere(target))) throw new Error('cannot be moved');
      await mkdir(dirname(target), { recursive: true });
      return rename(place, target);
    default:
      throw new Error('not done by others');
  }
}
