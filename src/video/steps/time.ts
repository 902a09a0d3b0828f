import { integer, seconds } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const startOffset = defineStep({
  name: 'startOffset',
  key: 'so',
  syntax: seconds(),
  // From 0 to the end is the entire video. A single frame at 0 is the default too.
  idle: ({ startOffset, endOffset }) => startOffset === 0 && endOffset === undefined,
  reference: {
    summary: 'Start of the result, in seconds; with an image format and no `eo`, the time of the frame.',
    examples: ['so_1.5,eo_3', 'so_2,f_jpeg'],
  },
  // Before `-i`: ffmpeg seeks to the previous key frame and drops decoded frames before the time.
  input: (_value, { start }) => (start > 0 ? ['-ss', String(start)] : []),
});

export const endOffset = defineStep({
  name: 'endOffset',
  key: 'eo',
  syntax: seconds(),
  reference: {
    summary: 'End of the result, in seconds of the source, exclusive. Needs `so`, and lies after it.',
    examples: ['so_1,eo_2.5'],
  },
  output: (value, { start }) => (value === undefined ? [] : ['-t', (value - start).toFixed(3)]),
});

/** Files round times; Matroska to a millisecond. */
const ROUNDING = 0.001;

export const frameRate = defineStep({
  name: 'frameRate',
  key: 'fps',
  syntax: integer(1, 60),
  isLate: () => true,
  reference: {
    summary:
      'Maximum number of frames per second. Surplus frames are dropped; the others keep their times. No frames are added.',
    examples: ['w_640,fps_25'],
  },
  // Keep the first frame of each time slot. Renditions have a separate limit.
  filters: (_value, { mostFrames }) => (mostFrames === undefined ? [] : [`select='${keepsFirst(mostFrames)}'`]),
});

function keepsFirst(rate: number): string {
  const slot = (time: string) => `floor((${time}+${ROUNDING})*${rate})`;
  return `isnan(prev_selected_t)+gt(${slot('t')}\\,${slot('prev_selected_t')})`;
}
