import { readFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { type DecodedImage, type DecodeLimits, toSharp, UnsupportedImage } from '../decoded-image.ts';
import { compositeLayers, hasLayers } from './composite.ts';
import { readPsdFile } from './file.ts';
import { decodeMerged, mergedState } from './merged.ts';

/**
 * The picture of a PSD or PSB file as a sharp instance: upright, flattened, with its alpha and
 * ICC profile, ready for the pipeline that other pictures go through. Reads the whole file into memory.
 * Throws ImageTooLarge by the declared size before anything is decoded, UnsupportedImage for a file that is damaged or cannot be drawn.
 */
export async function openPsd(file: string, limits: DecodeLimits): Promise<Sharp> {
  return toSharp(decodePsd(await readFile(file), limits));
}

/**
 * The flattened picture: the merged one that the file carries, or its layers drawn. The layers are also drawn when the merged
 * picture has a single colour, because some programs leave it out without saying so.
 * Throws like openPsd.
 */
export function decodePsd(bytes: Buffer, limits: DecodeLimits): DecodedImage {
  const file = readPsdFile(bytes, limits);
  const state = mergedState(file);
  if (state === 'absent' && hasLayers(file)) return compositeLayers(file, limits);
  const { image, blank } = decodeMerged(file);
  if (!blank || !hasLayers(file)) return image;
  try {
    return compositeLayers(file, limits);
  } catch (error) {
    if (state === 'real' && error instanceof UnsupportedImage) return image;
    throw error;
  }
}
