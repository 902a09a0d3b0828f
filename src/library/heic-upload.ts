import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../client.ts';
import type { RenderBudget } from '../delivery/render-budget.ts';
import { badRequest } from '../errors.ts';
import type { InputLimits } from '../image/input.ts';
import { mediaTypeOf } from '../media.ts';
import { parsePath, type StoragePath, splitName } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';

export interface Converting {
  pool: RenderPool;
  budget: RenderBudget;
  limits: InputLimits;
  temp: string;
  /** Aborts when the client disconnects. */
  signal?: AbortSignal | undefined;
}

/** Returns the path at which an uploaded image is stored: that of its JPEG for HEIC and HEIF. */
export function storedPath(path: StoragePath): StoragePath {
  return isHeic(path) ? parsePath(`${splitName(path).stem}.jpg`) : path;
}

function isHeic(path: StoragePath): boolean {
  return ['image/heic', 'image/heif'].includes(mediaTypeOf(path).mime);
}

/**
 * Returns the file and the path with which an uploaded image is stored. HEIC and HEIF, which browsers do not show,
 * become a JPEG of the same name; other images are unchanged.
 * @param client is charged for the conversion
 * @throws HttpProblem 400 when the image cannot be decoded or is too large, 429 and 503 as for a render
 */
export async function storedFormat(
  { pool, budget, limits, temp, signal }: Converting,
  client: Client,
  file: string,
  path: StoragePath,
): Promise<{ file: string; path: StoragePath }> {
  if (!isHeic(path)) return { file, path };
  const output = join(temp, randomUUID());
  try {
    budget.admit(client);
    const claim = budget.claimOf(() => [client]);
    const result = await pool.run('convertHeic', { input: file, output, limits }, signal, claim);
    if (result.outcome !== 'converted')
      throw badRequest(`The HEIC image cannot be converted: ${result.reason}`, 'undecodable_picture');
    return { file: output, path: storedPath(path) };
  } catch (error) {
    // A killed worker may have begun it.
    await rm(output, { force: true });
    throw error;
  }
}
