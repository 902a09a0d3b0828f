import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStat } from '../storage/blob-store.ts';

/** A change of the originals that others may want to hear of. */
export interface FileEvent {
  type: 'file.stored' | 'file.moved' | 'file.deleted';
  /** Where it is now, or was. */
  path: StoragePath;
  /** Where it was before it was moved. */
  from?: StoragePath;
  /** A folder stands for everything in it. */
  isFolder: boolean;
  /** Of a file that is there. */
  stat?: Pick<BlobStat, 'size' | 'etag'> | undefined;
  /** It went into the trash, or came out of it. */
  trash?: 'in' | 'out';
}

/** Where events go. */
export interface EventSink {
  /** Writes them down in a transaction: together with what they tell of. */
  write(db: Kysely<Schema>, events: readonly FileEvent[]): Promise<void>;
  /** Is told when such a transaction is over. */
  written(): void;
}
