import { colour } from '../../transformation/syntax.ts';
import type { Layout } from '../geometry.ts';
import { defineStep, isOpaque, paintOf, paintsWhite, sharpColour } from '../step.ts';

export const background = defineStep({
  name: 'background',
  key: 'b',
  aliases: ['bg'],
  syntax: colour(),
  reference: {
    summary:
      'The colour of bars, of the corners of a turned picture, of cut corners, and of the ground under transparency where the format has none. Default white; cut corners are transparent.',
    examples: ['w_300,h_300,c_pad,b_rgb:336699', 'w_300,h_300,c_pad,b_transparent,f_png'],
  },
  effect(_value, plan) {
    const { layout, sourceAlpha, format } = plan;
    const isFlattened = sourceAlpha && isOpaque(format);
    if (!isFlattened && !hasBars(layout)) return undefined;
    const paint = sharpColour(paintOf(plan));
    return {
      // sharp flattens before it resizes, which gives the same result.
      place: 'extend',
      size: layout.output,
      inAnyColourSpace: paintsWhite(plan),
      apply(image) {
        const ground = isFlattened ? image.flatten({ background: paint }) : image;
        return hasBars(layout) ? ground.extend({ ...barsOf(layout), background: paint }) : ground;
      },
    };
  },
  addsAlpha: (_value, { layout, background }) => hasBars(layout) && background.alpha < 255,
});

function hasBars({ content, output }: Layout): boolean {
  return output.width !== content.width || output.height !== content.height;
}

function barsOf({ content, output, offset }: Layout) {
  return {
    left: offset.left,
    top: offset.top,
    right: output.width - content.width - offset.left,
    bottom: output.height - content.height - offset.top,
  };
}
