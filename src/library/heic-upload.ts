import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { badRequest } from '../errors.ts';
import type { InputLimits } from '../image/input.ts';
import { mediaTypeOf } from '../media.ts';
import { parsePath, type StoragePath, splitName } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';

export interface Converting {
  pool: RenderPool;
  limits: InputLimits;
  temp: string;
  /** Aborts when the client leaves. */
  signal?: AbortSignal | undefined;
}

/**
 * The form in which an uploaded picture is kept. A HEIC or HEIF, which browsers do not show, becomes a JPEG of the same name;
 * any other picture stays as it is.
 * @throws HttpProblem 400 when the picture cannot be decoded or is too large
 */
export async function keptForm(
  { pool, limits, temp, signal }: Converting,
  file: string,
  path: StoragePath,
): Promise<{ file: string; path: StoragePath }> {
  if (!['image/heic', 'image/heif'].includes(mediaTypeOf(path).mime)) return { file, path };
  const output = join(temp, randomUUID());
  try {
    const result = await pool.runUncharged('convertHeic', { input: file, output, limits }, signal);
    if (result.outcome !== 'converted')
      throw badRequest(`The HEIC picture cannot be converted: ${result.reason}`, 'undecodable_picture');
    return { file: output, path: parsePath(`${splitName(path).stem}.jpg`) };
  } catch (error) {
    // A worker that was killed may have begun it.
    await rm(output, { force: true });
    throw error;
  }
}
