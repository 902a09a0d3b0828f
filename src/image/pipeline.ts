import { stat } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import type { Colour } from '../transformation/syntax.ts';
import {
  FormatLimitExceeded,
  type InputLimits,
  LimitExceeded,
  openPicture,
  type Picture,
  UndecodableImage,
} from './decode.ts';
import { encodePicture, type SamePicture } from './encode/encode.ts';
import { type ImageFailure, resultOf } from './failure.ts';
import { type Focus, placeByFocus } from './focus/find-focus.ts';
import { type GeometryRequest, type Layout, type Placement, planLayout, type Size } from './geometry.ts';
import { ALL_ROOM, encodeMegabytes, type Room, turnMegabytes } from './memory.ts';
import { type ImageFormat, isOpaque, type RenderPlan } from './step.ts';
import { placeByDirection } from './steps/gravity.ts';
import { type ImageOptions, imageSteps } from './steps/index.ts';
import { DEFAULT_QUALITY } from './steps/quality.ts';

export interface RenderLimits extends InputLimits {
  outputSide: number;
  outputMegapixels: number;
  /** Formats whose encoders hold the picture as a whole, and how large it may be. */
  formatMegapixels?: Readonly<Partial<Record<ImageFormat, number>>>;
}

/** What a render needs; plain data, so that it can cross a process boundary. */
export interface RenderRequest {
  /** The original, a local file that is only read. */
  input: string;
  /** A file that does not exist yet, for the result. */
  output: string;
  options: ImageOptions;
  /** `fallback` is PNG when the result has alpha, else JPEG. */
  format: ImageFormat | 'fallback';
  limits: RenderLimits;
  /** For the gravities `face` and `auto`; without it they mean the middle. */
  focus?: Focus | undefined;
}

export type RenderResult =
  | { outcome: 'rendered'; format: ImageFormat; width: number; height: number; size: number }
  | ImageFailure;

const WHITE: Colour = { red: 255, green: 255, blue: 255, alpha: 255 };

/**
 * Renders one variant: one decode, one encode; the output file is complete when this resolves.
 * @throws NeedsRoom when there is not enough for it
 */
export function renderImage(request: RenderRequest, room: Room = ALL_ROOM): Promise<RenderResult> {
  return resultOf(async () => {
    const picture = await openPicture(request.input, request.limits, room);
    const plan = planRender(picture, request);
    room(megabytesOf(picture, plan, request.options));
    const size = await draw(picture, plan, request);
    const { width, height } = plan.layout.output;
    return { outcome: 'rendered', format: plan.format, width, height, size };
  });
}

function planRender(picture: Picture, { options, format, limits, focus }: RenderRequest): RenderPlan {
  const layout = planLayout(picture.upright, geometryOf(options), ...placementsOf(picture.upright, options, focus));
  checkOutput(layout, limits);
  const hasAlpha = resultHasAlpha(picture, options, layout);
  if (format !== 'fallback') checkFormat(format, hasAlpha, layout, limits);
  return {
    layout,
    format: format === 'fallback' ? (hasAlpha ? 'png' : 'jpeg') : format,
    background: options.background ?? WHITE,
    backgroundGiven: options.background !== undefined,
    sourceAlpha: picture.hasAlpha,
  };
}

function megabytesOf(picture: Picture, { layout, format }: RenderPlan, { angle = 0, quality }: ImageOptions): number {
  const encoding = encodeMegabytes(layout.output, { format, isSearched: quality === 'auto' });
  return picture.megabytes + turnMegabytes(picture.upright, angle) + encoding;
}

function geometryOf({ width, height, crop, aspectRatio, angle }: ImageOptions): GeometryRequest {
  return {
    ...(width && { width }),
    ...(height && { height }),
    ...(aspectRatio && { aspectRatio: aspectRatio.width / aspectRatio.height }),
    crop: crop ?? 'fill',
    angle: angle ?? 0,
  };
}

