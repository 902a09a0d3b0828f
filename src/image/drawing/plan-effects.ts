import { layersEffect } from '../layers/draw-layers.ts';
import type { Effect, ImageStep, RenderPlan } from '../step.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';
import { colourEffect } from './colour-effect.ts';
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
