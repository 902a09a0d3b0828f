import { stat } from 'node:fs/promises';
import type { Colour } from '../transformation/syntax.ts';
import { openPicture, type Picture } from './decode.ts';
import { type Chain, chainMegabytes, drawChains, planChains } from './drawing/chains.ts';
import { planEffects } from './drawing/plan-effects.ts';
import { type Encoded, encodePicture, type SamePicture } from './encode/encode.ts';
import {
  type ImageFailure,
  isOfTheSystem,
  LimitExceeded,
  resultOf,
  UndecodableImage,
  UndecodableLayer,
} from './failure.ts';
import type { Focus } from './focus/focus.ts';
import { hasMask } from './layers/draw-layers.ts';
import { openLayers } from './layers/open-layers.ts';
import { layoutOf } from './layout/layout-of.ts';
import { checkFormat, checkOutput, type RenderLimits } from './limits.ts';
import { ALL_ROOM, encodeMegabytes, type Room, slowMegabytes } from './memory.ts';
import {
  type ExactFormat,
  type ImageFormat,
  type ImageStep,
  isOpaque,
  type PlanDraft,
  type RenderPlan,
} from './step.ts';
import type { Background } from './steps/background.ts';
import { type ImageOptions, imageSteps } from './steps/index.ts';
import { DEFAULT_QUALITY } from './steps/quality.ts';

/** The local files that a render reads, by name: the original, and any others that its options name. */
export interface RenderInputs {
  original: string;
  [name: string]: string;
}

/** Plain data, so that it can cross a process boundary. */
export interface RenderRequest {
  inputs: RenderInputs;
  /** A file that does not exist yet, for the result. */
  output: string;
  options: ImageOptions;
  /** `fallback` is PNG when the result has alpha, else JPEG. */
  format: ImageFormat | 'fallback';
  /** Tried as well; whichever has fewer bytes is the result. */
  exact?: ExactFormat | undefined;
  limits: RenderLimits;
  /** For the gravities `face` and `auto`; without it they mean the middle. */
  focus?: Focus | undefined;
}

export type RenderResult =
  | { outcome: 'rendered'; format: ImageFormat; width: number; height: number; size: number }
  | ImageFailure;

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

const STEPS: readonly ImageStep<string, unknown>[] = imageSteps;

/**
 * Renders one variant: one decode, one encode; the output file is complete when this resolves.
 * @throws NeedsRoom when there is not enough for it
 */
export function renderImage(request: RenderRequest, room: Room = ALL_ROOM): Promise<RenderResult> {
  return resultOf(async () => {
    const picture = await openPicture(request.inputs.original, request.limits, room);
    const draft = planRender(picture, request);
    const layers = await openLayers(request, draft.layout.output, room);
    const plan = { ...draft, layers };
    const effects = planEffects(request.options, plan);
    const chains = planChains(effects, picture.upright, picture.becomesSrgb);
    const held = megabytesOf(picture, plan, chains, request);
    room(held + slowMegabytes(plan.layout.output, plan.format), held);
    const isSame = effects.length === 0 && picture.format === plan.format;
    const encoded = await draw(picture, plan, chains, { ...request, isSame });
    const { width, height } = plan.layout.output;
    return { outcome: 'rendered', width, height, ...encoded };
  });
}

function planRender(picture: Picture, { options, format, limits, focus }: RenderRequest): Omit<RenderPlan, 'layers'> {
  const layout = layoutOf(picture.upright, options, focus);
  checkOutput(layout, limits);
  const draft: PlanDraft = {
    layout,
    ...groundOf(options.background),
    radius: options.radius,
    sourceAlpha: picture.hasAlpha,
  };
  const hasAlpha = picture.hasAlpha || addsAlpha(options, draft);
  if (format !== 'fallback') checkFormat(format, hasAlpha, layout, limits);
  const chosen = format === 'fallback' ? (hasAlpha ? 'png' : 'jpeg') : format;
  return { ...draft, format: chosen, hasAlpha: hasAlpha && !isOpaque(chosen) };
}

function groundOf(background: Background | undefined) {
  if (background === undefined) return { background: WHITE, backgroundGiven: false, backgroundBlur: undefined };
  if ('blur' in background) return { background: WHITE, backgroundGiven: false, backgroundBlur: background.blur };
  return { background, backgroundGiven: true, backgroundBlur: undefined };
}

function addsAlpha(options: ImageOptions, draft: PlanDraft): boolean {
  const values: Readonly<Record<string, unknown>> = options;
  return hasMask(options.layers) || STEPS.some((step) => step.addsAlpha?.(values[step.name], draft));
}

/** What a render holds in all, as if nothing were given back before its end. */
function megabytesOf(picture: Picture, plan: RenderPlan, chains: readonly Chain[], request: RenderRequest): number {
  const { layout, format } = plan;
  const { options, exact } = request;
  const effects = chains.flatMap((chain) => chain.effects).reduce((sum, { megabytes = 0 }) => sum + megabytes, 0);
  const encoding = encodeMegabytes(layout.output, {
    format,
    isSearched: options.quality === 'auto' || exact !== undefined,
  });
  return picture.megabytes + effects + chainMegabytes(chains) + encoding;
}

/** Decodes, draws and encodes into the output. */
async function draw(
  picture: Picture,
  plan: RenderPlan,
  chains: readonly Chain[],
  { options, inputs, output, exact, isSame }: RenderRequest & { isSame: boolean },
): Promise<Encoded> {
  const { quality = DEFAULT_QUALITY } = options;
  const same = isSame ? await originalOf(inputs.original, picture) : undefined;
  try {
    const [page] = picture.pages;
    const pixels = await drawChains(page.image.autoOrient(), chains, plan.hasAlpha);
    const { format, layout, hasAlpha } = plan;
    const size = layout.output;
    return await encodePicture(pixels, {
      format,
      quality,
      size,
      hasAlpha,
      rights: picture.rights,
      exact,
      same,
      output,
    });
  } catch (cause) {
    if (cause instanceof UndecodableLayer || cause instanceof LimitExceeded || isOfTheSystem(cause)) throw cause;
    throw new UndecodableImage('The picture cannot be decoded to its end.', { cause });
  }
}

async function originalOf(file: string, { pixels }: Picture): Promise<SamePicture> {
  const { size } = await stat(file);
  return { file, size, pixels };
}
