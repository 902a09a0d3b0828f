import { flag } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';
import { isStream } from './audio.ts';

export const loudness = defineStep({
  name: 'loudness',
  key: 'ln',
  syntax: flag(),
  default: false,
  isLate: () => true,
  idle: ({ audio, format }) => audio === 'none' || isStream(format),
  reference: {
    summary:
      'With `true` the sound is as loud as on the radio: -16 LUFS by EBU R128, with peaks of at most -1.5 dBTP. On streams it means nothing.',
    examples: ['w_640,ln_true'],
  },
});
