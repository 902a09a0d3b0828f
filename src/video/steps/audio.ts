import { oneOf } from '../../transformation/syntax.ts';
import { soundArguments } from '../coding/sound.ts';
import { defineStep } from '../step.ts';

/** The sound of a stream is a file of its own. */
export const isStream = (format: unknown) => ['cmaf', 'm3u8', 'hls', 'dash'].includes(String(format));

export const audio = defineStep({
  name: 'audio',
  key: 'au',
  syntax: oneOf(['none', 'aac']),
  isLate: () => true,
  idle: ({ audio, format }) => audio === 'aac' && !isStream(format),
  reference: {
    summary:
      '`none` leaves the sound out. Beside `f_cmaf` or `f_m3u8` of [streams](streaming.md) `aac` is the sound alone.',
    examples: ['w_640,au_none', 'f_cmaf,au_aac', 'f_hls,au_none'],
  },
  output: (_value, { sound, format }) =>
    sound ? ['-map', '0:a:0', ...soundArguments(format === 'webm' ? 'opus' : 'aac', sound.channels)] : [],
});
