import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { Rectangle, Size } from '../../src/image/layout/geometry.ts';

/** What is asked about: one face from the front, several, faces from the side or looking down, none. */
export type Kind = 'portrait' | 'group' | 'other' | 'none';

/** A picture and where its faces are, in pixels of the upright picture. */
export interface Labelled {
  name: string;
  kind: Kind;
  /** A file, or its bytes. */
  input: string | Buffer;
  faces: Rectangle[];
}

/** The six photos that are measured in ten ways each. */
const TEN_WAYS = ['portrait-face.jpg', 'astronaut.png', 'hopper.png', 'camera.png', 'basketball1.png', 'messi5.jpg'];
const GROUND = '#808080';

/**
 * @param folder where the pictures are
 * @param labels a line for each: kind, file in the folder, faces as `left top width height`, between commas; separated by tabs
 */
export async function readLabels(folder: string, labels: string): Promise<Labelled[]> {
  const lines = (await readFile(labels, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [kind, name = '', faces] = line.split('\t');
    return {
      kind: kind as Kind,
      name,
      input: join(folder, name),
      faces: (faces?.split(', ') ?? []).map(readRectangle),
    };
  });
}

function readRectangle(text: string): Rectangle {
  const [left = 0, top = 0, width = 0, height = 0] = text.split(' ').map(Number);
  return { left, top, width, height };
}

/** The six photos as they are, mirrored, brighter, darker, flat, blurred, tilted and in a frame twice their size. */
export async function inTenWays(all: readonly Labelled[]): Promise<Labelled[]> {
  const chosen = all.filter(({ name }) => TEN_WAYS.some((end) => name.endsWith(`/${end}`)));
  return (await Promise.all(chosen.map(tenWays))).flat();
}

async function tenWays(original: Labelled): Promise<Labelled[]> {
  const { data, size } = await plain(original);
  const edits: [string, (image: Sharp) => Sharp][] = [
    ['as it is', (image) => image],
    ['brighter', (image) => image.linear(1.3, 20)],
    ['darker', (image) => image.linear(0.5, 0)],
    ['flat', (image) => image.linear(0.4, 80)],
    ['blurred', (image) => image.blur(2)],
  ];
  const edited = edits.map(async ([way, edit]) => named(original, way, await edit(sharp(data)).png().toBuffer()));
  const mirrored = {
    ...named(original, 'mirrored', await sharp(data).flop().png().toBuffer()),
    faces: original.faces.map((face) => ({ ...face, left: size.width - face.left - face.width })),
  };
  const tilted = [-12, 12, 25].map((degrees) => turn(original, degrees));
  return [...(await Promise.all([...edited, ...tilted])), mirrored, await inFrame(original)];
}

/** In pixels, without EXIF: what a detector has to find out by itself. */
export async function turn(original: Labelled, degrees: number): Promise<Labelled> {
  const { data, size } = await plain(original);
  const { data: turned, info } = await sharp(data)
    .rotate(degrees, { background: GROUND })
    .png()
    .toBuffer({ resolveWithObject: true });
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const faces = original.faces.map(({ left, top, width, height }) => {
    const x = left + width / 2 - size.width / 2;
    const y = top + height / 2 - size.height / 2;
    const box = degrees % 180 === 90 ? { width: height, height: width } : { width, height };
    return {
      ...box,
      left: x * cos - y * sin + info.width / 2 - box.width / 2,
      top: x * sin + y * cos + info.height / 2 - box.height / 2,
    };
  });
  return { ...named(original, `turned by ${degrees}`, turned), faces };
}

async function inFrame(original: Labelled): Promise<Labelled> {
  const { data, size } = await plain(original);
  const [x, y] = [Math.floor(size.width / 2), Math.floor(size.height / 2)];
  const framed = sharp(data).extend({ left: x, right: x, top: y, bottom: y, background: GROUND });
  const faces = original.faces.map((face) => ({ ...face, left: face.left + x, top: face.top + y }));
  return { ...named(original, 'in a frame', await framed.png().toBuffer()), faces };
}

async function plain({ input }: Labelled): Promise<{ data: Buffer; size: Size }> {
  const image = sharp(input).autoOrient().flatten({ background: 'white' }).toColourspace('srgb');
  const { data, info } = await image.png({ compressionLevel: 1 }).toBuffer({ resolveWithObject: true });
  return { data, size: info };
}

const named = (original: Labelled, way: string, input: Buffer): Labelled => ({
  ...original,
  name: `${original.name} ${way}`,
  input,
});
