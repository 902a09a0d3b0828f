import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

export interface FilmSize {
  width: number;
  height: number;
  frames: number;
}

export interface Film {
  file: string;
  /** Of all frames. */
  megapixels: number;
}

const PHOTO = fileURLToPath(new URL('../../test/fixtures/photo-2725x2225.jpg', import.meta.url));
/** In milliseconds. */
const DELAY = 100;

/** A window that moves over a photo, a pixel a frame each way. */
export async function makeFilm(
  folder: string,
  { width, height, frames }: FilmSize,
  format: 'gif' | 'webp',
): Promise<Film> {
  const size = { width: width + frames, height: height + frames };
  const photo = await sharp(PHOTO).resize(size).raw().toBuffer();
  const strip = Buffer.alloc(width * height * 3 * frames);
  for (let frame = 0, to = 0; frame < frames; frame++) {
    for (let y = frame; y < frame + height; y++) {
      const from = (y * size.width + frame) * 3;
      to += photo.copy(strip, to, from, from + width * 3);
    }
  }
  const raw = { width, height: height * frames, channels: 3 as const, pageHeight: height };
  const timing = { delay: new Array<number>(frames).fill(DELAY), effort: 1 };
  const image = sharp(strip, { raw, limitInputPixels: false });
  const file = join(folder, `${frames}.${format}`);
  await (format === 'gif' ? image.gif({ ...timing, colours: 64 }) : image.webp(timing)).toFile(file);
  return { file, megapixels: (width * height * frames) / 1e6 };
}
