import type { FileHandle } from 'node:fs/promises';

/** Bytes that take the place of `cut` others, at an offset of the file as it was. A file never gets shorter before its end. */
export interface Edit {
  at: number;
  cut: number;
  bytes: Buffer;
}

const CHUNK_BYTES = 1 << 20;

/**
 * Edits a file in place, in constant memory.
 * @param size of the file in bytes
 * @param edits in the order of their places
 * @returns by how many bytes it grew
 */
export async function applyEdits(handle: FileHandle, size: number, edits: readonly Edit[]): Promise<number> {
  let shift = growthOf(edits);
  let end = size;
  // From the end, so that no byte is overwritten before it is moved.
  for (const { at, cut, bytes } of edits.toReversed()) {
    await move(handle, at + cut, end, shift);
    shift -= bytes.length - cut;
    await writeAll(handle, bytes, at + shift);
    end = at;
  }
  return growthOf(edits);
}

function growthOf(edits: readonly Edit[]): number {
  return edits.reduce((sum, { cut, bytes }) => sum + bytes.length - cut, 0);
}

/** Moves bytes towards the end of a file. */
async function move(handle: FileHandle, start: number, end: number, by: number): Promise<void> {
  if (by === 0) return;
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - start));
  for (let to = end; to > start; ) {
    const from = Math.max(start, to - CHUNK_BYTES);
    await handle.read(chunk, 0, to - from, from);
    await writeAll(handle, chunk.subarray(0, to - from), from + by);
    to = from;
  }
}

/** A write may take a part only, such as the last one that fits on the disk. */
async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}
