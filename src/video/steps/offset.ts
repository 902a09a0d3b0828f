import { seconds } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const startOffset = defineStep({
  name: 'startOffset',
  key: 'so',
  syntax: seconds(),
  // From 0 to the end is the whole video. A single frame at 0 is what its absence means too.
  idle: ({ startOffset, endOffset }) => startOffset === 0 && endOffset === undefined,
  reference: {
    summary: 'Where the result begins, in seconds; with an image format and no `eo`, the time of the frame.',
    examples: ['so_1.5,eo_3', 'so_2,f_jpeg'],
  },
  // Before `-i`: ffmpeg jumps to the key frame before and drops what it decodes until the very time.
  input: (_value, { start }) => (start > 0 ? ['-ss', String(start)] : []),
});

export const endOffset = defineStep({
  name: 'endOffset',
  key: 'eo',
  syntax: seconds(),
  reference: {
    summary: 'Where the result ends, in seconds of the source, exclusive. Needs `so`, and lies after it.',
    examples: ['so_1,eo_2.5'],
  },
  output: (value, { start }) => (value === undefined ? [] : ['-t', (value - start).toFixed(3)]),
});
