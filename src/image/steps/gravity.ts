import { oneOf } from '../../transformation/syntax.ts';
import { type Placement, placeAt } from '../geometry.ts';
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

/** Where a direction puts a window. */
export function placeByDirection(direction: Direction): Placement {
  return DIRECTIONS[direction];
}

export const gravity = defineStep({
  name: 'gravity',
  key: 'g',
  syntax: oneOf([...(Object.keys(DIRECTIONS) as Direction[]), 'face', 'auto'], {
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
    faces: 'face',
    face_center: 'face',
    faces_center: 'face',
    auto_center: 'auto',
  }),
  default: 'center',
  // It decides what a crop keeps and where padding goes, so it has no effect where nothing is cut or added.
  idle: ({ width, height, crop, aspectRatio, gravity }) =>
    aspectRatio === undefined &&
    (width === undefined ||
      height === undefined ||
      crop === 'fit' ||
      crop === 'scale' ||
      // Faces and interest do not move a padded picture out of the middle.
      (crop === 'pad' && (gravity === 'face' || gravity === 'auto'))),
  reference: {
    summary:
      'What a crop keeps, and where padding leaves the picture: a direction; `face` keeps detected faces in frame; `auto` keeps the region with the most detail.',
    examples: ['w_200,h_300,g_north', 'w_200,h_300,g_south_east', 'w_200,h_300,g_face', 'w_200,h_300,g_auto'],
  },
});
