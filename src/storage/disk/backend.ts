import { realpath } from 'node:fs/promises';
import type { Backend } from '../backend.ts';
import { createDiskAttic } from './attic.ts';
import { createDiskStore } from './store.ts';
import { unreachableNames } from './unreachable.ts';

export interface DiskSettings {
  /** The folder of the files. */
  originals: string;
  /** The folder of what is kept though it is no longer served. */
  attic: string;
}

/** Originals on the disk of this machine. */
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
