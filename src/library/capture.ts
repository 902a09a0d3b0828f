import type { CaptureDetail } from '../image/analysis/capture-detail.ts';
import type { InputLimits } from '../image/input.ts';
import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Originals } from '../storage/originals.ts';

export interface Capturing {
  originals: Originals;
  pool: Pick<RenderPool, 'runUncharged'>;
  limits: InputLimits;
}

/**
 * Reads the capture time, location and camera from an image; undefined for other and unreadable files.
 * @throws HttpProblem 503 when rendering is overloaded; BlobNotFound
 */
export async function captureOf(
  { originals, pool, limits }: Capturing,
  path: StoragePath,
  signal: AbortSignal | undefined,
): Promise<CaptureDetail | undefined> {
  if (mediaTypeOf(path).kind !== 'image') return undefined;
  const read = (input: string) => pool.runUncharged('readCapture', { input, limits }, signal);
  const result = await originals.store.withLocalFile(path, read, signal);
  return result.outcome === 'read' ? result.detail : undefined;
}
