import { stat } from 'node:fs/promises';
import { writeXmp } from '@darkroom/image-files/rights/write-xmp';
import { isMoving } from '../transformation/animated.ts';
import type { AnalysisResults } from './analysis/analysis.ts';
import { cutBorder } from './analysis/cut-border.ts';
import { renderMs } from './cost/render.ts';
import { decoding, type OpenImage, openImage } from './decode.ts';
import { drawnScale, timesDrawn } from './documents/drawn-size.ts';
import { type Chain, chainMegabytes, changeNothing, planChains } from './drawing/chains.ts';
import { countFrames } from './drawing/frames.ts';
import { moving } from './drawing/moving.ts';
import { type PlanRequest, planEffects, planRender } from './drawing/plan-render.ts';
import { type Rendition, still } from './drawing/rendition.ts';
import type { EncodeOrder } from './encode/encode.ts';
import { type ImageFailure, resultOf } from './failure.ts';
import { openLayers } from './layers/open-layers.ts';
import type { Size } from './layout/geometry.ts';
import { checkFrames } from './limits.ts';
import { encodeMegabytes, type MemoryCheck, UNLIMITED } from './memory.ts';
import type { ExactFormat, ImageFormat, RenderPlan } from './step.ts';
import type { ImageOptions } from './steps/index.ts';
import { DEFAULT_QUALITY } from './steps/quality.ts';

/** The local files that a render reads, by name: the original, and any others that its options name. */
export interface RenderInputs {
  original: string;
  [name: string]: string;
}

/** Plain data, so that it can cross a process boundary. */
export interface RenderRequest extends PlanRequest {
  inputs: RenderInputs;
  /** A file that does not exist yet, for the result. */
  output: string;
  /** Tried as well; whichever has fewer bytes is the result. */
  exact?: ExactFormat | undefined;
}

export type RenderResult =
  | { outcome: 'rendered'; format: ImageFormat; width: number; height: number; size: number }
  | ImageFailure;

/**
 * Renders one variant: one decode, one encode; the output file is complete when this resolves.
 * @throws NeedsMemory when there is not enough for it
 */
export function renderImage(request: RenderRequest, checkMemory: MemoryCheck = UNLIMITED): Promise<RenderResult> {
  return resultOf(async () => {
    const { original, rendition, options, analysis } = await openSubject(request, checkMemory);
    const resolved = { ...request, options, analysis };
    const plan = await planWithLayers(original, rendition, resolved, checkMemory);
    const { width, height } = plan.layout.output;
    const chains = planChains(planEffects(options, plan), original.upright, rendition.becomesSrgb);
    const megabytes = megabytesOf(original, plan, chains, resolved) + rendition.megabytes({ width, height });
    const order = await orderOf(original, plan, chains, resolved);
    checkMemory(megabytes, costOf({ original, rendition, plan, request: resolved, isSame: order.same !== undefined }));
    const encoded = await decoding(() => rendition.render(chains, plan, order));
    return { outcome: 'rendered', width, height, ...encoded };
  });
}

/** The image to render, with options and analysis results in its pixels. */
interface Subject {
  original: OpenImage;
  rendition: Rendition;
  options: ImageOptions;
  analysis: AnalysisResults;
}

/**
 * Opens the original: a drawing at the size that the render needs, and any other without the border that the layout
 * cannot leave out.
 * @throws UndecodableImage, LimitExceeded, NeedsMemory
 */
async function openSubject(
  { inputs, options, format, limits, analysis = {} }: RenderRequest,
  checkMemory: MemoryCheck,
): Promise<Subject> {
  const file = inputs.original;
  const scale = (natural: Size) => drawnScale(natural, options, analysis);
  const opened = await openImage(file, limits, checkMemory, { page: options.page, scale });
  const times = opened.natural ? opened.upright.width / opened.natural.width : 1;
  const drawn = timesDrawn({ options, analysis }, times);
  const count = options.animated && isMoving(format) ? countFrames(opened) : 1;
  if (count > 1) checkFrames(count, 'original has', opened.upright, limits);
  const cut = await decoding(() => cutBorder({ ...drawn, original: opened }, checkMemory));
  const part = cut.original === opened ? undefined : (drawn.analysis.edges ?? undefined);
  return { ...cut, rendition: count > 1 ? moving({ file, original: opened, part }, limits) : still(cut.original) };
}

async function planWithLayers(
  original: OpenImage,
  rendition: Rendition,
  request: RenderRequest,
  checkMemory: MemoryCheck,
): Promise<RenderPlan> {
  const draft = planRender(original, request);
  const { output } = draft.layout;
  rendition.check(output);
  const layers = await openLayers(request, output, checkMemory, original.cpuMs);
  return { ...draft, layers: layers.map(rendition.over) };
}

/** Estimates the memory of a render, as if nothing were freed before its end. */
function megabytesOf(original: OpenImage, plan: RenderPlan, chains: readonly Chain[], request: RenderRequest): number {
  const { layout, format } = plan;
  const { options, exact } = request;
  const effects = chains.flatMap((chain) => chain.effects).reduce((sum, { megabytes = 0 }) => sum + megabytes, 0);
  const encoding = encodeMegabytes(layout.output, {
    format,
    isSearched: options.quality === 'auto' || exact !== undefined,
  });
  return original.megabytes + effects + chainMegabytes(chains) + encoding;
}

interface Costly {
  original: OpenImage;
  rendition: Rendition;
  plan: RenderPlan;
  request: RenderRequest;
  isSame: boolean;
}

/** An estimate of the CPU time of a render, in ms. */
function costOf({ original, rendition, plan, request, isSame }: Costly): number {
  const { layout, layers, format, hasAlpha } = plan;
  const { options, exact } = request;
  return renderMs({
    decodeMs: original.cpuMs,
    source: original.format,
    upright: original.upright,
    frames: rendition.count,
    options,
    layout,
    layers,
    format,
    hasAlpha,
    isSearched: options.quality === 'auto',
    isExactTried: exact !== undefined,
    isSame,
  });
}

async function orderOf(
  { rights, format: own, pixels }: OpenImage,
  { format, hasAlpha, layout }: RenderPlan,
  chains: readonly Chain[],
  { options, inputs, output, exact }: RenderRequest,
): Promise<EncodeOrder> {
  const { quality = DEFAULT_QUALITY } = options;
  const file = inputs.original;
  const isSame = own === format && changeNothing(chains);
  const same = isSame ? { file, size: (await stat(file)).size, pixels } : undefined;
  const xmp = rights && writeXmp(rights);
  return { format, quality, size: layout.output, hasAlpha, xmp, exact, same, output };
}
