import type { OverlayOptions, Sharp } from 'sharp';
import type { Parameter } from '../transformation/param.ts';
import type { Colour } from '../transformation/syntax.ts';
import type { AnalysisResults, AnalysisSpec } from './analysis/analysis.ts';
import type { ColourMap } from './drawing/colour-map.ts';
import type { BlendMode } from './layers/blend-modes.ts';
import type { Radius } from './layout/corners.ts';
import type { Layout, Point, Size } from './layout/geometry.ts';

export type ImageFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif';

/** Formats that can hold an image without loss in few bytes, if it has few colours. */
export type ExactFormat = 'webp' | 'png';

/** Plan of a render before its format is chosen. */
export interface PlanDraft {
  layout: Layout;
  /** Analysis results that a step needs. */
  analysis: AnalysisResults;
  /** Colour of bars, of the corners of a turned image, and of the background in formats without alpha. */
  background: Colour;
  /** False where `background` is the default white. */
  hasBackground: boolean;
  /** Blur of the copy of the image that replaces the colour of bars, in pixels. */
  backgroundBlur: number | undefined;
  /** Of the corners of the result. */
  radius: Radius | undefined;
  /** True if the image has alpha before anything is painted around it: from the original or a cut-out. */
  sourceAlpha: boolean;
}

/** All that is settled about a render before its first pixel: what the steps have in common. */
export interface RenderPlan extends PlanDraft {
  /** Layers, from the lowest to the highest. */
  layers: readonly OpenLayer[];
  /** The format of the result. */
  format: ImageFormat;
  /** True if the result can have transparent pixels. */
  hasAlpha: boolean;
}

/**
 * Operations of sharp in the order in which it runs them, regardless of the order of calls. `rotate` also stands for
 * mirroring, `resize` for cutting before and after it.
 */
export const PLACES = [
  'rotate',
  'resize',
  'extend',
  'median',
  'blur',
  'convolve',
  'recomb',
  'modulate',
  'sharpen',
  'composite',
  'linear',
  'tint',
] as const;

export type Place = (typeof PLACES)[number];

interface EffectTraits {
  /** The image's size after it, if it changes. */
  size?: Size;
  /** The memory that it takes while it runs. */
  megabytes?: number;
  /**
   * It gives the same in any colour space and depth: it only moves pixels, or paints nothing but white. Others get sRGB
   * of 8 bits.
   */
  inAnyColourSpace?: boolean;
}

/** An effect that is operations of sharp. */
export interface Operations extends EffectTraits {
  /** Position in sharp's chain. Without it they get a chain of their own, which holds the whole image. */
  place?: Place;
  /** The last operation, if there are several. */
  until?: Place;
  /** Extends the chain. */
  apply(image: Sharp): Sharp;
}

/** An effect that sharp lays over the image. Neighbours are composited together, in their order. */
export interface Overlays extends EffectTraits {
  overlays(): readonly OverlayOptions[];
}

/** An image in memory: rows of interleaved sRGB samples of 8 bits, alpha last and not premultiplied. */
export interface HeldImage extends Size {
  channels: 1 | 2 | 3 | 4;
  data: Buffer;
}

/** An image at its position over a canvas. */
export interface Painting {
  image: HeldImage;
  /** Of its top left corner; it may lie outside. */
  at: Point;
  /** 0 to 1. */
  opacity: number;
  blend: BlendMode;
  /** The pixels between its copies, where it is repeated over all of the canvas. */
  gap?: number | undefined;
}

/** A layer that can be drawn. */
export interface OpenLayer {
  blend: BlendMode;
  /** An estimate of the memory that drawing it takes. */
  megabytes: number;
  /** Estimates of the CPU time that drawing it takes, and painting it over a canvas. */
  drawMs: number;
  paintMs: number;
  /** The layer, its shadow before it. */
  draw(): Promise<readonly Painting[]>;
}

/** An effect that goes over the pixels itself. It gets a chain of its own. */
export interface Redrawing extends EffectTraits {
  /** May change the image in place. */
  redraw(image: HeldImage): HeldImage | Promise<HeldImage>;
}

export type Effect = Operations | Overlays | Redrawing;

/**
 * A parameter with its effect. Effects apply in the order of the list, not in that of sharp. No step decodes or
 * encodes.
 */
export interface ImageStep<Name extends string, T> extends Parameter<Name, T> {
  /**
   * Effect on an image; undefined when it changes nothing. Called in every render.
   * @param value undefined where the parameter is absent
   */
  effect?(value: T | undefined, plan: RenderPlan): Effect | undefined;
  /** Effect on colours alone, instead of `effect`. Neighbours are merged. */
  colours?(value: T): ColourMap;
  /** Analyses that the layout needs. */
  needs?(value: T): AnalysisSpec | undefined;
  /** Estimate of the CPU time of its effect, in ms for each megapixel of the scaled image, for admission. */
  contentRate?(value: T): number;
  /** Estimate of the CPU time of what it paints, in ms for each megapixel of the result. */
  outputRate?(value: T): number;
  /** True if its effect can make an opaque image transparent. Called before the format is chosen. */
  addsAlpha?(value: T | undefined, draft: PlanDraft): boolean;
}

/** Declares a step; the types of name and value are inferred. */
export function defineStep<const Name extends string, T>(step: ImageStep<Name, T>): ImageStep<Name, T> {
  return step;
}

/** True for a format whose every pixel is opaque. */
export function isOpaque(format: ImageFormat): boolean {
  return format === 'jpeg';
}

/** The background as the format of the result can show it. Without alpha it lies on white. */
export function paintOf({ background, format }: RenderPlan): Colour {
  if (!isOpaque(format)) return background;
  const { red, green, blue, alpha } = background;
  const onWhite = (channel: number) => Math.round(255 + ((channel - 255) * alpha) / 255);
  return { red: onWhite(red), green: onWhite(green), blue: onWhite(blue), alpha: 255 };
}

/** White is white in any colour space. */
export function paintsWhite({ background: { red, green, blue } }: PlanDraft): boolean {
  return red === 255 && green === 255 && blue === 255;
}

/** A colour as sharp takes it: alpha from 0 to 1. */
export function sharpColour({ red, green, blue, alpha }: Colour) {
  return { r: red, g: green, b: blue, alpha: alpha / 255 };
}
