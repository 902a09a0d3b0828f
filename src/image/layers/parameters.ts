import type { Parameter, ParameterRules, Syntax } from '../../transformation/param.ts';
import { integer, oneOf } from '../../transformation/syntax.ts';
import type { Length } from '../layout/geometry.ts';
import { readLength, scaleLength, writeLength } from '../layout/lengths.ts';
import { angle } from '../steps/angle.ts';
import { aspectRatio } from '../steps/aspect-ratio.ts';
import { crop } from '../steps/crop.ts';
import { effects } from '../steps/effects/index.ts';
import { type Direction, directions } from '../steps/gravity.ts';
import { opacity } from '../steps/opacity.ts';
import { radius } from '../steps/radius.ts';
import { region } from '../steps/region.ts';
import { BLEND_MODES, type BlendMode } from './blend-modes.ts';
import { type Shadow, scaleShadow, shadows } from './shadow.ts';
import { textParameters } from './text-parameters.ts';

const MAX_OFFSET = 8192;
const MAX_GAP = 2000;
const MIN_SHARE = 0.01;
const MAX_SHARE = 1;

const offsets: Syntax<Length> = {
  parse(text) {
    const value = readLength(text);
    if (!value) return undefined;
    const isInRange = 'pixels' in value ? Math.abs(value.pixels) <= MAX_OFFSET : Math.abs(value.share) <= 1;
    return isInRange ? { value } : { expected: `-${MAX_OFFSET} to ${MAX_OFFSET} pixels, or a share from -1.0 to 1.0` };
  },
  format: writeLength,
  forms: `whole pixels from -${MAX_OFFSET} to ${MAX_OFFSET}, or with a decimal point a share of the result (\`-1.0\` to \`1.0\`)`,
  shape: () => ({ kind: 'text' }),
};

const sides: Syntax<Length> = {
  parse(text, { outputSide }: ParameterRules) {
    const value = text.startsWith('-') ? undefined : readLength(text);
    if (!value) return undefined;
    const isInRange =
      'pixels' in value
        ? value.pixels >= 1 && value.pixels <= outputSide
        : value.share >= MIN_SHARE && value.share <= MAX_SHARE;
    return isInRange
      ? { value }
      : { expected: `1 to ${outputSide} pixels, or a share from ${MIN_SHARE} to ${writeLength({ share: MAX_SHARE })}` };
  },
  format: writeLength,
  forms: `whole pixels from 1 to \`MAX_OUTPUT_SIDE\`, or with a decimal point a share of the result (\`${MIN_SHARE}\` to \`${writeLength({ share: MAX_SHARE })}\`)`,
  shape: () => ({ kind: 'text' }),
};

const place: Parameter<'gravity', Direction> = {
  name: 'gravity',
  key: 'g',
  syntax: directions,
  default: 'center',
  reference: {
    summary: 'Edge or corner of the result at which the layer is placed.',
    examples: ['w_300~l_badge.png,g_south_east'],
  },
};

const offset = <Name extends 'x' | 'y'>(name: Name, reference: Parameter<Name, Length>['reference']) => ({
  name,
  key: name,
  syntax: offsets,
  default: { pixels: 0 },
  scale: scaleLength,
  reference,
});

const x = offset('x', {
  summary: 'Distance inwards from that edge, or to the right from the centre.',
  examples: ['w_300~l_badge.png,g_south_east,x_10,y_10'],
});

const y = offset('y', {
  summary: 'Distance inwards from that edge, or down from the centre.',
  examples: ['w_300~l_badge.png,g_north,y_0.1'],
});

const blend: Parameter<'blend', BlendMode> = {
  name: 'blend',
  key: 'bl',
  syntax: oneOf(BLEND_MODES),
  default: 'normal',
  reference: {
    summary:
      'Blend mode of the layer, as in CSS. `behind` shows the layer where the image is transparent; `mask` keeps the image only where the layer is opaque.',
    examples: ['w_300~l_badge.png,bl_multiply', 'w_300,f_png~l_badge.png,bl_mask'],
  },
};

const tile: Parameter<'tile', number> = {
  name: 'tile',
  key: 'tl',
  syntax: integer(0, MAX_GAP),
  scale: (value, factor) => Math.round(value * factor),
  reference: {
    summary: 'Repeats the layer over the entire result. The value is the gap in pixels.',
    examples: ['w_300~l_badge.png,w_40,tl_30,o_50'],
  },
};

const shadow: Parameter<'shadow', Shadow> = {
  name: 'shadow',
  key: 'sd',
  syntax: shadows,
  scale: scaleShadow,
  reference: {
    summary: 'Shadow of the layer, as `drop-shadow` of CSS.',
    examples: ['w_300~l_badge.png,sd_6:6:8:000000'],
  },
};

const width: Parameter<'width', Length> = {
  name: 'width',
  key: 'w',
  syntax: sides,
  scale: scaleLength,
  reference: {
    summary:
      'Width of the layer. Without `w` and `h`, a layer has its own size, or the largest that fits into the result.',
    examples: ['w_300~l_badge.png,w_120', 'w_300~l_badge.png,w_0.8'],
  },
};

const height: Parameter<'height', Length> = {
  name: 'height',
  key: 'h',
  syntax: sides,
  scale: scaleLength,
  reference: { summary: 'Height of the layer.', examples: ['w_300~l_badge.png,h_0.5'] },
};

/** Parameters of every layer. */
const common = [place, x, y, angle, opacity, blend, tile, shadow] as const;

/** The parameters of a layer that is an image, in the order of the canonical text. */
export const imageLayer = [region, aspectRatio, width, height, crop, ...effects, radius, ...common] as const;

/** The parameters of a layer that is a text. */
export const textLayer = [...textParameters, ...common] as const;
