import type { Syntax } from '../../transformation/param.ts';
import { type Blur, type Colour, colour, isBlur, orBlur } from '../../transformation/syntax.ts';
import { addBars } from '../ffmpeg/background.ts';
import { transparencyArguments } from '../ffmpeg/gif.ts';
import type { Size } from '../geometry.ts';
import { defineStep, type VideoPlan } from '../step.ts';

/** A colour, or the blur of a copy of the video, in pixels. */
export type BackgroundValue = Colour | Blur;

const BLACK: Colour = { red: 0, green: 0, blue: 0, alpha: 255 };
/** Default for GIFs, as for images made of them. */
export const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };
/** The copy is blurred at this fraction of its size, as for images. */
const BLUR_SHRINK = 8;
/** Minimum size of the copy: ffmpeg 5.1 blurs frames up to 16 pixels wide wrongly, and darkens frames 2 pixels high. */
const LEAST_COPY: Size = { width: 18, height: 4 };

/** Bars of a video are opaque: the alpha of a colour is ignored. */
export const opaqueColour: Syntax<Colour> = {
  ...colour(),
  parse(text, limits) {
    const reading = colour().parse(text, limits);
    return reading && 'value' in reading ? { value: { ...reading.value, alpha: 255 } } : reading;
  },
};

export const background = defineStep({
  name: 'background',
  key: 'b',
  aliases: ['bg'],
  syntax: orBlur(opaqueColour),
  default: BLACK,
  isLate: isBlur,
  scale: (value, factor) => (isBlur(value) ? { blur: value.blur * factor } : value),
  // A colour also shows through transparency, which only the file knows of.
  idle: ({ background, crop, width, height }) =>
    isBlur(background) && (crop !== 'pad' || width === undefined || height === undefined),
  reference: {
    summary:
      'Colour of the bars that `c_pad` adds, and behind a video with transparency. Default black. With `blur`, the bars show the video itself, covering the box; the value is the sigma in pixels (default 20).',
    examples: ['w_180,h_180,c_pad,b_rgb:336699', 'w_180,h_180,c_pad,b_blur'],
  },
  input: (value = WHITE, { probe }) =>
    probe.container === 'gif' && !isBlur(value) ? transparencyArguments(value) : [],
  filters(value, plan) {
    const { window, output } = plan.layout;
    if (window.width === output.width && window.height === output.height) return [];
    const fill = value ?? (plan.probe.container === 'gif' ? WHITE : BLACK);
    if (isBlur(fill)) return [overBlurred(fill.blur, plan)];
    return addBars(plan, fill);
  },
});

/** Returns the colour under transparent parts of a video. */
export function backgroundColourOf(value: BackgroundValue | undefined): Colour {
  return value === undefined || isBlur(value) ? BLACK : value;
}

/** Lays the frames over a blurred copy of themselves that covers the result. */
function overBlurred(sigma: number, { layout: { output, offset } }: VideoPlan): string {
  const shrink = Math.min(BLUR_SHRINK, output.width / LEAST_COPY.width, output.height / LEAST_COPY.height);
  const small = (side: number) => 2 * Math.round(side / shrink / 2);
  const size = `${small(output.width)}:${small(output.height)}`;
  const copy = [
    `scale=${size}:force_original_aspect_ratio=increase`,
    // Blur chroma at the resolution of luma.
    'format=yuv444p',
    `crop=${size}`,
    `gblur=sigma=${Math.max(0.3, sigma / shrink)}`,
    `scale=${output.width}:${output.height}`,
    'setsar=1',
  ];
  return `format=yuv420p,split[clear][copy];[copy]${copy.join(',')}[soft];[soft][clear]overlay=${offset.left}:${offset.top}`;
}
