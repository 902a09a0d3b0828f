import { colour } from '../../transformation/syntax.ts';
import { defineStep, sharpColour } from '../step.ts';

/** Formats whose every pixel is opaque. */
const OPAQUE_FORMATS: readonly string[] = ['jpeg'];

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
  apply(image, _value, { layout, background, format, sourceAlpha }) {
    const { content, output, offset } = layout;
    const ground = { ...sharpColour(background), alpha: 1 };
    const flat = sourceAlpha && OPAQUE_FORMATS.includes(format) ? image.flatten({ background: ground }) : image;
    if (output.width === content.width && output.height === content.height) return flat;
    return flat.extend({
      left: offset.left,
      top: offset.top,
      right: output.width - content.width - offset.left,
      bottom: output.height - content.height - offset.top,
      background: OPAQUE_FORMATS.includes(format) ? ground : sharpColour(background),
    });
  },
});
