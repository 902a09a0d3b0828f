import sharp, { type Raw, type Sharp } from 'sharp';
import type { Size } from '../layout/geometry.ts';
import { type Effect, type HeldImage, type Overlays, PLACES, type Redrawing } from '../step.ts';

/** Effects that one chain of sharp applies in the order they are listed in. */
export interface Chain {
  effects: readonly Effect[];
  /** The image's size at its end. */
  size: Size;
}

/**
 * When a chain has turned the pixels of a file into sRGB of 8 bits. Those with a profile or in CMYK are sRGB before
 * they are scaled.
 */
export type BecomesSrgb = 'at once' | 'once scaled' | 'at the end';

/** Red, green, blue, alpha. */
const BYTES_PER_PIXEL = 4;

/**
 * Divides effects into chains. Within a chain sharp follows its own order, so a new one begins where sharp would apply
 * an effect before those that are listed before it. Between two chains the image is held in memory: upright, in sRGB of
 * 8 bits.
 * @param upright the size of the image as it is displayed
 */
export function planChains(effects: readonly Effect[], upright: Size, becomesSrgb: BecomesSrgb): Chain[] {
  const chains: { effects: Effect[]; size: Size }[] = [];
  let size = upright;
  for (const effect of effects) {
    const current = chains.at(-1);
    size = effect.size ?? size;
    if (current && continues(current.effects.at(-1), effect)) {
      current.effects.push(effect);
      current.size = size;
    } else {
      chains.push({ effects: [effect], size });
    }
  }
  const [first] = chains;
  const isTooEarly = first?.effects.some(
    (effect) => isRedrawing(effect) || (needsSrgb(effect) && firstPlace(effect) < SRGB_FROM[becomesSrgb]),
  );
  return isTooEarly || !first ? [{ effects: [], size: upright }, ...chains] : chains;
}

/** True if the chains change nothing. */
export function changeNothing(chains: readonly Chain[]): boolean {
  return chains.every(({ effects }) => effects.length === 0);
}

/** Megabytes of the images between chains. */
export function chainMegabytes(chains: readonly Chain[]): number {
  const pixels = chains.slice(0, -1).reduce((sum, { size }) => sum + size.width * size.height, 0);
  return (pixels * BYTES_PER_PIXEL) / 1e6;
}

/**
 * Draws an image chain after chain. The last chain runs when the result is encoded.
 * @param hasAlpha whether the result can have transparent pixels
 */
export async function drawChains(image: Sharp, chains: readonly Chain[], hasAlpha: boolean): Promise<Sharp> {
  let drawn = image;
  for (const [index, { effects }] of chains.entries()) {
    const before = chains[index - 1];
    if (before) drawn = await redraw(drawn, before.size, effects.find(isRedrawing));
    drawn = applyEffects(drawn, effects, hasAlpha).toColourspace('srgb');
  }
  return drawn;
}

/** Holds an image in memory, where an effect may go over it. */
async function redraw(image: Sharp, size: Size, effect: Redrawing | undefined): Promise<Sharp> {
  const held = await holdImage(image, size);
  return imageOf((await effect?.redraw(held)) ?? held);
}

function applyEffects(image: Sharp, effects: readonly Effect[], hasAlpha: boolean): Sharp {
  const chain = effects.reduce((extended, effect) => ('apply' in effect ? effect.apply(extended) : extended), image);
  const overlays = effects.filter(isOverlays).flatMap((effect) => effect.overlays());
  if (overlays.length === 0) return chain;
  const composed = chain.composite(overlays);
  // Compositing adds an alpha channel, which an opaque result does not need.
  return hasAlpha ? composed : composed.removeAlpha();
}

/** An image in memory, in the colour space that it has. */
export async function holdImage(image: Sharp, size: Size): Promise<HeldImage> {
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { channels } = info;
  // The size that sharp reports is wrong when an image is cut and then extended.
  const { width, height } = size.width * size.height * channels === data.length ? size : info;
  return { data, width, height, channels };
}

/** The same as an image that sharp can change. */
export function imageOf({ data, ...raw }: Raw & { data: Uint8Array }): Sharp {
  return sharp(data, { raw, limitInputPixels: false });
}

function continues(last: Effect | undefined, next: Effect): boolean {
  if (!last) return true;
  if (isRedrawing(last) || isRedrawing(next)) return false;
  return firstPlace(next) > lastPlace(last) || (isOverlays(last) && isOverlays(next));
}

function isOverlays(effect: Effect): effect is Overlays {
  return 'overlays' in effect;
}

function isRedrawing(effect: Effect): effect is Redrawing {
  return 'redraw' in effect;
}

function needsSrgb(effect: Effect): boolean {
  return !effect.inAnyColourSpace;
}

const SRGB_FROM: Readonly<Record<BecomesSrgb, number>> = {
  'at once': Number.NEGATIVE_INFINITY,
  'once scaled': PLACES.indexOf('resize'),
  'at the end': Number.POSITIVE_INFINITY,
};

/** Returns the first position of an effect. One without positions may be anywhere. */
function firstPlace(effect: Effect): number {
  return placesOf(effect)?.first ?? Number.NEGATIVE_INFINITY;
}

function lastPlace(effect: Effect): number {
  return placesOf(effect)?.last ?? Number.POSITIVE_INFINITY;
}

function placesOf(effect: Effect): { first: number; last: number } | undefined {
  const composite = PLACES.indexOf('composite');
  if (isOverlays(effect)) return { first: composite, last: composite };
  if (isRedrawing(effect) || effect.place === undefined) return undefined;
  return { first: PLACES.indexOf(effect.place), last: PLACES.indexOf(effect.until ?? effect.place) };
}
