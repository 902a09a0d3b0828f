import { hash } from 'node:crypto';
import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { StorageUnavailable } from '../blob-store.ts';
import { batchesOf, inParallel } from '../in-parallel.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { isMissing, isRefused } from './errors.ts';
import { hasEtag } from './stat.ts';

/** One version of an object. */
export interface ObjectVersion {
  key: string;
  etag: string;
}

export interface DeleteOptions<T> {
  /** Requests that only these versions are deleted. A store that does not support the condition deletes any version. */
  isConditional?: boolean;
  /** Called with the deleted objects, also when others fail. */
  onDeleted?(batch: readonly T[]): void;
}

const NAME_BYTES = 12;
const BATCH = 1000;
const BATCH_CONCURRENCY = 4;

/** Characters that XML cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be found
const NOT_IN_XML = /[\u0000-\u001f\ufffe\uffff]/;

/** The store's codes for the failures "it is another version" and "it is being changed". */
const REFUSALS: readonly (string | undefined)[] = ['PreconditionFailed', 'ConditionalRequestConflict'];

/** Deletes objects in batches, some concurrently. */
export async function deleteObjects<T extends ObjectVersion>(
  bucket: Bucket,
  objects: AsyncIterable<T>,
  { isConditional = false, onDeleted }: DeleteOptions<T> = {},
): Promise<void> {
  await inParallel(batchesOf(objects, BATCH), BATCH_CONCURRENCY, async (batch) => {
    const deleted = await deleteBatch(bucket, batch, isConditional);
    onDeleted?.(deleted);
  });
}

/** Deletes at most 1000 objects. Returns the deleted ones. */
export async function deleteBatch<T extends ObjectVersion>(
  bucket: Bucket,
  batch: readonly T[],
  isConditional: boolean,
): Promise<T[]> {
  const retained = new Set<string | undefined>();
  const plain = batch.filter(({ key }) => !NOT_IN_XML.test(key));
  if (plain.length > 0) {
    const Objects = plain.map(({ key: Key, etag }) => ({ Key, ...(isConditional && { ETag: `"${etag}"` }) }));
    const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Quiet: true, Objects } });
    const { Errors = [] } = await bucket.request(command, { timeoutFactor: 3 });
    for (const { Code, Key } of Errors) if (REFUSALS.includes(Code)) retained.add(Key);
    const failures = Errors.filter(({ Code }) => !REFUSALS.includes(Code) && Code !== 'NoSuchKey');
    const [failure] = failures;
    if (failure) {
      const reason = failure.Code ?? 'no reason given';
      throw new StorageUnavailable(`${failures.length} objects could not be deleted (${reason}).`);
    }
  }
  for (const { key, etag } of batch.filter(({ key }) => NOT_IN_XML.test(key))) {
    if (!(await deleteObject(bucket, key, isConditional ? etag : undefined))) retained.add(key);
  }
  return batch.filter(({ key }) => !retained.has(key));
}

/**
 * Deletes an object in this version. Another node's newer version stays where the store honours the condition;
 * otherwise the version is checked just before.
 */
export async function deleteVersion(
  bucket: Bucket,
  { key, etag }: ObjectVersion,
  { hasDeleteConditions }: Conditions,
): Promise<void> {
  if (hasDeleteConditions) await deleteObject(bucket, key, etag);
  else if (await hasEtag(bucket, key, etag)) await deleteObject(bucket, key);
}

/** Returns false when the object is another version than `etag`. Without an `etag` any version is deleted. */
export async function deleteObject(bucket: Bucket, key: string, etag?: string): Promise<boolean> {
  const condition = etag !== undefined && { IfMatch: `"${etag}"` };
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key, ...condition });
  try {
    await bucket.request(command);
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    if (isRefused(error)) return false;
    throw error;
  }
}

/** A set of versions. Stores only a few bytes for each, so that it can hold those of a whole bucket. */
export class Versions {
  readonly #known = new Set<string>();

  add(version: ObjectVersion): void {
    this.#known.add(nameOf(version));
  }

  /** Yields the objects whose version is in the set. */
  async *of<T extends ObjectVersion>(objects: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const object of objects) if (this.#known.has(nameOf(object))) yield object;
  }
}

function nameOf({ key, etag }: ObjectVersion): string {
  // A part of a longer string would keep that in memory.
  return hash('sha256', `${etag} ${key}`, 'buffer').toString('base64url', 0, NAME_BYTES);
}
