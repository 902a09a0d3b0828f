import type { Effect, RenderPlan } from '../step.ts';
import type { ColourMap } from './colour-map.ts';

/** The effect of a map. Colours are clamped once, at its end; alpha stays. */
export function colourEffect({ matrix, offset }: ColourMap, { sourceAlpha }: RenderPlan): Effect {
  const isMixing = matrix.some((row, index) => row.some((value, column) => column !== index && value !== 0));
  const factors = isMixing ? [1, 1, 1] : matrix.map((row, index) => row[index] ?? 0);
  return {
    // sharp clamps between the two where it scales a transparent image, so that needs a chain of its own.
    ...(!sourceAlpha && { place: isMixing ? 'recomb' : 'linear', until: 'linear' }),
    apply(image) {
      const mixed = isMixing ? image.recomb(matrix.map((row) => [...row]) as never) : image;
      return mixed.linear(factors, [...offset]);
    },
  };
}
