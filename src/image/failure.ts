import { UndecodableImage } from '@darkroom/image-files/undecodable-image';
import type { StoragePath } from '../path.ts';

/** An image that is to be laid over another cannot be decoded. */
export class UndecodableLayer extends Error {
  override name = 'UndecodableLayer';
}

/** The image is larger than a limit of the service. The message names the limit and its setting. */
export class LimitExceeded extends Error {
  override name = 'LimitExceeded';
}

/** The result is too large for its format. Another format may do. */
export class FormatLimitExceeded extends LimitExceeded {
  override name = 'FormatLimitExceeded';
}

/** A detector cannot be started, or broke. The image is not to blame. */
export class FinderUnavailable extends Error {
  override name = 'FinderUnavailable';
}

/** Why an image cannot be rendered. It is a result, not an error of the service. */
export type ImageFailure =
  | { outcome: 'undecodable'; reason: string }
  /** `endless` is the layer whose drawing was aborted, at `megapixels`. */
  | { outcome: 'layer undecodable'; reason: string; endless?: StoragePath; megapixels?: number | undefined }
  /** Another try would end the same way and take as long. Without `megapixels` opening was aborted. */
  | { outcome: 'endless drawing'; reason: string; megapixels?: number | undefined }
  | { outcome: 'limit exceeded'; reason: string }
  | { outcome: 'format limit exceeded'; reason: string };

/** Runs work on an image; errors that the image causes become a result. */
export async function resultOf<T>(work: () => Promise<T>): Promise<T | ImageFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UndecodableImage) return { outcome: 'undecodable', reason: error.message };
    if (error instanceof UndecodableLayer) return { outcome: 'layer undecodable', reason: error.message };
    if (error instanceof FormatLimitExceeded) return { outcome: 'format limit exceeded', reason: error.message };
    if (error instanceof LimitExceeded) return { outcome: 'limit exceeded', reason: error.message };
    throw error;
  }
}

/**
 * A full disk is not the image's fault. Node's errors name the system call, those of libvips contain `system error:`.
 */
export function isOfTheSystem(cause: unknown): boolean {
  return cause instanceof Error && ('syscall' in cause || cause.message.includes('system error:'));
}
