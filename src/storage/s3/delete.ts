import { hash } from 'node:crypto';
import { DeleteObjectCommand, DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { StorageUnavailable } from '../blob-store.ts';
import { inParallel } from '../in-parallel.ts';
import type { Bucket } from './bucket.ts';
import { isMissing, isRefused } from './errors.ts';
import type { Conditions } from './start.ts';
import { hasEtag } from './stat.ts';

/** One version of an object. */
export interface ObjectVersion {
  key: string;
  etag: string;
}

export interface DeleteOptions<T> {
  /** Whether the store is asked to delete no other version than these; one that does not know the condition deletes any. */
  isConditional?: boolean;
  /** Told of those that are gone, also when others fail. */
  onDeleted?(batch: readonly T[]): void;
}

const BATCH = 1000;
const BATCHES_AT_ONCE = 4;

/** What XML cannot hold. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be found
const NOT_IN_XML = /[\u0000-\u001f\ufffe\uffff]/;

/** What a store says of an object that is another version, and of one that changes in this moment. */
const REFUSALS: readonly (string | undefined)[] = ['PreconditionFailed', 'ConditionalRequestConflict'];

/** Deletes objects in batches, some at a time. */
export async function deleteObjects<T extends ObjectVersion>(
  bucket: Bucket,
  objects: AsyncIterable<T>,
  { isConditional = false, onDeleted }: DeleteOptions<T> = {},
): Promise<void> {
  await inParallel(batches(objects), BATCHES_AT_ONCE, async (batch) => {
    const deleted = await deleteBatch(bucket, batch, isConditional);
    onDeleted?.(deleted);
  });
}

/** At most a thousand; those that are gone. */
export async function deleteBatch<T extends ObjectVersion>(
  bucket: Bucket,
  batch: readonly T[],
  isConditional: boolean,
): Promise<T[]> {
  const kept = new Set<string | undefined>();
  const plain = batch.filter(({ key }) => !NOT_IN_XML.test(key));
  if (plain.length > 0) {
    const Objects = plain.map(({ key: Key, etag }) => ({ Key, ...(isConditional && { ETag: `"${etag}"` }) }));
    const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Quiet: true, Objects } });
    const { Errors = [] } = await bucket.request((s3, options) => s3.send(command, options), { patience: 3 });
    for (const { Code, Key } of Errors) if (REFUSALS.includes(Code)) kept.add(Key);
    const failures = Errors.filter(({ Code }) => !REFUSALS.includes(Code) && Code !== 'NoSuchKey');
    const [failure] = failures;
    if (failure) {
      const reason = failure.Code ?? 'no reason given';
      throw new StorageUnavailable(`${failures.length} objects could not be deleted (${reason}).`);
    }
  }
  for (const { key, etag } of batch.filter(({ key }) => NOT_IN_XML.test(key))) {
    if (!(await deleteObject(bucket, key, isConditional ? etag : undefined))) kept.add(key);
  }
  return batch.filter(({ key }) => !kept.has(key));
}

/** Deletes an object in this version. What another machine has put in its place stays, as far as the store heeds that; others
 * are asked a moment before. */
export async function deleteVersion(
  bucket: Bucket,
  { key, etag }: ObjectVersion,
  { hasDeleteConditions }: Conditions,
): Promise<void> {
  if (hasDeleteConditions) await deleteObject(bucket, key, etag);
  else if (await hasEtag(bucket, key, etag)) await deleteObject(bucket, key);
}

/** False when it is another version than this; without one, every version goes. */
export async function deleteObject(bucket: Bucket, key: string, etag?: string): Promise<boolean> {
  const condition = etag !== undefined && { IfMatch: `"${etag}"` };
  const command = new DeleteObjectCommand({ Bucket: bucket.name, Key: key, ...condition });
  try {
    await bucket.request((s3, options) => s3.send(command, options));
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    if (isRefused(error)) return false;
    throw error;
  }
}

/** Versions of objects, as many as a bucket may hold: of each, only a few bytes are kept. */
export class Versions {
  readonly #known = new Set<string>();

  add(version: ObjectVersion): void {
    this.#known.add(nameOf(version));
  }

  /** Those of the objects that are there in one of the versions. */
  async *of<T extends ObjectVersion>(objects: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const object of objects) if (this.#known.has(nameOf(object))) yield object;
  }
}

function nameOf({ key, etag }: ObjectVersion): string {
  return hash('sha256', `${etag} ${key}`, 'base64url').slice(0, 16);
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
