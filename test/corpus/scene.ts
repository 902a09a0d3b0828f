import type { Triple } from '../pictures/colours.ts';

export const WIDTH = 240;
export const HEIGHT = 160;

/** Familiar colours along the top: white, black, grey, red, green, blue, yellow, skin; sRGB, 0 to 255. */
const PATCHES: readonly Triple[] = [
  [255, 255, 255],
  [0, 0, 0],
  [119, 119, 119],
  [200, 32, 40],
  [40, 160, 60],
  [30, 50, 190],
  [245, 215, 40],
  [224, 172, 138],
];
const PATCH_WIDTH = WIDTH / PATCHES.length;
const PATCH_HEIGHT = 32;
const RAMP_HEIGHT = 20;
/** Width of edges in pixels, so that a file with subsampled colours loses little. */
const SOFT = 6;

/** A disc right of the centre. No two corners or sides of the scene are alike, so a rotation shows. */
const DISC = { x: 160, y: 84, radius: 34, colour: [0.93, 0.45, 0.12] as Triple };

/**
 * Returns the content of most corpus files: patches, soft slopes of hue and lightness, a disc, and a ramp of grey.
 * @returns sRGB numbers, 0 to 1
 */
export function sceneAt(x: number, y: number): Triple {
  const across = x / WIDTH;
  const down = (y - PATCH_HEIGHT) / (HEIGHT - PATCH_HEIGHT - RAMP_HEIGHT);
  const slope: Triple = [
    0.12 + 0.72 * across,
    0.25 + 0.5 * down,
    0.5 + 0.3 * Math.cos(Math.PI * (across + 1.5 * down)),
  ];
  const picture = mix(slope, DISC.colour, edge(DISC.radius - Math.hypot(x - DISC.x, y - DISC.y)));
  const withPatches = mix(picture, patchAt(x), edge(PATCH_HEIGHT - y));
  return mix(withPatches, greyTriple(x / (WIDTH - 1)), edge(y - (HEIGHT - RAMP_HEIGHT)));
}

function patchAt(x: number): Triple {
  const index = Math.floor(x / PATCH_WIDTH);
  const [one = [0, 0, 0], next = one] = PATCHES.slice(index);
  const colour = mix(one, next, edge(x - (index + 1) * PATCH_WIDTH + SOFT / 2));
  return [colour[0] / 255, colour[1] / 255, colour[2] / 255];
}

/** Returns 0 outside to 1 inside. */
function edge(distance: number): number {
  return clamp(distance / SOFT + 0.5);
}

/** Returns the scene without colours: BT.709 weights on the coded numbers. */
export function greyAt(x: number, y: number): number {
  const [red, green, blue] = sceneAt(x, y);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns alpha: opaque patches and disc; the rest fades out from right to left. */
export function alphaAt(x: number, y: number): number {
  if (y < PATCH_HEIGHT) return 1;
  const inside = clamp((DISC.radius + 4 - Math.hypot(x - DISC.x, y - DISC.y)) / 8 + 0.5);
  return Math.max(inside, clamp((x - 20) / (WIDTH - 60)));
}

/** True for opaque positions of images with binary alpha: all except the ramp and a part on the left. */
export function isSolid(x: number, y: number): boolean {
  return y < HEIGHT - RAMP_HEIGHT && (x > 60 || y < PATCH_HEIGHT);
}

/** A palette of 2 to the power of `bits` colours (one less for 8), and the index at each position. */
export interface Indexed {
  /** 0 to 255. */
  colours: readonly Triple[];
  at(x: number, y: number): number;
}

/** Maps lightness of the scene to a palette from dark blue through green to light yellow. */
export function indexedScene(bits: 1 | 2 | 4 | 8): Indexed {
  const count = Math.min(255, 2 ** bits);
  const colours = Array.from({ length: count }, (_, index): Triple => {
    const share = index / (count - 1);
    const colour = share < 0.5 ? mix(DARK, MIDDLE, share * 2) : mix(MIDDLE, LIGHT, share * 2 - 1);
    return [Math.round(colour[0]), Math.round(colour[1]), Math.round(colour[2])];
  });
  return { colours, at: (x, y) => Math.round(greyAt(x, y) * (count - 1)) };
}

const DARK: Triple = [24, 30, 84];
const MIDDLE: Triple = [60, 150, 110];
const LIGHT: Triple = [250, 236, 190];

const clamp = (value: number) => Math.min(1, Math.max(0, value));
const greyTriple = (value: number): Triple => [value, value, value];

function mix(one: Triple, other: Triple, share: number): Triple {
  const between = (index: 0 | 1 | 2) => one[index] * (1 - share) + other[index] * share;
  return [between(0), between(1), between(2)];
}
