import { oneOf } from '../../transformation/syntax.ts';
import { convertColours } from '../ffmpeg/colour.ts';
import { defineStep, type VideoPlan } from '../step.ts';

export const crop = defineStep({
  name: 'crop',
  key: 'c',
  // A video is always cropped around its centre, so `crop` and `fill` are equal.
  syntax: oneOf(['fill', 'fit', 'scale', 'pad'], {
    crop: 'fill',
    thumb: 'fill',
    lfill: 'fill',
    fill_pad: 'fill',
    limit: 'fit',
    mfit: 'fit',
    lpad: 'pad',
  }),
  default: 'fill',
  // With one side, the other follows from the ratio in every mode, but `fit` never enlarges.
  idle: ({ width, height, crop }) =>
    crop === 'fit' ? width === undefined && height === undefined : width === undefined || height === undefined,
  reference: {
    summary:
      'Fits the video into `w` and `h`: `fill` and `crop` cover the box and cut off the overflow, `fit` stays within the box and never enlarges, `scale` stretches to the exact size, `pad` stays within the box and adds bars.',
    examples: ['w_180,h_180,c_fill', 'w_180,h_180,c_fit', 'w_180,h_180,c_scale', 'w_180,h_180,c_pad,b_dddddd'],
  },
  filters(_value, plan) {
    const { probe, layout, convertsColours } = plan;
    // The most expensive filter runs on the small frame. Frames with alpha have been converted before.
    const isConverted = convertsColours && !probe.hasAlpha;
    return [
      ...cutBefore(plan),
      ...scale(plan),
      ...cutAfter(plan),
      'setsar=1',
      ...(isConverted ? convertColours(probe, layout.window, 'yuv420p') : []),
    ];
  },
});

/** Crops before scaling. The region is in displayed pixels; ffmpeg counts stored ones, which need not be square. */
function cutBefore({ layout: { region }, probe }: VideoPlan): string[] {
  if (region.width === probe.width && region.height === probe.height) return [];
  const x = probe.upright.width / probe.width;
  const y = probe.upright.height / probe.height;
  const width = Math.max(2, Math.round(region.width * x));
  const height = Math.max(2, Math.round(region.height * y));
  return [`crop=${width}:${height}:${Math.floor(region.left * x)}:${Math.floor(region.top * y)}`];
}

function scale({ layout: { region, scaled }, probe: { upright, width, height } }: VideoPlan): string[] {
  const isWhole = region.width === width && region.height === height;
  if (isWhole && scaled.width === upright.width && scaled.height === upright.height) return [];
  return [`scale=${scaled.width}:${scaled.height}`];
}

function cutAfter({ layout: { scaled, window } }: VideoPlan): string[] {
  if (scaled.width === window.width && scaled.height === window.height) return [];
  return [`crop=${window.width}:${window.height}:${window.left}:${window.top}`];
}
