import { realpath } from 'node:fs/promises';
import type { Backend } from '../backend.ts';
import { createDiskAttic } from './attic.ts';
import { createDiskStore } from './store.ts';
import { unreachableNames } from './unreachable.ts';

export interface DiskSettings {
  /** Folder of the files. */
  originals: string;
  /** Folder of retained items that are no longer served. */
  attic: string;
}

/** Stores originals on the disk of this node. */
export function diskBackend({ originals, attic }: DiskSettings): Backend {
  return {
    name: 'disk',
    async open({ temp }) {
      const store = await createDiskStore({ root: originals, temp });
      const root = await realpath(originals);
      return {
        store,
        attic: await createDiskAttic({ root: originals, temp, attic }),
        unreachable: () => unreachableNames(root),
        close: async () => undefined,
      };
    },
  };
}
