import { stat } from 'node:fs/promises';
import type { Colour } from '../transformation/syntax.ts';
import { type InputLimits, openPicture, type Picture } from './decode.ts';
import { type Chain, chainMegabytes, drawChains, planChains } from './drawing/chains.ts';
import { planEffects } from './drawing/plan-effects.ts';
import { type Encoded, encodePicture, type SamePicture } from './encode/encode.ts';
import { FormatLimitExceeded, type ImageFailure, LimitExceeded, resultOf, UndecodableImage } from './failure.ts';
import type { Focus } from './focus/focus.ts';
import type { Layout } from './geometry.ts';
import { layoutOf } from './layout-of.ts';
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

export interface RenderLimits extends InputLimits {
  outputSide: number;
  outputMegapixels: number;
  /** The largest pictures for formats whose encoders hold the picture as a whole. */
  formatMegapixels?: Readonly<Partial<Record<ImageFormat, number>>>;
}

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
    const plan = planRender(picture, request);
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

function planRender(picture: Picture, { options, format, limits, focus }: RenderRequest): RenderPlan {
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

function addsAlpha(options: Readonly<Record<string, unknown>>, draft: PlanDraft): boolean {
  return STEPS.some((step) => step.addsAlpha?.(options[step.name], draft));
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

/** @throws LimitExceeded when the result or the turned canvas would be too large */
function checkOutput({ output, turned }: Layout, limits: RenderLimits): void {
  const side = Math.max(output.width, output.height);
  if (side > limits.outputSide) {
    throw new LimitExceeded(
      `The result would be ${output.width}x${output.height}; the limit for a side is ${limits.outputSide} (MAX_OUTPUT_SIDE).`,
    );
  }
  const megapixels = (output.width * output.height) / 1e6;
  if (megapixels > limits.outputMegapixels) {
    throw new LimitExceeded(
      `The result would have ${megapixels.toFixed(1)} megapixels (${output.width}x${output.height}); the limit is ${limits.outputMegapixels} (MAX_OUTPUT_MEGAPIXELS).`,
    );
  }
  // A turned canvas holds up to twice the pixels of the picture.
  const canvas = (turned.width * turned.height) / 1e6;
  if (canvas > 2 * limits.inputMegapixels) {
    throw new LimitExceeded(
      `The turned picture would have ${canvas.toFixed(1)} megapixels; the limit is twice ${limits.inputMegapixels} (MAX_INPUT_MEGAPIXELS).`,
    );
  }
}

/**
 * A transparent WebP needs as much memory as an opaque one of twice its size.
 * @throws FormatLimitExceeded
 */
function checkFormat(format: ImageFormat, hasAlpha: boolean, { output }: Layout, limits: RenderLimits): void {
  const share = format === 'webp' && hasAlpha ? 0.5 : 1;
  const limit = limits.formatMegapixels?.[format] ?? Number.POSITIVE_INFINITY;
  const megapixels = (output.width * output.height) / 1e6;
  if (megapixels <= limit * share) return;
  const [what, rule] = share < 1 ? [' with transparency', 'half of '] : ['', ''];
  const setting = `MAX_${format.toUpperCase()}_MEGAPIXELS`;
  throw new FormatLimitExceeded(
    `The result would have ${megapixels.toFixed(1)} megapixels (${output.width}x${output.height}); the limit for ${format.toUpperCase()}${what} is ${limit * share} (${rule}${setting}).`,
  );
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
    if (isOfTheSystem(cause)) throw cause;
    throw new UndecodableImage('The picture cannot be decoded to its end.', { cause });
  }
}

/** A full disk is not the picture's fault. Node's errors name the system call, those of libvips contain the words. */
function isOfTheSystem(cause: unknown): boolean {
  return cause instanceof Error && ('syscall' in cause || cause.message.includes('system error:'));
}

async function originalOf(file: string, { pixels }: Picture): Promise<SamePicture> {
  const { size } = await stat(file);
  return { file, size, pixels };
}
