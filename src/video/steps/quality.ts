import type { Syntax } from '../../transformation/param.ts';
import { integer } from '../../transformation/syntax.ts';
import { defineStep, type VideoCodec } from '../step.ts';

const DEFAULT_QUALITY = 75;

const CRF_POINTS: readonly CrfPoint[] = [
  // Below 10 the last slope continues.
  { quality: 1, h264: 47.25, vp9: 63, av1: 63, h265: 51 },
  { quality: 10, h264: 45, vp9: 63, av1: 63, h265: 50.5 },
  { quality: 50, h264: 35, vp9: 57, av1: 63, h265: 40 },
  { quality: 75, h264: 28, vp9: 40, av1: 57, h265: 32 },
  { quality: 85, h264: 23, vp9: 28, av1: 43, h265: 26.6 },
  { quality: 100, h264: 18, vp9: 16, av1: 29, h265: 20.2 },
];

const WHOLE: readonly VideoCodec[] = ['vp9', 'av1'];

const percentOrAuto: Syntax<number> = {
  parse: (text, limits) => (text === 'auto' ? { value: DEFAULT_QUALITY } : integer(1, 100).parse(text, limits)),
  format: String,
  forms: `${integer(1, 100).forms}, or \`auto\` (the default)`,
  shape: (rules) => ({ ...integer(1, 100).shape(rules), auto: true }),
};

export const quality = defineStep({
  name: 'quality',
  key: 'q',
  syntax: percentOrAuto,
  default: DEFAULT_QUALITY,
  reference: {
    summary:
      'Quality from 1 (smallest) to 100 (best). Alone, also as `q_auto`, it requests a transcode at the size of the source.',
    examples: ['w_320,q_40', 'q_auto'],
  },
  output(value = DEFAULT_QUALITY, { codec }) {
    return ['-crf', crfOf(value, codec)];
  },
});

/**
 * Returns the constant rate factor of a quality: linear between the points, rounded if the encoder takes whole numbers
 * only.
 */
export function crfOf(quality: number, codec: VideoCodec): string {
  const above = Math.max(
    1,
    CRF_POINTS.findIndex((point) => point.quality >= quality),
  );
  const low = CRF_POINTS[above - 1] as CrfPoint;
  const high = CRF_POINTS[above] as CrfPoint;
  const share = (quality - low.quality) / (high.quality - low.quality);
  const steps = WHOLE.includes(codec) ? 1 : 100;
  return String(Math.round((low[codec] + share * (high[codec] - low[codec])) * steps) / steps);
}

/**
 * H.264 as specified. The others were measured on small clips: the same SSIM at the speed used here, up to the end of
 * their scale.
 */
interface CrfPoint extends Record<VideoCodec, number> {
  quality: number;
}
