import { oneOf } from '../../transformation/syntax.ts';
import type { Layout, Size } from '../geometry.ts';
import { defineStep } from '../step.ts';

/**
 * A JPEG that is scaled before it is cut can be decoded at a fraction of its size. Cutting first saves scaling pixels that are thrown
 * away. Up to this ratio of scaled to kept pixels, scaling first is faster.
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
      'How the picture meets `w` and `h`: `fill` covers the box and cuts the overflow, `crop` does the same, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within and adds bars.',
    examples: ['w_300,h_300,c_fill', 'w_300,h_300,c_fit', 'w_300,h_300,c_scale', 'w_300,h_300,c_pad,b_dddddd'],
  },
  effect(_value, { layout }) {
    if (isWhole(layout)) return undefined;
    const { content, region } = layout;
    const { whole, window } = scaleThenCut(layout);
    const cutsFirst = scaledPixels(layout) > MAX_SCALED_EXCESS * content.width * content.height;
    return {
      place: 'resize',
      size: content,
      inAnyColourSpace: true,
      apply(image) {
        if (cutsFirst) return image.extract(region).resize(content.width, content.height, { fit: 'fill' });
        const scaled = image.resize(whole.width, whole.height, { fit: 'fill' });
        return isSameSize(whole, content) ? scaled : scaled.extract(window);
      },
    };
  },
});

/** Whether nothing is cut or scaled. A turned picture is always scaled, because its size in sharp may differ by a pixel. */
function isWhole({ upright, angle, region, content }: Layout): boolean {
  return angle === 0 && isSameSize(upright, region) && isSameSize(region, content);
}

function isSameSize(one: Size, other: Size): boolean {
  return one.width === other.width && one.height === other.height;
}

/** The whole turned picture at the scale of the content, and where the content lies within it. */
function scaleThenCut({ turned, region, content }: Layout) {
  const [scaleX, scaleY] = [content.width / region.width, content.height / region.height];
  const whole = {
    width: Math.max(content.width, Math.round(turned.width * scaleX)),
    height: Math.max(content.height, Math.round(turned.height * scaleY)),
  };
  const left = Math.min(Math.round(region.left * scaleX), whole.width - content.width);
  const top = Math.min(Math.round(region.top * scaleY), whole.height - content.height);
  return { whole, window: { left, top, ...content } };
}

function scaledPixels({ turned, region, content }: Layout): number {
  return ((turned.width * content.width) / region.width) * ((turned.height * content.height) / region.height);
}
