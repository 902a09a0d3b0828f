import { stat } from 'node:fs/promises';
import { isMoving } from '../transformation/animated.ts';
import type { Colour } from '../transformation/syntax.ts';
import { decodeFrames } from './animation/decode-frames.ts';
import { drawFrames, drawnOnce } from './animation/draw-frames.ts';
import { encodeFrames } from './animation/encode-frames.ts';
import { countFrames } from './animation/frames.ts';
import { isCutOut } from './cutout/cutout.ts';
import { decoding, openPicture, type Picture } from './decode.ts';
import { drawnScale, timesDrawn } from './documents/drawn-size.ts';
import { type Chain, chainMegabytes, drawChains, planChains } from './drawing/chains.ts';
import { planEffects } from './drawing/plan-effects.ts';
import { type Encoded, encodePicture, type SamePicture } from './encode/encode.ts';
import { type ImageFailure, resultOf } from './failure.ts';
import { cutBorder } from './findings/cut-border.ts';
import type { Findings } from './findings/findings.ts';
import { hasMask } from './layers/draw-layers.ts';
import { openLayers } from './layers/open-layers.ts';
import type { Rectangle, Size } from './layout/geometry.ts';
import { layoutOf } from './layout/layout-of.ts';
import { checkFormat, checkFrames, checkOutput, type RenderLimits } from './limits.ts';
import { ALL_ROOM, encodeMegabytes, framesMegabytes, type Room, slowMegabytes } from './memory.ts';
import {
  type ExactFormat,
  type ImageFormat,
  type ImageStep,
  isOpaque,
  type PlanDraft,
  type RenderPlan,
} from './step.ts';
import type { Background } from './steps/canvas/background.ts';
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
  /** What its steps need. What is missing counts as if there were nothing to find. */
  findings?: Findings | undefined;
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
export function renderImage(asked: RenderRequest, room: Room = ALL_ROOM): Promise<RenderResult> {
  return resultOf(async () => {
    const { findings = {}, ...rest } = asked;
    const { opened, ...drawn } = await openSubject(asked, findings, room);
    const frames = framesOf(opened, asked);
    const { picture, ...subject } = await decoding(() => cutBorder({ ...drawn, picture: opened }, room));
    const request = { ...rest, ...subject };
    const draft = planRender(picture, request);
    const { output } = draft.layout;
    if (frames > 1) checkFrames(frames, 'result would have', output, asked.limits);
    const layers = await openLayers(request, output, room);
    const plan = { ...draft, layers: frames > 1 ? layers.map(drawnOnce) : layers };
    const effects = planEffects(request.options, plan);
    const chains = planChains(effects, picture.upright, frames > 1 ? 'at once' : picture.becomesSrgb);
    const all = frames > 1 ? framesMegabytes(frames, opened, output) : 0;
    const held = megabytesOf(picture, plan, chains, request) + all;
    room(held + frames * slowMegabytes(output, plan.format), held);
    const isSame = effects.length === 0 && picture.format === plan.format;
    const part = picture === opened ? undefined : (findings.edges ?? undefined);
    const moving = frames > 1 ? { picture: opened, part } : undefined;
    const encoded = await draw(picture, plan, chains, { ...request, isSame, moving });
    return { outcome: 'rendered', width: output.width, height: output.height, ...encoded };
  });
}

/** Opens the original. A drawing has the size then that the render needs, and all that was said and found is of that. */
async function openSubject({ options, inputs, limits }: RenderRequest, findings: Findings, room: Room) {
  const scale = (natural: Size) => drawnScale(natural, options, findings);
  const opened = await openPicture(inputs.original, limits, room, { page: options.page, scale });
  const times = opened.natural ? opened.upright.width / opened.natural.width : 1;
  return { opened, ...timesDrawn({ options, findings }, times) };
}

/** How many frames the result gets; 1 for a still picture. @throws LimitExceeded when they are too large together */
function framesOf(picture: Picture, { options, format, limits }: RenderRequest): number {
  const frames = options.animated && isMoving(format) ? countFrames(picture) : 1;
  if (frames > 1) checkFrames(frames, 'original has', picture.upright, limits);
  return frames;
}

function planRender(
  picture: Picture,
  { options, format, limits, findings = {} }: RenderRequest,
): Omit<RenderPlan, 'layers'> {
  const layout = layoutOf(picture.upright, options, findings);
  checkOutput(layout, limits);
  const draft: PlanDraft = {
    layout,
    findings,
    ...groundOf(options.background, findings),
    radius: options.radius,
    sourceAlpha: picture.hasAlpha || isCutOut(options, findings),
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

interface Drawing extends RenderRequest {
  /** Whether the result is the original as it is. */
  isSame: boolean;
  /** The original whose frames all go into the result, and the part of them that is left. */
  moving: { picture: Picture; part: Rectangle | undefined } | undefined;
}

/** Decodes, draws and encodes into the output. */
async function draw(
  picture: Picture,
  plan: RenderPlan,
  chains: readonly Chain[],
  { options, inputs, output, exact, isSame, moving }: Drawing,
): Promise<Encoded> {
  const { format, layout, hasAlpha } = plan;
  const { quality = DEFAULT_QUALITY } = options;
  const same = isSame ? await originalOf(inputs.original, picture) : undefined;
  const order = { format, quality, size: layout.output, hasAlpha, rights: picture.rights, exact, same, output };
  return decoding(async () => {
    if (!moving) {
      const [page] = picture.pages;
      return encodePicture(await drawChains(page.image.autoOrient(), chains, hasAlpha), order);
    }
    const frames = await decodeFrames(inputs.original, moving.picture, moving.part);
    return encodeFrames(await drawFrames(frames, chains, plan), order);
  });
}

async function originalOf(file: string, { pixels }: Picture): Promise<SamePicture> {
  const { size } = await stat(file);
  return { file, size, pixels };
}
