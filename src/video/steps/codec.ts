import { oneOf } from '../../transformation/syntax.ts';
import { CODECS, defaultCodec } from '../ffmpeg/codecs.ts';
import { defineStep, type VideoFormat } from '../step.ts';

export const codec = defineStep({
  name: 'codec',
  key: 'vc',
  syntax: oneOf(['h264', 'vp9', 'av1', 'h265'], { hevc: 'h265' }),
  isLate: () => true,
  idle: ({ codec, format = 'mp4' }) => codec === defaultCodec(format as VideoFormat),
  reference: {
    summary:
      'Video codec: `h264` in `mp4` and `mov`, where it is the default; `vp9` in `webm`, where it is the default; `av1` in `mp4` and `webm`; `h265` in `mp4` and `mov`. At the same `q`, all of them look alike ([comparison](video.md#codecs)).',
    examples: ['w_640,vc_av1', 'vc_h265,q_60'],
  },
  output: (_value, plan) => ['-c:v', CODECS[plan.codec].encoder, ...CODECS[plan.codec].settings(plan)],
});
