import { integer } from '../../transformation/syntax.ts';
import { withAlpha } from '../drawing/alpha.ts';
import { defineStep, type Effect, type HeldImage, isOpaque, paintOf, type RenderPlan } from '../step.ts';

export const opacity = defineStep({
  name: 'opacity',
  key: 'o',
  syntax: integer(0, 100),
  default: 100,
  isLate: () => true,
  reference: {
    summary:
      'Opacity of the result in percent. In a format without transparency, it is blended with `b` (default white).',
    examples: ['w_300,o_40,f_png', 'w_300,o_60,b_336699,f_jpeg'],
  },
  outputRate: () => 15,
  effect(value = 100, plan) {
    if (value === 100) return undefined;
    return isOpaque(plan.format) ? mixedIn(value / 100, plan) : { redraw: (image) => faded(image, value / 100) };
  },
  addsAlpha: (value = 100) => value < 100,
});

/** Mixes with the background, for which an opaque image needs no alpha. */
function mixedIn(share: number, plan: RenderPlan): Effect {
  const { red, green, blue } = paintOf(plan);
  const rest = [red, green, blue].map((channel) => channel * (1 - share));
  return { place: 'linear', apply: (image) => image.linear([share, share, share], rest) };
}

function faded(image: HeldImage, share: number): HeldImage {
  const clear = withAlpha(image);
  for (let at = 3; at < clear.data.length; at += 4) clear.data[at] = Math.round((clear.data[at] as number) * share);
  return clear;
}
