import type { OverlayOptions } from 'sharp';
import { integer } from '../../transformation/syntax.ts';
import { defineStep, isOpaque, paintOf, type RenderPlan } from '../step.ts';

export const opacity = defineStep({
  name: 'opacity',
  key: 'o',
  syntax: integer(0, 100),
  default: 100,
  isLate: () => true,
  reference: {
    summary:
      'How opaque everything is, in percent. In a format without transparency the result lies on `b`, or else on white.',
    examples: ['w_300,o_40,f_png', 'w_300,o_60,b_336699,f_jpeg'],
  },
  effect(value = 100, plan) {
    return value === 100 ? undefined : { layers: () => [veil(value, plan)] };
  },
  addsAlpha: (value = 100) => value < 100,
});

/** Takes so much of every pixel away, or covers it with the ground. */
function veil(percent: number, plan: RenderPlan): OverlayOptions {
  const share = Math.round((255 * percent) / 100);
  const { red, green, blue } = paintOf(plan);
  const [pixel, blend] = isOpaque(plan.format)
    ? [[red, green, blue, 255 - share], 'over' as const]
    : [[0, 0, 0, share], 'dest-in' as const];
  return { input: Buffer.from(pixel), raw: { width: 1, height: 1, channels: 4 }, tile: true, blend };
}
