import { productOf } from './product.ts';
import type { Transcode, VideoSettings } from './transcode.ts';

/** What a still picture that a job makes is to become. */
export interface StillOrder {
  /** A PNG, and where the result goes: local files. */
  input: string;
  output: string;
  format: 'jpeg' | 'webp' | 'png' | 'avif';
  /** Of the scale for pictures, 1 to 100. */
  quality: number;
  signal: AbortSignal | undefined;
}

export interface StillSettings extends VideoSettings {
  /**
   * Encodes a picture as those are encoded that requests ask for.
   * @throws ImpossibleTranscode when it is over a limit of pictures
   */
  encodeStill(order: StillOrder): Promise<void>;
}

const DEFAULT_QUALITY = 75;

/** Encodes what a job has drawn into the format that it was asked for in. @throws what `encodeStill` of the settings throws */
export async function encodeStill(
  settings: StillSettings,
  { output, options, signal }: Transcode,
  png: string,
): Promise<void> {
  const { format } = productOf(options);
  if (format !== 'jpeg' && format !== 'webp' && format !== 'png' && format !== 'avif') {
    throw new TypeError(`Expected the format of a still picture, received ${format}.`);
  }
  const { quality = DEFAULT_QUALITY } = options;
  await settings.encodeStill({ input: png, output, format, quality, signal });
}
