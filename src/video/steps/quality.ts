import type { Syntax } from '../../transformation/param.ts';
import { integer } from '../../transformation/syntax.ts';
import { defineStep, type VideoFormat } from '../step.ts';

const DEFAULT_QUALITY = 75;

const CRF_POINTS: readonly CrfPoint[] = [
  // Below 10 the last slope goes on.
  { quality: 1, h264: 47.25, vp9: 63 },
  { quality: 10, h264: 45, vp9: 63 },
  { quality: 50, h264: 35, vp9: 57 },
  { quality: 75, h264: 28, vp9: 40 },
  { quality: 85, h264: 23, vp9: 28 },
  { quality: 100, h264: 18, vp9: 16 },
];

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
      'From 1 (smallest) to 100 (best). Alone, also as `q_auto`, it asks for a transcode at the size of the source.',
    examples: ['w_320,q_40', 'q_auto'],
  },
  output(value = DEFAULT_QUALITY, { format }) {
    return ['-crf', crfOf(value, format)];
  },
});

/** The constant rate factor for a quality: linear between the points, for VP9 whole numbers. */
export function crfOf(quality: number, format: VideoFormat): string {
  const above = Math.max(
    1,
    CRF_POINTS.findIndex((point) => point.quality >= quality),
  );
  const [low, high] = [CRF_POINTS[above - 1], CRF_POINTS[above]] as [CrfPoint, CrfPoint];
  const share = (quality - low.quality) / (high.quality - low.quality);
  if (format === 'webm') return String(Math.round(low.vp9 + share * (high.vp9 - low.vp9)));
  return String(Math.round((low.h264 + share * (high.h264 - low.h264)) * 100) / 100);
}

/** H.264 as specified; VP9 measured on small clips: the same SSIM at the speed used here, up to where its scale ends. */
interface CrfPoint {
  quality: number;
  h264: number;
  vp9: number;
}
