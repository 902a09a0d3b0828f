import { makeAudio, makeAudioRendition } from './audio.ts';
import type { Ffmpeg } from './ffmpeg/run.ts';
import { makePreview } from './preview.ts';
import { type Product, productOf } from './product.ts';
import type { StillSettings } from './still.ts';
import { makeStoryboard } from './storyboard.ts';
import { type Transcode, transcode } from './transcode.ts';
import { makeWaveform } from './waveform.ts';

type Make = (tools: Ffmpeg, settings: StillSettings, job: Transcode) => Promise<void>;

const MAKERS: Readonly<Record<Product['kind'], Make>> = {
  video: transcode,
  'audio rendition': makeAudioRendition,
  preview: makePreview,
  storyboard: makeStoryboard,
  waveform: makeWaveform,
  sound: makeAudio,
};

/** Makes the requested product and writes it to the output. @throws what `transcode` throws */
export function makeProduct(tools: Ffmpeg, settings: StillSettings, job: Transcode): Promise<void> {
  return MAKERS[productOf(job.options).kind](tools, settings, job);
}
