import type { Syntax } from '../../transformation/param.ts';
import { type Colour, colour, decimal } from '../../transformation/syntax.ts';
import { groundArguments } from '../gif.ts';
import { defineStep, type VideoPlan } from '../step.ts';

/** A colour, or how much a copy of the video is blurred, in pixels. */
export type Ground = Colour | { blur: number };

const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };
/** Of GIFs, as it is where they become pictures. */
const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };
const DEFAULT_BLUR = 20;
/** The copy is blurred at this part of its size, as that of a picture is. */
const BLUR_SHRINK = 8;

/** Bars of a video are opaque: the alpha of a colour says nothing. */
export const opaqueColour: Syntax<Colour> = {
  ...colour(),
  parse(text, limits) {
    const reading = colour().parse(text, limits);
    return reading && 'value' in reading ? { value: { ...reading.value, alpha: 255 } } : reading;
  },
};

const blurs = decimal(1, 100, 2);
const grounds: Syntax<Ground> = {
  parse(text, limits) {
    if (text === 'blur') return { value: { blur: DEFAULT_BLUR } };
    if (!text.startsWith('blur:')) return opaqueColour.parse(text, limits);
    const blur = blurs.parse(text.slice('blur:'.length), limits);
    return blur && 'value' in blur ? { value: { blur: blur.value } } : blur;
  },
  format(value) {
    if (!isBlur(value)) return opaqueColour.format(value);
    return value.blur === DEFAULT_BLUR ? 'blur' : `blur:${blurs.format(value.blur)}`;
  },
  forms: `${opaqueColour.forms}; \`blur\`, or \`blur:\` and ${blurs.forms}`,
  // A blur is no colour.
  shape: opaqueColour.shape,
};

export const background = defineStep({
  name: 'background',
  key: 'b',
  aliases: ['bg'],
  syntax: grounds,
  default: BLACK,
  isLate: isBlur,
  scale: (value, factor) => (isBlur(value) ? { blur: value.blur * factor } : value),
  idle: ({ crop, width, height }) => crop !== 'pad' || width === undefined || height === undefined,
  reference: {
    summary:
      'The colour of the bars that `c_pad` adds. Default black. With `blur` they are the video itself, covering, blurred by so many pixels (20).',
    examples: ['w_180,h_180,c_pad,b_rgb:336699', 'w_180,h_180,c_pad,b_blur'],
  },
  input: (value = WHITE, { probe }) => (probe.container === 'gif' && !isBlur(value) ? groundArguments(value) : []),
  filters(value, plan) {
    const { window, output, offset } = plan.layout;
    if (window.width === output.width && window.height === output.height) return [];
    const ground = value ?? (plan.probe.container === 'gif' ? WHITE : BLACK);
    if (isBlur(ground)) return [overBlurred(ground.blur, plan)];
    const hex = Buffer.from([ground.red, ground.green, ground.blue]).toString('hex');
    return [`pad=${output.width}:${output.height}:${offset.left}:${offset.top}:color=0x${hex}`];
  },
});

function isBlur(value: Ground): value is { blur: number } {
  return 'blur' in value;
}

/** Lays the frames over a blurred copy of themselves that covers the result. */
function overBlurred(sigma: number, { layout: { output, offset } }: VideoPlan): string {
  const small = (side: number) => Math.max(2, 2 * Math.round(side / BLUR_SHRINK / 2));
  const size = `${small(output.width)}:${small(output.height)}`;
  const copy = [
    `scale=${size}:force_original_aspect_ratio=increase`,
    // Colours are to be blurred as far as brightness is.
    'format=yuv444p',
    `crop=${size}`,
    `gblur=sigma=${Math.max(0.3, sigma / BLUR_SHRINK)}`,
    `scale=${output.width}:${output.height}`,
    'setsar=1',
  ];
  return `format=yuv420p,split[clear][copy];[copy]${copy.join(',')}[soft];[soft][clear]overlay=${offset.left}:${offset.top}`;
}
