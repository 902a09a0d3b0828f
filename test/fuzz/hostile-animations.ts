import { type GifFrame, writeGif } from '../corpus/make/gif.ts';
import { pixelsOf, type WebpFrame, writeWebp } from '../pictures/animations.ts';
import { damage, type PictureFile } from './hostile-pictures.ts';
import type { Random } from './seeded-random.ts';

const COLOURS = [
  [0, 0, 0],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 255],
] as const;
const SIDES = [1, 2, 16, 41, 96, 300];
const COUNTS = [1, 2, 3, 12, 40];
/** The maximum number of frames, which are small in that case. */
const MANY = 10_000;
/** In milliseconds. */
const DELAYS = [0, 0, 5, 10, 20, 100, 655_350];

/** Lengths to which every second one is cut. */
const CUTS = [0.1, 0.5, 0.95];

/** Returns an animation whose frames have arbitrary positions, times and disposals; half of them are cut or damaged. */
export async function hostileAnimation(random: Random): Promise<PictureFile> {
  const isGif = random.next() < 0.6;
  const sound = isGif ? randomGif(random) : await randomWebp(random);
  const harm = random.pick(['none', 'none', 'cut', 'damage'] as const);
  const harmed = harm === 'cut' ? sound.subarray(0, sound.length * random.pick(CUTS)) : sound;
  return {
    name: isGif ? 'hostile.gif' : 'hostile.webp',
    bytes: harm === 'damage' ? damage(harmed, random) : Buffer.from(harmed),
  };
}

function randomGif(random: Random): Buffer {
  const isLong = random.next() < 0.05;
  const [width, height] = isLong ? [2, 2] : [random.pick(SIDES), random.pick(SIDES)];
  const count = isLong ? MANY : random.pick(COUNTS);
  const frames = Array.from({ length: count }, (): GifFrame => {
    const colour = random.below(COLOURS.length);
    return {
      // Up to half of a frame lies outside the canvas, or all of it.
      left: random.below(random.pick([1, width, 2 * width])),
      top: random.below(random.pick([1, height, 2 * height])),
      width: 1 + random.below(width),
      height: 1 + random.below(height),
      at: (x, y) => (colour + (x + y > 20 ? 1 : 0)) % COLOURS.length,
      ...(random.next() < 0.5 && { hole: random.below(COLOURS.length) }),
      disposal: random.pick([0, 1, 2, 3]),
      interlaced: random.next() < 0.2,
      delay: random.pick(DELAYS) / 10,
    };
  });
  return writeGif(width, height, COLOURS, frames, random.below(COLOURS.length), random.pick([0, 1, 65_535]));
}

async function randomWebp(random: Random): Promise<Buffer> {
  const width = random.pick(SIDES);
  const height = random.pick(SIDES);
  // Decoders refuse a file with a frame that reaches beyond the canvas.
  const isWithin = random.next() < 0.8;
  const startOf = (side: number, own: number) => 2 * random.below(isWithin ? 1 + (side - own) / 2 : side);
  const frames = Array.from({ length: random.pick(COUNTS) }, (): WebpFrame => {
    const own = { width: 1 + random.below(width), height: 1 + random.below(height) };
    const alpha = random.pick([0, 128, 255]);
    const red = random.below(256);
    return {
      ...own,
      left: startOf(width, own.width),
      top: startOf(height, own.height),
      pixels: pixelsOf(own.width, own.height, 0, (_, x, y) => [red, (x * 5) % 256, (y * 7) % 256, alpha]),
      duration: random.pick(DELAYS),
      isCleared: random.next() < 0.5,
      isBlended: random.next() < 0.5,
    };
  });
  return writeWebp(width, height, frames, { loop: random.pick([0, 1, 65_535]) });
}
