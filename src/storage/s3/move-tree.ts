import { mediaTypeOf } from '../../media.ts';
import { inParallel } from '../in-parallel.ts';
import type { Bucket, Conditions } from './bucket.ts';
import { copyObject } from './copy.ts';
import { deleteObjects, Versions } from './delete.ts';
import { requireShortKey } from './keys.ts';
import { listObjects } from './list.ts';

const COPY_CONCURRENCY = 32;

/**
 * Copies every object with the prefix `old` to the prefix `fresh`, then removes the old objects. A failure leaves these
 * whole. Objects that other nodes add to either prefix meanwhile stay: only the versions that were copied are removed,
 * or the copies.
 */
export async function moveTree(bucket: Bucket, old: string, fresh: string, conditions: Conditions): Promise<void> {
  const copied = new Versions();
  const copies = new Versions();
  try {
    await inParallel(listObjects(bucket, old), COPY_CONCURRENCY, async (object) => {
      const copy = { ...object, key: requireShortKey(fresh + object.key.slice(old.length)) };
      // If the response is lost, the copy usually has the same ETag.
      copies.add(copy);
      const { mime: contentType } = mediaTypeOf(object.key);
      copies.add({ ...copy, etag: await copyObject(bucket, object, copy.key, { contentType }) });
      copied.add(object);
    });
  } catch (error) {
    await deleteOf(bucket, fresh, copies, conditions).catch(() => undefined);
    throw error;
  }
  await deleteOf(bucket, old, copied, conditions);
}

/**
 * Deletes the objects that have one of these versions in a listing, and in the store where it honours the condition.
 */
function deleteOf(bucket: Bucket, prefix: string, versions: Versions, { hasDeleteConditions }: Conditions) {
  const objects = versions.of(listObjects(bucket, prefix));
  return deleteObjects(bucket, objects, { isConditional: hasDeleteConditions });
}
