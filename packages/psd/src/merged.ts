import { type DecodedImage, UnsupportedImage } from '@darkroom/image-files/decoded-image';
import type { Samples } from '@darkroom/image-files/samples';
import { readPlanes } from './channels.ts';
import { COLOURS, toImage } from './colour.ts';
import { ByteReader, type PsdFile } from './file.ts';

const VERSION_INFO_RESOURCE = 1057;

/** Returns the stated state of the merged image: drawn, omitted when the file was saved, or unknown. */
export function mergedState(file: PsdFile): 'real' | 'absent' | 'unknown' {
  const flag = file.resources.get(VERSION_INFO_RESOURCE)?.[4];
  if (flag === undefined) return 'unknown';
  return flag ? 'real' : 'absent';
}

/**
 * Decodes the merged image that most files have after their layers. `blank` is true if all pixels are equal, as in
 * files written without one.
 */
export function decodeMerged(file: PsdFile): { image: DecodedImage; blank: boolean } {
  const colours = COLOURS[file.mode];
  if (file.channels < colours) throw new UnsupportedImage(`${file.channels} channels in ${file.mode} mode`);
  const hasAlpha = file.transparency && file.channels > colours && file.mode !== 'indexed' && file.mode !== 'bitmap';
  const requested = colours + (hasAlpha ? 1 : 0);
  const planes = readPlanes(new ByteReader(file.merged), file, file.channels, requested, file.large);
  const blank = planes.every(isUniform);
  const alpha = hasAlpha ? planes.pop() : undefined;
  const colourPlanes = alpha ? planes.map((plane) => withoutWhite(plane, alpha)) : planes;
  return { image: toImage(file, colourPlanes, alpha), blank };
}

const isUniform = (plane: Samples) => plane.every((value) => value === plane[0]);

/** Removes the white (in CMYK: no ink) that transparent pixels are stored blended with. */
function withoutWhite(plane: Samples, alpha: Samples): Samples {
  const white = plane instanceof Uint16Array ? 65_535 : 255;
  return plane.map((value, i) => {
    const opacity = (alpha[i] as number) / white;
    return opacity === 0 ? value : Math.max(0, Math.round(white - (white - value) / opacity));
  });
}
