import { integer } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

/** Times in files are rounded, in Matroska to a millisecond. */
const ROUNDING = 0.001;

export const frameRate = defineStep({
  name: 'frameRate',
  key: 'fps',
  syntax: integer(1, 60),
  isLate: () => true,
  reference: {
    summary:
      'At most so many frames a second. Of the frames that are too many, some are left out; the others keep their times. None are added.',
    examples: ['w_640,fps_25'],
  },
  // The first frame of each slot of time stays. Renditions have a bound of their own.
  filters: (_value, { mostFrames }) => (mostFrames === undefined ? [] : [`select='${keepsFirst(mostFrames)}'`]),
});

function keepsFirst(rate: number): string {
  const slot = (time: string) => `floor((${time}+${ROUNDING})*${rate})`;
  return `isnan(prev_selected_t)+gt(${slot('t')}\\,${slot('prev_selected_t')})`;
}
