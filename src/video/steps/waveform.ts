import type { OptionsOf } from '../../transformation/param.ts';
import { pixelRatio } from '../../transformation/pixel-ratio.ts';
import { type Colour, colour, flag, oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';
import { quality } from './quality.ts';
import { height, width } from './size.ts';
import { endOffset, startOffset } from './time.ts';

export const WAVEFORM_SIZE = { width: 800, height: 200 };
export const WAVEFORM_COLOUR: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };
export const WAVEFORM_BACKGROUND: Colour = { red: 0, green: 0, blue: 0, alpha: 0 };

/** Requests a waveform. On a transcode it has no effect. */
export const waveform = defineStep({
  name: 'waveform',
  key: 'wf',
  syntax: flag(),
  default: false,
  isLate: () => true,
  idle: () => true,
  reference: {
    summary: `With \`true\`, returns an image of the audio instead of a video: its peaks over time, \`w\` x \`h\` pixels (default ${WAVEFORM_SIZE.width} x ${WAVEFORM_SIZE.height}), in the colour \`co\` on \`b\` (default transparent, white in JPEG). PNG, unless \`f\` names \`webp\`, \`jpeg\` or \`avif\`. Also for stored audio files ([more](previews-and-storyboards.md#waveforms)).`,
    examples: ['wf_true', 'wf_true,w_1200,h_120,co_336699', 'so_10,eo_20,wf_true,b_white,f_webp'],
  },
});

/** Has an effect on waveforms only. */
export const waveformColour = defineStep({
  name: 'colour',
  key: 'co',
  syntax: colour(),
  default: WAVEFORM_COLOUR,
  isLate: () => true,
  idle: () => true,
  reference: { summary: 'Colour of a waveform. Default black.', examples: ['wf_true,co_white,b_336699'] },
});

const format = defineStep({
  name: 'format',
  key: 'f',
  syntax: oneOf(['png', 'webp', 'jpeg', 'avif'], { jpg: 'jpeg', auto: 'png' }),
  default: 'png',
  reference: { summary: 'Format of the image.', examples: [] },
});

/** Parameters of a waveform, in the order of the canonical text. */
export const waveformSteps = [
  startOffset,
  endOffset,
  defineStep({ ...width, default: WAVEFORM_SIZE.width }),
  defineStep({ ...height, default: WAVEFORM_SIZE.height }),
  pixelRatio,
  defineStep({
    name: 'background',
    key: 'b',
    aliases: ['bg'],
    syntax: colour(),
    default: WAVEFORM_BACKGROUND,
    reference: { summary: 'Colour behind the waveform.', examples: [] },
  }),
  defineStep({ ...waveformColour, idle: () => false }),
  defineStep({ ...waveform, idle: () => false }),
  // PNG is lossless.
  defineStep({ ...quality, idle: ({ format = 'png' }) => format === 'png' }),
  format,
] as const;

export type WaveformOptions = OptionsOf<typeof waveformSteps>;
