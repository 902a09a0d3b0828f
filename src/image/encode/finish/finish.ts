import { open } from 'node:fs/promises';
import type { ImageFormat } from '../../step.ts';
import { editsOf } from './edits.ts';
import { applyEdits } from './file-edit.ts';

/** Read at once to find the place of the block: a file of our encoders begins with all that matters for it. */
const HEAD_BYTES = 16_384;

/**
 * Puts the rights into a finished file of our encoders, in place and in constant memory, and takes out what it still says of its
 * original. A GIF has no place for rights.
 * @param block an EXIF block with the rights, if there are any
 * @returns by how many bytes it grew
 */
export async function finishFile(file: string, format: ImageFormat, block: Buffer | undefined): Promise<number> {
  if (!block && format !== 'png') return 0;
  await using handle = await open(file, 'r+');
  const { size } = await handle.stat();
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const edits = editsOf(buffer.subarray(0, bytesRead), size, format, block);
  return await applyEdits(handle, size, edits);
}
