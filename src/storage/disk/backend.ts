import { realpath } from 'node:fs/promises';
import type { Backend } from '../backend.ts';
import { createDiskRetentionStore } from './retention-store.ts';
import { createDiskStore } from './store.ts';
import { unreachableNames } from './unreachable.ts';

export interface DiskSettings {
  /** Folder of the files. */
  originals: string;
  /** Folder of retained items that are no longer served. */
  retention: string;
}

/** Stores originals on the disk of this node. */
export function diskBackend({ originals, retention }: DiskSettings): Backend {
  return {
    name: 'disk',
    async open({ temp }) {
      const store = await createDiskStore({ root: originals, temp });
      const root = await realpath(originals);
      return {
        store,
        retention: await createDiskRetentionStore({ root: originals, temp, retention }),
        unreachable: () => unreachableNames(root),
        close: async () => undefined,
      };
    },
  };
}
