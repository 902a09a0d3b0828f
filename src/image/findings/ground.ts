import type { Colour } from '../../transformation/syntax.ts';
import type { Colours } from '../facts/colours.ts';

const TRANSPARENT: Colour = { red: 0, green: 0, blue: 0, alpha: 0 };

/**
 * The ground that goes on where an image ends: the commonest colour of its edge, or nothing where most of that is
 * transparent.
 */
export function groundOf({ border }: Pick<Colours, 'border'>): Colour {
  if (border === undefined) return TRANSPARENT;
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(border.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return { red, green, blue, alpha: 255 };
}
