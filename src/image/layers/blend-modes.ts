import {
  type BlendChannel,
  difference,
  hardLight,
  multiply,
  overlay,
  screen,
} from '@darkroom/image-files/blend-channels';

/** The soft light of the W3C's Compositing and Blending, level 1, which differs from Photoshop's. */
const softLight: BlendChannel = (b, s) => {
  if (s <= 0.5) return b - (1 - 2 * s) * b * (1 - b);
  const lightened = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b);
  return b + (2 * s - 1) * (lightened - b);
};

/** Blends an opaque colour of a layer with the one below it. */
export const BLENDS = {
  normal: (_, s) => s,
  multiply,
  screen,
  overlay,
  darken: Math.min,
  lighten: Math.max,
  soft_light: softLight,
  hard_light: hardLight,
  difference,
} satisfies Record<string, BlendChannel>;

/** `behind` paints under the canvas, `mask` retains the canvas where the layer is opaque. */
export type BlendMode = keyof typeof BLENDS | 'behind' | 'mask';

export const BLEND_MODES: readonly BlendMode[] = [
  ...(Object.keys(BLENDS) as (keyof typeof BLENDS)[]),
  'behind',
  'mask',
];

const tables = new Map<BlendChannel, Float32Array>();

/** Result for each pair of levels (0 to 255), at 256 * lower + upper. A lookup takes half the time. */
export function blendTable(blend: BlendChannel): Float32Array {
  const known = tables.get(blend);
  if (known) return known;
  const table = Float32Array.from(
    { length: 256 * 256 },
    (_, pair) => blend((pair >> 8) / 255, (pair & 255) / 255) * 255,
  );
  tables.set(blend, table);
  return table;
}
