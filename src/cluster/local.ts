import { randomUUID } from 'node:crypto';
import { KeyedLock } from '../concurrency.ts';
import { areOnOneBranch } from '../path.ts';
import type { Cluster, PathLock } from './cluster.ts';

/** Serialises changes of this process by path, first come, first served. */
export function createLocalPathLock(): PathLock {
  return new KeyedLock(areOnOneBranch);
}

/** The cluster of an installation with one node: no messages and no waits. */
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
