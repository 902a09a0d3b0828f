import type { Colour } from '../../transformation/syntax.ts';
import type { Cutout } from '../cutout/cutout.ts';
import type { Focus } from '../focus/focus.ts';
import type { Rectangle } from '../layout/geometry.ts';

/** What a picture is looked at for, once for all its renders. */
export interface FindingTypes {
  /** Its faces; where it has none, what is of interest. */
  faces: Focus;
  /** Where most is to be seen. */
  interest: Focus;
  /** What lies within a border of one colour, in pixels of the upright picture; null where there is no border. */
  edges: Rectangle | null;
  /** The commonest colour of its outer edge. */
  ground: Colour;
  /** Where its people are. */
  cutout: Cutout;
}

export type FindingKind = keyof FindingTypes;

/** What a render has to know of its picture before it begins. */
export type Finding = { kind: Exclude<FindingKind, 'edges'> } | { kind: 'edges'; tolerance: number };

/** What was found in an upright picture, by kind; plain data. A kind that is missing was not looked for, or cannot be found. */
export type Findings = { readonly [Kind in FindingKind]?: FindingTypes[Kind] };
