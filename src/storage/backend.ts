import type { Availability } from '../availability.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { Attic } from './attic.ts';
import type { BlobStore, MoveRecovery } from './blob-store.ts';
import type { SharedVariants } from './cache/shared-variants.ts';
import type { UsageCounter } from './usage-counter.ts';

/** A kind of storage together with its settings. */
export interface Backend {
  /** What `--check-config=deep` calls it. */
  name: string;
  /** Tries what the settings name. Gives a sentence about it; an error says what is wrong. */
  check?(): Promise<string>;
  /** Gets ready for work. @throws an error that says what is wrong with the settings or with what they name */
  open(context: BackendContext): Promise<OpenBackend>;
}

/** What a backend may need of the service. */
export interface BackendContext {
  /** A folder for temporary files, on the file system of the data folder. */
  temp: string;
  log: Log;
  /** Counts the shared variants, for a backend that has such variants. */
  usageCounter: UsageCounter;
}

/** A file or a folder that is not served because of its name. */
export interface UnreachableName {
  /** As the storage has it, with the folders above it. */
  name: string;
  /** The path that it would have, at which the storage has another file or folder, whose name is written in NFC. */
  hiddenBy: StoragePath | undefined;
}

/** A storage that is ready for work. */
export interface OpenBackend {
  /** Where the originals lie. */
  store: BlobStore & MoveRecovery;
  /** Where bytes are kept that are no longer served: replaced versions, and the trash. */
  attic: Attic;
  /** Where every machine that uses this storage finds variants. Without it each machine keeps only its own. */
  sharedVariants?: SharedVariants;
  /** For a storage that can become unreachable. */
  availability?: Availability;
  /** Finds what lies among the originals under names that no path leads to. Other programs have written these. */
  unreachable?(): AsyncIterable<UnreachableName>;
  close(): Promise<void>;
}
