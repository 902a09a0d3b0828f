import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { Bus } from './cluster.ts';
import type { Invalidations } from './invalidations.ts';
import type { Message } from './messages.ts';

/** Parts of this node that cache, or follow, data that may change on another node. */
export interface NodeCaches {
  originals: {
    invalidate(path: StoragePath, isFolder: boolean): void;
    markStale(): void;
    confirm(path: StoragePath, etag: string): boolean;
  };
  /** Rows of the catalog. */
  sync: { followChange(path: StoragePath, isFolder: boolean): void };
  variants: { evictLocal(path: StoragePath): Promise<void> };
  /** API keys and sessions. */
  access: { evict(): void; markStale(): void };
  /** Spaces with their rules. */
  spaces: { load(): Promise<void> };
  /** Undefined if this node describes nothing. */
  describing: { wake(): void } | undefined;
  /** Undefined without other nodes. */
  invalidations: Invalidations | undefined;
}

/** Delay before invalidations are read again after a failure. */
const RETRY_MS = 1000;

/**
 * Applies a change everywhere: evicts caches of this node, notifies the other nodes, then lets the caller continue. The
 * other nodes do the same here on a notification.
 */
export class Changes {
  readonly #bus: Bus;
  readonly #log: Log;
  #caches: NodeCaches | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retrySpaces: NodeJS.Timeout | undefined;

  constructor(bus: Bus, log: Log) {
    this.#bus = bus;
    this.#log = log;
  }

  /** Starts to apply notifications. First recovers those that this node missed while it was off. */
  async follow(caches: NodeCaches): Promise<void> {
    this.#caches = caches;
    this.#bus.subscribe((message) => this.#apply(message, caches));
    this.#bus.onResync(() => this.#markAllStale(caches));
    await this.#catchUp(caches);
  }

  /** Called when a file, or everything in a folder, was added, changed or removed. */
  readonly original = async (path: StoragePath, isFolder: boolean, etag?: string): Promise<void> => {
    this.#caches?.originals.invalidate(path, isFolder);
    this.#caches?.describing?.wake();
    await this.#bus.publish({ kind: 'original', path, isFolder, ...(etag !== undefined && { etag }) });
  };

  /** Invalidates the variants at a path: those of these originals, or all. @throws HttpProblem 503 */
  readonly invalidated = async (path: StoragePath, originals: readonly StoragePath[] | 'all'): Promise<void> => {
    await this.#caches?.invalidations?.add(originals);
    await this.#bus.publish(originals === 'all' ? { kind: 'cleared' } : { kind: 'variants', path, isFolder: true });
    await this.#caches?.invalidations?.catchUp();
  };

  /** Called when API keys or sessions have changed. */
  readonly access = async (): Promise<void> => {
    this.#caches?.access.evict();
    await this.#bus.publish({ kind: 'key' });
  };

  /** Called when spaces have changed, and this node applies the change already. */
  readonly spaces = async (): Promise<void> => {
    await this.#bus.publish({ kind: 'spaces' });
  };

  close(): void {
    clearTimeout(this.#retry);
    clearTimeout(this.#retrySpaces);
  }

  #apply(message: Message, caches: NodeCaches): void {
    switch (message.kind) {
      case 'original': {
        const path = message.path as StoragePath;
        // A delayed message may be about a change that this node has seen. What it has made since then is all that it
        // can serve if the store fails now.
        const isKnown = message.etag !== undefined && caches.originals.confirm(path, message.etag);
        if (!isKnown) caches.originals.invalidate(path, message.isFolder);
        caches.sync.followChange(path, message.isFolder);
        caches.describing?.wake();
        if (isKnown) return;
        caches.variants.evictLocal(path).catch((err) => this.#log.error({ err }, 'variants could not be removed'));
        return;
      }
      case 'variants':
      case 'cleared':
        caches.originals.markStale();
        void this.#catchUp(caches);
        return;
      case 'spaces':
        void this.#loadSpaces(caches);
        return;
      case 'key':
        caches.access.evict();
    }
  }

  /** Assumes every notification that the others could have sent. */
  #markAllStale(caches: NodeCaches): void {
    caches.originals.markStale();
    // The database may not be available yet.
    caches.access.markStale();
    void this.#loadSpaces(caches);
    void this.#catchUp(caches);
  }

  /** Retries until the spaces are known. Until then the last known rules apply. */
  async #loadSpaces(caches: NodeCaches): Promise<void> {
    try {
      await caches.spaces.load();
    } catch (err) {
      this.#log.debug({ err }, 'spaces cannot be read at the moment');
      clearTimeout(this.#retrySpaces);
      this.#retrySpaces = setTimeout(() => void this.#loadSpaces(caches), RETRY_MS);
    }
  }

  /** Retries until the invalidations are known; resolves after the first attempt. */
  async #catchUp(caches: NodeCaches): Promise<void> {
    try {
      await caches.invalidations?.catchUp();
    } catch (err) {
      this.#log.debug({ err }, 'invalidated variants cannot be read at the moment');
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => void this.#catchUp(caches), RETRY_MS);
    }
  }
}
