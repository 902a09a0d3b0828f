import type { Sharp } from 'sharp';
import type { Parameter } from '../transformation/param.ts';
import type { Colour } from '../transformation/syntax.ts';
import type { Layout } from './geometry.ts';

export type ImageFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif';

/** All that is settled about a render before its first pixel: what the steps have in common. */
export interface RenderPlan {
  layout: Layout;
  /** The format of the result. */
  format: ImageFormat;
  /** What bars, the corners of a turned picture and the ground of a format without alpha are painted with. */
  background: Colour;
  /** False where `background` is the default white, because none was asked for. */
  backgroundGiven: boolean;
  /** Whether the original has an alpha channel. */
  sourceAlpha: boolean;
}

/**
 * A parameter with its effect. Every step is applied to every render, in the order of the list; a step whose parameter is
 * absent gets undefined. Steps only extend sharp's chain: no step decodes or encodes.
 */
export interface ImageStep<Name extends string, T> extends Parameter<Name, T> {
  apply?(image: Sharp, value: T | undefined, plan: RenderPlan): Sharp;
}

/** Declares a step; the types of name and value are inferred. */
export function defineStep<const Name extends string, T>(step: ImageStep<Name, T>): ImageStep<Name, T> {
  return step;
}

/** Formats whose every pixel is opaque. */
const OPAQUE_FORMATS: readonly ImageFormat[] = ['jpeg'];

export function isOpaque(format: ImageFormat): boolean {
  return OPAQUE_FORMATS.includes(format);
}

/** The background as the format of the result can show it: where there is no alpha, it lies on white. */
export function paintOf({ background, format }: RenderPlan): Colour {
  if (!isOpaque(format)) return background;
  const { red, green, blue, alpha } = background;
  const onWhite = (channel: number) => Math.round(255 + ((channel - 255) * alpha) / 255);
  return { red: onWhite(red), green: onWhite(green), blue: onWhite(blue), alpha: 255 };
}

/** A colour as sharp takes it: alpha from 0 to 1. */
export function sharpColour({ red, green, blue, alpha }: Colour) {
  return { r: red, g: green, b: blue, alpha: alpha / 255 };
}
