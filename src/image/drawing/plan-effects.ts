import { layersEffect } from '../layers/draw-layers.ts';
import type { Effect, ImageStep, RenderPlan } from '../step.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';
import { type ColourMap, composeMaps } from './colour-map.ts';

/** In the order of their effect. */
const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;
/** Layers lie over the bars and within the border. */
const ABOVE_LAYERS = 'border';

/**
 * The effects of a render, in their order. Each step gets the value of its own name; neighbours that change colours
 * become one.
 */
export function planEffects(options: ImageOptions, plan: RenderPlan): Effect[] {
  const values: Readonly<Record<string, unknown>> = options;
  const effects: Effect[] = [];
  let map: ColourMap | undefined;
  for (const step of STEPS) {
    const value = values[step.name];
    if (step.colours) {
      if (value === undefined || value === step.default) continue;
      const own = step.colours(value);
      map = map ? composeMaps(map, own) : own;
      continue;
    }
    if (map) effects.push(colourEffect(map, plan));
    map = undefined;
    const layers = step.name === ABOVE_LAYERS ? layersEffect(plan) : undefined;
    if (layers) effects.push(layers);
    const effect = step.effect?.(value, plan);
    if (effect) effects.push(effect);
  }
  return effects;
}

/** The effect of a map. Colours are clamped once, at its end; alpha stays. */
function colourEffect({ matrix, offset }: ColourMap, { sourceAlpha }: RenderPlan): Effect {
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
