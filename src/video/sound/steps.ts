import type { OptionsOf } from '../../transformation/param.ts';
import { defineStep } from '../step.ts';
import { audio } from '../steps/audio.ts';
import { loudness } from '../steps/loudness.ts';
import { endOffset, startOffset } from '../steps/offset.ts';

/** The parameters of sound alone, in the order of its canonical text. */
export const soundSteps = [
  startOffset,
  endOffset,
  defineStep({ ...audio, idle: () => false }),
  defineStep({ ...loudness, idle: () => false }),
] as const;

export type SoundOptions = OptionsOf<typeof soundSteps>;
