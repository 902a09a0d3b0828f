import type { Availability } from '../availability.ts';
import type { Log } from '../log.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStore, MoveRecovery } from './blob-store.ts';
import type { SharedVariants } from './cache/shared-variants.ts';
import type { RetentionStore } from './retention-store.ts';
import type { UsageCounter } from './usage-counter.ts';

/** A kind of storage together with its settings. */
export interface Backend {
  /** Name in the output of `--check-config=deep`. */
  name: string;
  /** Checks the settings against the storage. Returns a sentence about it; an error says what is wrong. */
  check?(): Promise<string>;
  /** Prepares the storage. @throws an error that says what is wrong with the settings or with the storage they name */
  open(context: BackendContext): Promise<OpenBackend>;
}

/** Parts of the service that a backend may need. */
export interface BackendContext {
  /** A folder for temporary files, on the file system of the data folder. */
  temp: string;
  log: Log;
  /**
   * Counts the shared variants, for a backend that has such variants. Only the service passes one: a command opens no
   * shared variants, and leaves the background work of a start to the service.
   */
  usageCounter?: UsageCounter;
}

/** A small text that all nodes of a storage share. */
export interface SharedText {
  /** Returns undefined while there is none. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

/** A file or folder that is not served because of its name. */
export interface UnreachableName {
  /** As stored, with its parent folders. */
  name: string;
  /** The path that it would have, which belongs to another file or folder, whose name is in NFC. */
  hiddenBy: StoragePath | undefined;
}

/** An opened storage. */
export interface OpenBackend {
  /** The originals. */
  store: BlobStore & MoveRecovery;
  /** Bytes that are no longer served: replaced versions, and the trash. */
  retention: RetentionStore;
  /** Variants that every node of this storage finds. Without it each node has only its own. */
  sharedVariants?: SharedVariants | undefined;
  /** Returns a text beside the originals, for a storage that several nodes may share. */
  sharedText?(name: string): SharedText;
  /** Set by a storage that can become unreachable. */
  availability?: Availability;
  /** Finds originals under names that no path leads to, written by other programs. */
  unreachable?(): AsyncIterable<UnreachableName>;
  close(): Promise<void>;
}
