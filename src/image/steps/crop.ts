import { oneOf } from '../../transformation/syntax.ts';
import type { Layout, Rectangle, Size } from '../layout/geometry.ts';
import { defineStep } from '../step.ts';

/**
 * A JPEG that is scaled before it is cut can be decoded at a fraction of its size. Cutting first saves scaling pixels
 * that are thrown away. Up to this ratio of scaled to retained pixels, scaling first is faster.
 */
const MAX_SCALED_EXCESS = 4;

export const crop = defineStep({
  name: 'crop',
  key: 'c',
  syntax: oneOf(['fill', 'fit', 'scale', 'crop', 'pad'], {
    lfill: 'fill',
    fill_pad: 'fill',
    limit: 'fit',
    mfit: 'fit',
    thumb: 'crop',
    lpad: 'pad',
  }),
  default: 'fill',
  idle: (options) => options.width === undefined && options.height === undefined,
  reference: {
    summary:
      'Fits the image into `w` and `h`: `fill` and `crop` cover the box and cut off the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within the box and adds bars.',
    examples: ['w_300,h_300,c_fill', 'w_300,h_300,c_fit', 'w_300,h_300,c_scale', 'w_300,h_300,c_pad,b_dddddd'],
  },
  effect(_value, { layout }) {
    if (isWhole(layout)) return undefined;
    const { content, turned } = layout;
    const { source, scaled, window } = planCut(layout);
    return {
      place: 'resize',
      size: content,
      inAnyColourSpace: true,
      apply(image) {
        const part = isSameSize(source, turned) ? image : image.extract(beforeMirror(source, layout));
        const resized = part.resize(scaled.width, scaled.height, { fit: 'fill' });
        return isSameSize(scaled, content) ? resized : resized.extract(window);
      },
    };
  },
});

/** sharp mirrors an image that it does not turn after it has cut it. */
function beforeMirror(source: Rectangle, { isMirrored, angle, turned }: Layout): Rectangle {
  return isMirrored && angle === 0 ? { ...source, left: turned.width - source.left - source.width } : source;
}

/** Cut out of the image, the size it is scaled to, and the cut out of the scaled image. */
interface Cut {
  source: Rectangle;
  scaled: Size;
  window: Rectangle;
}

/**
 * The middle of the content is within half a pixel of where it should be, also where a pixel of the original becomes
 * many: the exact region is then cut out of the scaled image, because whole pixels of the original are too coarse.
 */
export function planCut(layout: Layout): Cut {
  const { turned, region, area: visible, content } = layout;
  const part = isSameSize(region, content) ? region : visible;
  const source =
    scaledPixels(layout) > MAX_SCALED_EXCESS * content.width * content.height
      ? pixelsAround(part, turned)
      : { left: 0, top: 0, ...turned };
  const across = cutAxis(part.left - source.left, part.width, source.width, content.width);
  const down = cutAxis(part.top - source.top, part.height, source.height, content.height);
  return {
    source,
    scaled: { width: across.scaled, height: down.scaled },
    window: { left: across.start, top: down.start, ...content },
  };
}

/** One axis: a part of a source that is scaled so that the part has the length of the content. */
function cutAxis(start: number, length: number, source: number, content: number) {
  const scaled = Math.max(content, Math.round((source * content) / length));
  const middle = ((start + length / 2) * scaled) / source;
  return { scaled, start: Math.max(0, Math.min(Math.round(middle - content / 2), scaled - content)) };
}

/** True if nothing is cut or scaled. A turned image is scaled, because its size in sharp may differ by a pixel. */
function isWhole({ upright, angle, region, content }: Layout): boolean {
  return angle === 0 && isSameSize(upright, region) && isSameSize(region, content);
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}

/** The smallest rectangle of whole pixels around another. */
function pixelsAround({ left, top, width, height }: Rectangle, bounds: Size): Rectangle {
  const x = Math.floor(left);
  const y = Math.floor(top);
  return {
    left: x,
    top: y,
    width: Math.min(bounds.width, Math.ceil(left + width)) - x,
    height: Math.min(bounds.height, Math.ceil(top + height)) - y,
  };
}

function scaledPixels({ turned, region, content }: Layout): number {
  return ((turned.width * content.width) / region.width) * ((turned.height * content.height) / region.height);
}