/** Where a crop is taken from, and where padding leaves the picture: a focus says nothing of the latter. */
function placementsOf(
  upright: Size,
  { gravity = 'center', angle = 0 }: ImageOptions,
  focus: Focus | undefined,
): [Placement, Placement] {
  const direction = placeByDirection(gravity === 'face' || gravity === 'auto' ? 'center' : gravity);
  return [focus ? placeByFocus(focus, upright, angle) : direction, direction];
}

/** @throws LimitExceeded when the result, or the canvas on the way to it, would be too large */
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

/** Whether the result can have transparent pixels, known without looking at one. */
function resultHasAlpha({ hasAlpha }: Picture, { background, radius, angle }: ImageOptions, layout: Layout): boolean {
  if (hasAlpha || (radius && !background)) return true;
  const isPainted =
    radius ||
    (angle ?? 0) % 90 !== 0 ||
    layout.output.width * layout.output.height > layout.content.width * layout.content.height;
  return Boolean(isPainted && background && background.alpha < 255);
}

function applySteps(image: Sharp, options: ImageOptions, plan: RenderPlan): Sharp {
  const values: Readonly<Record<string, unknown>> = options;
  let chain = image;
  for (const step of imageSteps) {
    // Each step gets the value of its own name: the types of the list guarantee it, a loop over it cannot express it.
    const apply = step.apply as ((image: Sharp, value: unknown, plan: RenderPlan) => Sharp) | undefined;
    if (apply) chain = apply(chain, values[step.name], plan);
  }
  return chain.toColourspace('srgb');
}

/** Decodes, applies the steps and encodes into the output. @returns the size of the result in bytes */
async function draw(picture: Picture, plan: RenderPlan, request: RenderRequest): Promise<number> {
  const { quality = DEFAULT_QUALITY } = request.options;
  const same = isSamePicture(picture, plan, request.options) ? await originalOf(request.input, picture) : undefined;
  try {
    const image = paintsTooEarly(picture, plan, request.options) ? await toSrgb(picture.image) : picture.image;
    const pixels = applySteps(image, request.options, plan);
    return await encodePicture(pixels, {
      format: plan.format,
      quality,
      size: plan.layout.output,
      rights: picture.rights,
      same,
      output: request.output,
    });
  } catch (cause) {
    if (isOfTheSystem(cause)) throw cause;
    throw new UndecodableImage('The picture cannot be decoded to its end.', { cause });
  }
}

/** A full disk is not the picture's fault. Node's errors name the system call, those of libvips say so in words. */
function isOfTheSystem(cause: unknown): boolean {
  return cause instanceof Error && ('syscall' in cause || cause.message.includes('system error:'));
}

/** Whether a colour would be painted among pixels that are not sRGB yet, and so come out as another. White is white anywhere. */
function paintsTooEarly({ becomesSrgb }: Picture, plan: RenderPlan, { angle, radius }: ImageOptions): boolean {
  const { red, green, blue } = plan.background;
  if (becomesSrgb === 'at once' || red + green + blue === 3 * 255) return false;
  if ((angle ?? 0) % 90 !== 0) return true;
  const { output, content } = plan.layout;
  const hasBars = output.width !== content.width || output.height !== content.height;
  const isFlattened = plan.sourceAlpha && isOpaque(plan.format);
  return becomesSrgb === 'at the end' && (hasBars || isFlattened || radius !== undefined);
}

/** The whole picture, upright, in sRGB of 8 bits; this costs memory, but what asks for it is rare. */
async function toSrgb(image: Sharp): Promise<Sharp> {
  const raw = image.autoOrient().toColourspace('srgb').raw({ depth: 'uchar' });
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: false });
}

/** Whether the result shows what the original shows, at its size and in its format. */
function isSamePicture({ format, upright }: Picture, plan: RenderPlan, { angle, radius }: ImageOptions): boolean {
  const { output, content } = plan.layout;
  const isWhole = [output, content].every(({ width, height }) => width === upright.width && height === upright.height);
  return format === plan.format && isWhole && !angle && !radius;
}

async function originalOf(file: string, { pixels }: Picture): Promise<SamePicture> {
  const { size } = await stat(file);
  return { file, size, pixels };
}
