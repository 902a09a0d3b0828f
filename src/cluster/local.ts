import { randomUUID } from 'node:crypto';
import { KeyedLock } from '../concurrency.ts';
import { isWithin, type StoragePath } from '../path.ts';
import type { Cluster, PathLock } from './cluster.ts';

/** Serialises the changes of this process by path, in the order of their arrival. */
export function createLocalPathLock(): PathLock {
  return new KeyedLock<StoragePath>((one, other) => isWithin(one, other) || isWithin(other, one));
}

/** The cluster of an installation with one node: there is nobody to tell and nobody to wait for. */
export function createLocalCluster(): Cluster {
  const node = randomUUID();
  const unsubscribe = () => undefined;
  return {
    node,
    bus: { publish: async () => undefined, subscribe: () => unsubscribe, onResync: () => unsubscribe },
    once: {
      async run(_key, _find, work, signal) {
        signal?.throwIfAborted();
        return work(() => undefined);
      },
    },
    lock: createLocalPathLock(),
    isAlive: async (name) => name === node,
    stats: () => ({ isConnected: true, waits: 0, found: 0, timeouts: 0, alone: 0, busLagMs: 0 }),
    close: async () => undefined,
  };
}
