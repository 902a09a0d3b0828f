import { flag, oneOf } from '../../transformation/syntax.ts';
import { audioArguments } from '../ffmpeg/audio.ts';
import { defineStep } from '../step.ts';
import { endOffset, startOffset } from './time.ts';

/** True for formats of streams, whose audio is a separate file. */
export const isStream = (format: unknown) => ['cmaf', 'm3u8', 'hls', 'dash'].includes(String(format));

export const audio = defineStep({
  name: 'audio',
  key: 'au',
  syntax: oneOf(['none', 'aac', 'opus', 'mp3']),
  isLate: () => true,
  idle: ({ audio, format }) => audio !== 'none' && !isStream(format),
  reference: {
    summary:
      '`none` removes the audio. `aac` (in M4A), `opus` (in Ogg) and `mp3` return [the audio alone](video.md#audio-alone), also of stored audio files; only `so`, `eo` and `ln` can be combined with them. With `f_cmaf` or `f_m3u8`, `aac` is the audio of a [stream](streaming.md).',
    examples: ['w_640,au_none', 'au_mp3', 'so_2,eo_8,au_opus,ln_true', 'f_cmaf,au_aac', 'f_hls,au_none'],
  },
  output: (_value, { audio, audioFilters, format }) =>
    audio
      ? ['-map', `0:${audio.index}`, ...audioArguments(format === 'webm' ? 'opus' : 'aac', audio, audioFilters)]
      : [],
});

export const loudness = defineStep({
  name: 'loudness',
  key: 'ln',
  syntax: flag(),
  default: false,
  isLate: () => true,
  idle: ({ audio, format }) => audio === 'none' || isStream(format),
  reference: {
    summary:
      'With `true`, adjusts the loudness to -16 LUFS by EBU R128, with peaks of at most -1.5 dBTP. Streams ignore it.',
    examples: ['w_640,ln_true'],
  },
});

/** Parameters of audio files, in the order of the canonical text. */
export const audioSteps = [
  startOffset,
  endOffset,
  defineStep({ ...audio, idle: () => false }),
  defineStep({ ...loudness, idle: () => false }),
] as const;
