import type { Ffmpeg } from './ffmpeg/run.ts';
import { makePreview } from './preview/preview.ts';
import { type Product, productOf } from './product.ts';
import { makeSoundRung } from './streaming/sound-rung.ts';
import { type Transcode, transcode, type VideoSettings } from './transcode.ts';

type Make = (tools: Ffmpeg, settings: VideoSettings, job: Transcode) => Promise<void>;

const MAKERS: Readonly<Record<Product['kind'], Make>> = {
  video: transcode,
  'sound rung': makeSoundRung,
  preview: makePreview,
};

/**
 * Makes what the options ask for and writes it into the output.
 * @throws what `transcode` throws
 */
export function makeProduct(tools: Ffmpeg, settings: VideoSettings, job: Transcode): Promise<void> {
  return MAKERS[productOf(job.options).kind](tools, settings, job);
}
