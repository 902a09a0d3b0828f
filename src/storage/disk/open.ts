import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { hasCode } from '../../errors.ts';
import type { StoragePath } from '../../path.ts';
import { type ByteStream, missing, type OpenOptions } from '../blob-store.ts';
import { streamFile } from '../stream-file.ts';
import { isMissing, resolveInside, toBlobStat } from './resolve.ts';

/** Opens a stored file, as `BlobStore.open`. */
export async function openStored(
  root: string,
  path: StoragePath,
  { range, etag, signal }: OpenOptions,
): Promise<ByteStream> {
  signal?.throwIfAborted();
  // Checked here because a stream that refuses its range never closes the file.
  if (range !== undefined && range.start > range.end) throw new RangeError('A range ends before it starts.');
  const real = await resolveInside(root, path);
  if (real === undefined) throw missing(path);
  // Non-blocking, because opening a named pipe would wait for its writer.
  const handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause) => {
    throw isMissing(cause) || hasCode(cause, 'ENXIO') ? missing(path, cause) : cause;
  });
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw missing(path);
    if (etag !== undefined && toBlobStat(stats).etag !== etag) throw missing(path);
    signal?.throwIfAborted();
    return streamFile(handle, range, { signal });
  } catch (error) {
    await handle.close();
    throw error;
  }
}
