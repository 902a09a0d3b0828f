import type { Colour } from '../../transformation/syntax.ts';
import type { Findings } from '../analysis/findings.ts';
import { isCutOut } from '../cutout/cutout.ts';
import type { OpenImage } from '../decode.ts';
import { hasMask } from '../layers/draw-layers.ts';
import { layoutOf } from '../layout/layout-of.ts';
import { checkFormat, checkOutput, type RenderLimits } from '../limits.ts';
import { type ImageFormat, type ImageStep, isOpaque, type PlanDraft, type RenderPlan } from '../step.ts';
import type { Background } from '../steps/background.ts';
import { type ImageOptions, imageSteps } from '../steps/index.ts';

export interface PlanRequest {
  options: ImageOptions;
  /** `fallback` is PNG when the result has alpha, else JPEG. */
  format: ImageFormat | 'fallback';
  limits: RenderLimits;
  /** Analysis results that the steps need. A missing one counts as nothing found. */
  findings?: Findings | undefined;
}

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;

/**
 * Settles all about a render but its layers, which have to be opened first.
 * @throws LimitExceeded, FormatLimitExceeded
 */
export function planRender(
  { upright, hasAlpha: sourceHasAlpha }: Pick<OpenImage, 'upright' | 'hasAlpha'>,
  { options, format, limits, findings = {} }: PlanRequest,
): Omit<RenderPlan, 'layers'> {
  const layout = layoutOf(upright, options, findings);
  checkOutput(layout, limits);
  const draft: PlanDraft = {
    layout,
    findings,
    ...groundOf(options.background, findings),
    radius: options.radius,
    sourceAlpha: sourceHasAlpha || isCutOut(options, findings),
  };
  const hasAlpha = draft.sourceAlpha || addsAlpha(options, draft);
  if (format !== 'fallback') checkFormat(format, hasAlpha, layout, limits);
  const chosen = format === 'fallback' ? (hasAlpha ? 'png' : 'jpeg') : format;
  return { ...draft, format: chosen, hasAlpha: hasAlpha && !isOpaque(chosen) };
}

function groundOf(background: Background | undefined, { ground }: Findings) {
  const given = background === 'auto' ? ground : background;
  if (given === undefined) return { background: WHITE, backgroundGiven: false, backgroundBlur: undefined };
  if ('blur' in given) return { background: WHITE, backgroundGiven: false, backgroundBlur: given.blur };
  return { background: given, backgroundGiven: true, backgroundBlur: undefined };
}

function addsAlpha(options: ImageOptions, draft: PlanDraft): boolean {
  const values: Readonly<Record<string, unknown>> = options;
  return hasMask(options.layers) || STEPS.some((step) => step.addsAlpha?.(values[step.name], draft));
}
