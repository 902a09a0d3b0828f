import type { Colour } from '../../transformation/syntax.ts';
import type { AnalysisResults } from '../analysis/analysis.ts';
import type { OpenImage } from '../decode.ts';
import { hasMask, layersEffect } from '../layers/draw-layers.ts';
import { layoutOf } from '../layout/layout-of.ts';
import { checkFormat, checkOutput, type RenderLimits } from '../limits.ts';
import { type Effect, type ImageFormat, type ImageStep, isOpaque, type PlanDraft, type RenderPlan } from '../step.ts';
import type { Background } from '../steps/background.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';
import { type ColourMap, composeMaps } from './colour-map.ts';

export interface PlanRequest {
  options: ImageOptions;
  /** `fallback` is PNG when the result has alpha, else JPEG. */
  format: ImageFormat | 'fallback';
  limits: RenderLimits;
  /** Analysis results that the steps need. A missing one counts as nothing found. */
  analysis?: AnalysisResults | undefined;
}

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

/** In the order of their effect. */
const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;
/** Layers lie over the bars and within the border. */
const ABOVE_LAYERS = 'border';

/**
 * Settles all about a render but its layers, which have to be opened first.
 * @throws LimitExceeded, FormatLimitExceeded
 */
export function planRender(
  { upright, hasAlpha: sourceHasAlpha }: Pick<OpenImage, 'upright' | 'hasAlpha'>,
  { options, format, limits, analysis = {} }: PlanRequest,
): Omit<RenderPlan, 'layers'> {
  const layout = layoutOf(upright, options, analysis);
  checkOutput(layout, limits);
  const draft: PlanDraft = {
    layout,
    analysis,
    ...backgroundOf(options.background, analysis),
    radius: options.radius,
    sourceAlpha: sourceHasAlpha || (options.cutout === true && analysis.cutout?.mask !== undefined),
  };
  const hasAlpha = draft.sourceAlpha || addsAlpha(options, draft);
  if (format !== 'fallback') checkFormat(format, hasAlpha, layout, limits);
  const chosen = format === 'fallback' ? (hasAlpha ? 'png' : 'jpeg') : format;
  return { ...draft, format: chosen, hasAlpha: hasAlpha && !isOpaque(chosen) };
}

function backgroundOf(background: Background | undefined, { ground }: AnalysisResults) {
  const chosen = background === 'auto' ? ground : background;
  if (chosen === undefined) return { background: WHITE, hasBackground: false, backgroundBlur: undefined };
  if ('blur' in chosen) return { background: WHITE, hasBackground: false, backgroundBlur: chosen.blur };
  return { background: chosen, hasBackground: true, backgroundBlur: undefined };
}

function addsAlpha(options: ImageOptions, draft: PlanDraft): boolean {
  const values: Readonly<Record<string, unknown>> = options;
  return hasMask(options.layers) || STEPS.some((step) => step.addsAlpha?.(values[step.name], draft));
}

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
