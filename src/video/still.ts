import { productOf } from './product.ts';
import type { Transcode, VideoSettings } from './transcode.ts';

/** Target of a still image that a job has drawn. */
export interface StillOrder {
  /** Local files; the input is a PNG. */
  input: string;
  output: string;
  format: 'jpeg' | 'webp' | 'png' | 'avif';
  /** 1 to 100, on the scale of images. */
  quality: number;
  signal: AbortSignal | undefined;
}

export interface StillSettings extends VideoSettings {
  /**
   * Encodes an image with the settings of requested images.
   * @throws ImpossibleTranscode when it exceeds a limit of images
   */
  encodeStill(order: StillOrder): Promise<void>;
}

const DEFAULT_QUALITY = 75;

/** Encodes an image drawn by a job into the requested format. @throws what `settings.encodeStill` throws */
export async function encodeStill(
  settings: StillSettings,
  { output, options, signal }: Transcode,
  png: string,
): Promise<void> {
  const { format } = productOf(options);
  if (format !== 'jpeg' && format !== 'webp' && format !== 'png' && format !== 'avif') {
    throw new TypeError(`Expected the format of a still image, received ${format}.`);
  }
  const { quality = DEFAULT_QUALITY } = options;
  await settings.encodeStill({ input: png, output, format, quality, signal });
}
