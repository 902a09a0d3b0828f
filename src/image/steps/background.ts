import { colour } from '../../transformation/syntax.ts';
import { defineStep, isOpaque, paintOf, sharpColour } from '../step.ts';

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
  apply(image, _value, plan) {
    const { content, output, offset } = plan.layout;
    const paint = sharpColour(paintOf(plan));
    const flat = plan.sourceAlpha && isOpaque(plan.format) ? image.flatten({ background: paint }) : image;
    if (output.width === content.width && output.height === content.height) return flat;
    return flat.extend({
      left: offset.left,
      top: offset.top,
      right: output.width - content.width - offset.left,
      bottom: output.height - content.height - offset.top,
      background: paint,
    });
  },
});
