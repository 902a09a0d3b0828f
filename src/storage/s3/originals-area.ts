import { KeyedLock } from '../../concurrency.ts';
import { areOnOneBranch, type StoragePath } from '../../path.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { S3Folders } from './folders.ts';
import { createKeys, type Keys } from './keys.ts';

/** Prefix of the keys of all files: `originals/a/b.jpg`. A folder is an empty object, `originals/a/`. */
const FOLDER = 'originals/';

/** Parts shared by everything that changes the originals of a bucket. */
export interface OriginalsArea {
  keys: Keys;
  folders: S3Folders;
  /** Serializes changes of this process whose paths touch. */
  changes: KeyedLock<StoragePath>;
}

export function createOriginalsArea(bucket: Bucket, conditions: Conditions): OriginalsArea {
  const keys = createKeys(bucket.prefix + FOLDER);
  const changes = new KeyedLock(areOnOneBranch);
  return { keys, folders: new S3Folders(bucket, keys, conditions), changes };
}
