import { lstat, mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createDiskStore } from '../../src/storage/disk/store.ts';
import type { Change } from './model.ts';
import type { WorldStorage } from './rig.ts';

/** Opens a local folder. */
export function openDiskStorage(folder: string): WorldStorage & { root: string } {
  const root = join(folder, 'originals');
  const temp = join(folder, 'tmp');
  return {
    open: () => createDiskStore({ root, temp }),
    root,
    foreign: (change, bytes) => changeDisk(root, change, bytes),
    hasIdentity: true,
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
      await mkdir(place, { recursive: true });
      return;
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
