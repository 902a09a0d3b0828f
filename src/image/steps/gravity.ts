import { type FocalPoint, roundPoint } from '../../focal-point.ts';
import type { Syntax } from '../../transformation/param.ts';
import { oneOf } from '../../transformation/syntax.ts';
import { type Placement, placeAt } from '../layout/geometry.ts';
import { defineStep } from '../step.ts';

const DIRECTIONS = {
  center: placeAt(0.5, 0.5),
  north: placeAt(0.5, 0),
  south: placeAt(0.5, 1),
  east: placeAt(1, 0.5),
  west: placeAt(0, 0.5),
  north_east: placeAt(1, 0),
  north_west: placeAt(0, 0),
  south_east: placeAt(1, 1),
  south_west: placeAt(0, 1),
} satisfies Record<string, Placement>;

export type Direction = keyof typeof DIRECTIONS;

/** Returns the placement of a window by a direction. */
export function placeByDirection(direction: Direction): Placement {
  return DIRECTIONS[direction];
}

export function isDirection(gravity: unknown): gravity is Direction {
  return typeof gravity === 'string' && Object.hasOwn(DIRECTIONS, gravity);
}

/** `focal`: the point that is stored with the original. */
export type Gravity = Direction | 'face' | 'auto' | 'focal' | FocalPoint;

const SPELLINGS = {
  c: 'center',
  n: 'north',
  s: 'south',
  e: 'east',
  w: 'west',
  ne: 'north_east',
  nw: 'north_west',
  se: 'south_east',
  sw: 'south_west',
  center_center: 'center',
  north_center: 'north',
  south_center: 'south',
  east_center: 'east',
  west_center: 'west',
} satisfies Record<string, Direction>;

const NAMES = Object.keys(DIRECTIONS) as Direction[];

/** The nine directions alone. */
export const directions = oneOf(NAMES, SPELLINGS);

const words = oneOf([...NAMES, 'face', 'auto', 'focal'], {
  ...SPELLINGS,
  faces: 'face',
  face_center: 'face',
  faces_center: 'face',
  auto_center: 'auto',
});

const gravities: Syntax<Gravity> = {
  parse(text, rules) {
    const [form, x, y, ...more] = text.split(':');
    if (form !== 'fp' || more.length > 0) return words.parse(text, rules);
    const isNumber = (share = '') => /^\d{1,3}(\.\d{1,9})?$/.test(share);
    if (!isNumber(x) || !isNumber(y)) return undefined;
    if (Number(x) > 1 || Number(y) > 1) return { expected: 'fp:x:y with x and y from 0 to 1' };
    return { value: roundPoint({ x: Number(x), y: Number(y) }) };
  },
  format: (value) => (typeof value === 'string' ? value : `fp:${value.x}:${value.y}`),
  forms: `${words.forms}; or \`fp:x:y\`, a point in fractions of the upright image`,
  // A point is chosen on the image, not in a list.
  shape: words.shape,
};

export const gravity = defineStep({
  name: 'gravity',
  key: 'g',
  syntax: gravities,
  needs: (value) => (value === 'face' ? { kind: 'faces' } : value === 'auto' ? { kind: 'interest' } : undefined),
  // Without a stored point that is the middle.
  default: 'focal',
  isLate: (value) => value === 'focal' || typeof value === 'object',
  // It decides what a crop keeps and where padding goes, so it has no effect where nothing is cut or added. With facts
  // it adds some.
  idle: ({ width, height, crop, aspectRatio, zoom = 1, gravity, format }) =>
    format !== 'json' &&
    aspectRatio === undefined &&
    (zoom === 1 || (zoom === 'auto' && gravity !== 'face')) &&
    (width === undefined ||
      height === undefined ||
      crop === 'fit' ||
      crop === 'scale' ||
      // The content of an image does not move it out of the middle of its bars.
      (crop === 'pad' && !isDirection(gravity))),
  reference: {
    summary:
      'The part that a crop keeps, and the position of the image within padding. A direction names an edge or corner; `face` keeps detected faces in frame; `auto` keeps the region with the most detail; `fp:0.3:0.7` keeps a point (30 % from the left, 70 % from the top) as near to the centre as the edges allow; `focal`, the default, does the same with the focal point stored with the file. Without a stored point it is the centre.',
    examples: [
      'w_200,h_300,g_north',
      'w_200,h_300,g_south_east',
      'w_200,h_300,g_face',
      'w_200,h_300,g_auto',
      'w_200,h_300,g_fp:0.7:0.4',
    ],
  },
});
