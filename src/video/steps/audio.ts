import { oneOf } from '../../transformation/syntax.ts';
import { defineStep } from '../step.ts';

export const audio = defineStep({
  name: 'audio',
  key: 'au',
  syntax: oneOf(['none', 'aac']),
  isLate: () => true,
  idle: ({ format }) => !['cmaf', 'm3u8', 'hls', 'dash'].includes(String(format)),
  reference: {
    summary:
      'The sound of [streams](streaming.md): `au_aac` beside `f_cmaf` or `f_m3u8` is the sound alone, `au_none` beside `f_hls` or `f_dash` leaves it out.',
    examples: ['f_cmaf,au_aac', 'f_hls,au_none'],
  },
});
