import { onBackground, withAlpha } from '../drawing/alpha.ts';
import { type Effect, type HeldImage, isOpaque, paintOf, type RenderPlan } from '../step.ts';
import type { Layered } from './layer.ts';
import { paintOver } from './paint.ts';

/** Draws the layers of a render over its image; undefined where it has none. */
export function layersEffect(plan: RenderPlan): Effect | undefined {
  const { layers } = plan;
  if (layers.length === 0) return undefined;
  return {
    size: plan.layout.output,
    megabytes: layers.reduce((sum, { megabytes }) => sum + megabytes, 0),
    redraw: (canvas) => drawLayers(canvas, plan),
  };
}

/** True if a layer makes opaque pixels transparent. */
export function hasMask(layers: Layered['layers'] = []): boolean {
  return layers.some(({ options }) => options.blend === 'mask');
}

async function drawLayers(image: HeldImage, plan: RenderPlan): Promise<HeldImage> {
  const { layers, format } = plan;
  const canvas = layers.some(({ blend }) => blend === 'mask') ? withAlpha(image) : image;
  for (const layer of layers) {
    for (const painting of await layer.draw()) paintOver(canvas, painting);
  }
  return isOpaque(format) ? onBackground(canvas, paintOf(plan)) : canvas;
}
