import type { Bus } from '../src/cluster/cluster.ts';
import type { Message } from '../src/cluster/messages.ts';

/** Creates buses of nodes in one process: each receives messages of the others immediately. */
export function linkBuses(count: number): (Bus & { resync(): void })[] {
  const listeners = Array.from({ length: count }, () => new Set<(message: Message) => void>());
  return listeners.map((own) => {
    const resyncs = new Set<() => void>();
    return {
      async publish(message) {
        for (const others of listeners) if (others !== own) for (const listener of others) listener(message);
      },
      subscribe(listener) {
        own.add(listener);
        return () => void own.delete(listener);
      },
      onResync(listener) {
        resyncs.add(listener);
        return () => void resyncs.delete(listener);
      },
      resync() {
        for (const listener of resyncs) listener();
      },
    };
  });
}
