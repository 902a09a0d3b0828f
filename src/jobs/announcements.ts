import type { Bus } from '../cluster/cluster.ts';
import type { Job } from './job.ts';

/** Notifies a worker immediately, so that it need not poll. */
export interface QueueWatcher {
  /** Called when a job is due, now or in that time. */
  pending(inMs: number): void;
  removed(id: string): void;
  /** Called when notifications may have been missed. */
  unsure(): void;
}

/** Notifies workers immediately, on this node and on the others. */
export class Announcements {
  readonly #bus: Bus;
  readonly #watchers = new Set<QueueWatcher>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.subscribe((message) => {
      if (message.kind !== 'job') return;
      if (message.removed !== undefined) this.#notify((watcher) => watcher.removed(message.removed as string));
      else this.#notify((watcher) => watcher.pending(message.inMs ?? 0));
    });
    bus.onResync(() => this.#notify((watcher) => watcher.unsure()));
  }

  watch(watcher: QueueWatcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** @param first settles before the other nodes are notified, and thus before they begin the job */
  pending(inMs: number, first: Promise<void> = Promise.resolve()): void {
    this.#notify((watcher) => watcher.pending(inMs));
    void first.then(() => this.#bus.publish(inMs === 0 ? { kind: 'job' } : { kind: 'job', inMs }));
  }

  /** @param jobs as they were before they were removed */
  removed(jobs: readonly Job[]): void {
    for (const { id, status } of jobs) {
      this.#notify((watcher) => watcher.removed(id));
      if (status === 'running') void this.#bus.publish({ kind: 'job', removed: id });
    }
  }

  #notify(say: (watcher: QueueWatcher) => void): void {
    for (const watcher of this.#watchers) say(watcher);
  }
}
