import { integer } from '../../transformation/syntax.ts';
import { defineStep, type Effect, type HeldPicture, isOpaque, paintOf, type RenderPlan } from '../step.ts';

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
    if (value === 100) return undefined;
    return isOpaque(plan.format) ? onGround(value / 100, plan) : { redraw: (picture) => faded(picture, value / 100) };
  },
  addsAlpha: (value = 100) => value < 100,
});

/** Mixes with the ground, which an opaque picture needs no alpha for. */
function onGround(share: number, plan: RenderPlan): Effect {
  const { red, green, blue } = paintOf(plan);
  const rest = [red, green, blue].map((channel) => channel * (1 - share));
  return { place: 'linear', apply: (image) => image.linear([share, share, share], rest) };
}

function faded({ data, channels, ...size }: HeldPicture, share: number): HeldPicture {
  if (channels === 4) {
    for (let at = 3; at < data.length; at += 4) data[at] = Math.round((data[at] as number) * share);
    return { data, channels, ...size };
  }
  const alpha = Math.round(255 * share);
  const clear = Buffer.alloc((data.length / channels) * 4, alpha);
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4) {
    clear[to] = data[from] as number;
    clear[to + 1] = data[from + 1] as number;
    clear[to + 2] = data[from + 2] as number;
  }
  return { data: clear, channels: 4, ...size };
}
