import type { Backend } from '../backend.ts';
import { createDiskStore } from './store.ts';

export interface DiskSettings {
  /** The folder of the files. */
  originals: string;
  /** The folder where moves under way are written down. */
  moves: string;
}

/** Originals on the disk of this machine. */
export function diskBackend({ originals, moves }: DiskSettings): Backend {
  return {
    name: 'disk',
    async open({ temp }) {
      const store = await createDiskStore({ root: originals, temp, moves });
      return { store, counting: 'walk', close: async () => undefined };
    },
  };
}
