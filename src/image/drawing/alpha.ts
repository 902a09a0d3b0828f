import type { Colour } from '../../transformation/syntax.ts';
import { type HeldImage, sharpColour } from '../step.ts';
import { lateSharp } from './late-sharp.ts';

/** The same image with an alpha channel. One that has it is returned itself. */
export function withAlpha(image: HeldImage): HeldImage {
  const { data, channels, ...size } = image;
  if (channels === 4) return image;
  const wide = Buffer.alloc((data.length / channels) * 4, 255);
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4) {
    wide[to] = data[from] as number;
    wide[to + 1] = data[from + 1] as number;
    wide[to + 2] = data[from + 2] as number;
  }
  return { ...size, channels: 4, data: wide };
}

/** Lays an image on a background of one opaque colour. */
export async function onBackground(image: HeldImage, ground: Colour): Promise<HeldImage> {
  const { data, ...raw } = image;
  if (raw.channels !== 4) return image;
  const sharp = await lateSharp();
  const flat = sharp(data, { raw, limitInputPixels: false }).flatten({ background: sharpColour(ground) });
  return { ...raw, channels: 3, data: await flat.raw().toBuffer() };
}
