import { join } from '../paths.ts';

/** Retry state of an upload. */
export interface Tries {
  /** Attempts without progress. */
  tries: number;
  /** Most bytes sent in any attempt. */
  reached: number;
  /** Bytes sent in the last attempt. */
  sent: number;
}

/** Handling of a name that is taken. */
export type Existing = 'keep both' | 'skip' | 'replace';

export type UploadState = 'waiting' | 'sending' | 'done' | 'skipped' | 'failed' | 'cancelled';

/** A file in the upload queue. */
export interface Upload extends Tries {
  readonly id: number;
  readonly file: File;
  /** Destination; empty for the root. */
  readonly folder: string;
  /** Name in the folder, including subfolders. */
  readonly name: string;
  /** True to replace an existing file. */
  readonly replaces: boolean;
  /** Uploads that were begun together have the same number. */
  batch: number;
  /** Variants to prepare on arrival. */
  readonly transformations?: readonly string[];
  state: UploadState;
  /** Reason of a failure, or why the file was left out. */
  error?: string;
  /** True if a retry cannot help. */
  isHopeless?: boolean;
  /** Name and MIME type with which the file would be accepted. */
  suggestion?: Suggestion;
  /** Partial failure: a variant could not be prepared. */
  warning?: string;
  /** Why the stored file cannot be decoded, once the service knows. */
  problem?: string;
  /** Path of the stored file, if the service has named it. */
  path?: string;
  /** Ids of the versions of the file that it replaces, from before the first attempt; null if they are not known. */
  versionsBefore?: ReadonlySet<string> | null;
  /** Id of the version that has the content from before the replacement. */
  earlier?: string;
}

export interface Suggestion {
  /** In the folder, including subfolders. */
  name: string;
  type: string;
}

/** Requested path of an upload. That of the stored file may differ. */
export const pathOf = ({ folder, name }: Pick<Upload, 'folder' | 'name'>): string => join(folder, name);

export const isUnfinished = ({ state }: Pick<Upload, 'state'>): boolean => state === 'waiting' || state === 'sending';

/** Index of the first unfinished upload from `start` on; the length if there is none. */
export function firstUnfinished(uploads: readonly Upload[], start: number): number {
  for (let at = start; at < uploads.length; at++) {
    const upload = uploads[at];
    if (upload && isUnfinished(upload)) return at;
  }
  return uploads.length;
}

/** True for a file that has arrived and can be shown. */
export const isFine = ({ state, warning, problem }: Upload): boolean =>
  state === 'done' && warning === undefined && problem === undefined;
