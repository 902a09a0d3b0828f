import sharp, { type Sharp } from 'sharp';
import type { Cutout } from '../analysis/analysis.ts';
import { MODEL_SIDE, type PeopleFinder } from './find-people.ts';
import { fitLines, type Guide, type LocalLines } from './guided-filter.ts';

/** The longer side of a mask, at most, and how many levels it has: so a mask of any image has less than 400 KB. */
const MASK_SIDE = 768;
const LEVELS = 32;
/** Smaller areas of the image are no person. */
const MIN_SHARE = 0.003;
/** The window and the smoothness of the filter that makes a mask follow the edges of the image. */
const RADIUS = 4;
const SMOOTHNESS = 1e-3;
/** Less is the background, more the person: in between is the edge. */
const EDGE = { from: 0.25, to: 0.85 };

/**
 * Finds the people of an image as displayed.
 * @throws the error of sharp when the image cannot be decoded, FinderUnavailable
 */
export async function findCutout(image: Sharp, finder: PeopleFinder): Promise<Cutout> {
  const guide = await guideOf(
    image
      .clone()
      .autoOrient()
      .flatten({ background: 'white' })
      .resize(MASK_SIDE, MASK_SIDE, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb'),
  );
  const { data, ...size } = guide;
  const small = await guideOf(
    sharp(data, { raw: { ...size, channels: 3 } }).resize(MODEL_SIDE, MODEL_SIDE, { fit: 'fill' }),
  );
  const likely = await finder.find(small);
  const count = likely.reduce((sum, share) => sum + (share >= 0.5 ? 1 : 0), 0);
  if (count < MIN_SHARE * likely.length) return {};
  const mask = applyLines(fitLines(small, likely, RADIUS, SMOOTHNESS), guide);
  const png = await sharp(mask, { raw: { ...size, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
  return { mask: png.toString('base64') };
}

async function guideOf(image: Sharp): Promise<Guide> {
  const { data, info } = await image.removeAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { data: channels === 3 ? data : threefold(data), width, height };
}

function threefold(grey: Buffer): Buffer {
  const data = Buffer.alloc(grey.length * 3);
  for (let at = 0; at < grey.length; at++) data.fill(grey[at] as number, at * 3, at * 3 + 3);
  return data;
}

/**
 * Evaluates lines that were fitted at another size into the alpha of each pixel.
 * Source: He, Sun: Fast Guided Filter, 2015.
 */
function applyLines(lines: LocalLines, { data, width, height }: Guide): Buffer {
  const mask = Buffer.alloc(width * height);
  const columns = stepsBetween(width, lines.width);
  const rows = stepsBetween(height, lines.height);
  const [red, green, blue, rest] = Array.from({ length: 4 }, () => new Float32Array(width)) as Planes;
  for (let y = 0, at = 0; y < height; y++) {
    const line = { start: (rows.first[y] as number) * lines.width, length: lines.width, down: rows.way[y] as number };
    enlargeRow(lines.red, line, columns, red);
    enlargeRow(lines.green, line, columns, green);
    enlargeRow(lines.blue, line, columns, blue);
    enlargeRow(lines.rest, line, columns, rest);
    for (let x = 0; x < width; x++, at++) {
      const colours =
        (red[x] as number) * (data[at * 3] as number) +
        (green[x] as number) * (data[at * 3 + 1] as number) +
        (blue[x] as number) * (data[at * 3 + 2] as number);
      const share = (colours / 255 + (rest[x] as number) - EDGE.from) / (EDGE.to - EDGE.from);
      const level = Math.round(Math.min(1, Math.max(0, share)) * (LEVELS - 1));
      mask[at] = Math.round((level * 255) / (LEVELS - 1));
    }
  }
  return mask;
}

type Planes = [Float32Array, Float32Array, Float32Array, Float32Array];

/** For each position of a fine row: the left one of its two neighbours in a coarse row, and the distance to it. */
interface Steps {
  first: Int32Array;
  way: Float32Array;
}

function stepsBetween(fine: number, coarse: number): Steps {
  const steps = { first: new Int32Array(fine), way: new Float32Array(fine) };
  for (let place = 0; place < fine; place++) {
    const exact = Math.min(coarse - 1, Math.max(0, ((place + 0.5) * coarse) / fine - 0.5));
    steps.first[place] = Math.min(coarse - 2, Math.floor(exact));
    steps.way[place] = exact - (steps.first[place] as number);
  }
  return steps;
}

/** Interpolates between a row of a plane and the next one, into as many positions as there are steps. */
function enlargeRow(
  plane: Float32Array,
  { start, length, down }: { start: number; length: number; down: number },
  { first, way }: Steps,
  row: Float32Array,
): void {
  for (let x = 0; x < row.length; x++) {
    const at = start + (first[x] as number);
    const across = way[x] as number;
    const upper = mix(plane[at] as number, plane[at + 1] as number, across);
    row[x] = mix(upper, mix(plane[at + length] as number, plane[at + length + 1] as number, across), down);
  }
}

const mix = (one: number, other: number, way: number) => one + (other - one) * way;
