import { readFile } from 'node:fs/promises';
import { type DecodedImage, type DecodeLimits, toSharp, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import type { Sharp } from 'sharp';
import { compositeLayers, hasLayers } from './composite.ts';
import { type PsdFile, readPsdFile } from './file.ts';
import { decodeMerged, mergedState } from './merged.ts';

/** Numbers of image resources (Adobe Photoshop File Formats Specification, 2019). */
const RESOURCES = { exif: 1058, iptc: 1028, xmp: 1060 } as const;

/** An opened file: its image, and the metadata that may state rights. */
export interface OpenPsd {
  image: Sharp;
  exif: Buffer | undefined;
  iptc: Buffer | undefined;
  xmp: Buffer | undefined;
}

/**
 * Opens a PSD or PSB file as a sharp instance: upright, flattened, with alpha and ICC profile, ready for the common
 * pipeline. Reads the entire file into memory.
 * @throws ImageTooLarge by the declared size before anything is decoded, UnsupportedImage for a file that is damaged or
 * cannot be drawn
 */
export async function openPsd(file: string, limits: DecodeLimits): Promise<OpenPsd> {
  const parts = readPsdFile(await readFile(file), limits);
  return {
    image: await toSharp(flattened(parts, limits)),
    exif: parts.resources.get(RESOURCES.exif),
    iptc: parts.resources.get(RESOURCES.iptc),
    xmp: parts.resources.get(RESOURCES.xmp),
  };
}

/**
 * Decodes the flattened image: the merged one of the file, or its drawn layers. Layers are also drawn if the merged
 * image has a single colour, because some programs omit it without saying so.
 * @throws as `openPsd`
 */
export function flattened(file: PsdFile, limits: DecodeLimits): DecodedImage {
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
