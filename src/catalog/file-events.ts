import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStat } from '../storage/blob-store.ts';

/** A change of originals, reported to subscribers. */
export interface FileEvent {
  type: 'file.stored' | 'file.moved' | 'file.deleted' | 'redirect.created' | 'redirect.deleted';
  /** Current path, or the path before a removal. */
  path: StoragePath;
  /** Path before a move, or of a redirect, whose target is the current path. */
  from?: StoragePath;
  /** True for a folder, which stands for everything in it. */
  isFolder: boolean;
  /** State of an existing file. */
  stat?: Pick<BlobStat, 'size' | 'etag'> | undefined;
  /** Direction of a move into or out of the trash. */
  trash?: 'in' | 'out';
}

/** A destination of events. */
export interface EventSink {
  /** Stores events in the transaction of the change that they report. */
  write(db: Kysely<Schema>, events: readonly FileEvent[]): Promise<void>;
  /** Called after such a transaction has ended. */
  written(): void;
}
