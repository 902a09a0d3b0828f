import type { Colour } from '../../transformation/syntax.ts';
import type { VideoPlan } from '../step.ts';
import { BT709_TAGS, convertColours, isRgb, writtenMatrix } from './colour.ts';

/** Shares of red and blue in luma, by the `scale` filter's names of matrices. */
const SHARES: Readonly<Record<string, readonly [red: number, blue: number]>> = {
  bt709: [0.2126, 0.0722],
  fcc: [0.3, 0.11],
  smpte240m: [0.212, 0.087],
  bt2020: [0.2627, 0.0593],
};
const BT601_SHARES = [0.299, 0.114] as const;

type Coded = Pick<VideoPlan, 'probe' | 'convertsColours'>;

/**
 * Returns filters that lay frames with alpha over a colour before they are scaled: otherwise hidden colours would bleed
 * over edges. Frames are in their final colours afterwards; those without alpha stay unchanged.
 */
export function layOverBackground(plan: Coded, background: Colour): string[] {
  const { probe, convertsColours } = plan;
  if (!probe.hasAlpha) return [];
  const source = convertsColours ? convertColours(probe, probe.upright, 'yuva420p') : inLimitedRange(plan);
  const under = `format=yuv420p,${constantColour(background, writtenMatrix(plan))}`;
  return [
    ...source,
    `format=yuva420p,split[image][matte];[matte]${under}[ground];[ground][image]overlay=format=yuv420`,
  ];
}

/** Returns filters that add bars around the window of a plan. */
export function addBars(plan: VideoPlan, background: Colour): string[] {
  const { probe, layout } = plan;
  const { output, offset } = layout;
  const { red, green, blue } = background;
  const matrix = writtenMatrix(plan);
  const isGrey = red === green && green === blue;
  const range = probe.range === 'pc' && !isRgb(probe) ? ['scale=out_range=tv'] : [];
  // `pad` converts every colour by BT.601. Greys are equal in all matrices, and a GIF is still RGB here.
  if (isGrey || SHARES[matrix] === undefined || probe.container === 'gif') {
    const hex = Buffer.from([red, green, blue]).toString('hex');
    return [...range, `pad=${output.width}:${output.height}:${offset.left}:${offset.top}:color=0x${hex}`];
  }
  const bars = `scale=${output.width}:${output.height}:flags=neighbor,${constantColour(background, matrix)}`;
  return [
    ...range,
    `format=yuv420p,split[window][copy];[copy]${bars}[bars];[bars][window]overlay=${offset.left}:${offset.top}`,
    'setsar=1',
  ];
}

function inLimitedRange({ probe }: Coded): string[] {
  if (isRgb(probe)) return ['scale=out_color_matrix=bt709:out_range=tv', 'format=yuva420p', BT709_TAGS];
  return probe.range === 'pc' ? ['scale=out_range=tv'] : [];
}

/** Returns the filter that fills 8-bit limited-range YUV with a colour. */
function constantColour({ red, green, blue }: Colour, matrix: string): string {
  const [kr, kb] = SHARES[matrix] ?? BT601_SHARES;
  const y = kr * red + (1 - kr - kb) * green + kb * blue;
  const chroma = (value: number, share: number) => Math.round(128 + (224 * (value - y)) / (2 * (1 - share) * 255));
  return `lutyuv=y=${Math.round(16 + (219 * y) / 255)}:u=${chroma(blue, kb)}:v=${chroma(red, kr)}`;
}
