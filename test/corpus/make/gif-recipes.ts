import type { Triple } from '../../pictures/colours.ts';
import { HEIGHT, indexedScene, isSolid, WIDTH } from '../scene.ts';
import { type GifFrame, writeGif } from './gif.ts';
import type { Recipe, Witness } from './recipe.ts';

const SIZE = { width: WIDTH, height: HEIGHT };
const FULL = indexedScene(8);
const SIXTEEN = indexedScene(4);
/** One additional colour, which is not drawn. */
const HOLE = FULL.colours.length;
const WITH_HOLE: readonly Triple[] = [...FULL.colours, [255, 0, 255]];

const whole: GifFrame = { ...SIZE, at: FULL.at };
const dark: GifFrame = { ...SIZE, at: () => 0 };
const holed: GifFrame = { ...SIZE, at: (x, y) => (isSolid(x, y) ? FULL.at(x, y) : HOLE), hole: HOLE };
/** Part of the canvas; the rest stays as before the first frame: transparent. */
const part: GifFrame = { left: 60, top: 40, width: 120, height: 80, at: (x, y) => FULL.at(x + 60, y + 40) };

function recipe(
  name: string,
  what: string,
  reference: string,
  make: () => Buffer,
  witness: Witness = 'Pillow',
): Recipe {
  return { file: `${name}.gif`, kind: 'GIF', what, reference, make, witness };
}

function withScreen(bytes: Buffer, width: number, height: number): Buffer {
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

const gif =
  (frames: readonly GifFrame[], colours = FULL.colours, background = 0) =>
  () =>
    writeGif(WIDTH, HEIGHT, colours, frames, background);

export const GIF_RECIPES: readonly Recipe[] = [
  recipe('still', '255 colours', 'indexed-8', gif([whole])),
  recipe('interlaced', 'interlaced', 'indexed-8', gif([{ ...whole, interlaced: true }])),
  recipe(
    'sixteen',
    '16 colours, in a palette of the frame',
    'indexed-4',
    gif([{ ...SIZE, at: SIXTEEN.at, colours: SIXTEEN.colours }]),
  ),
  recipe('two', '2 colours', 'indexed-1', gif([{ ...SIZE, at: indexedScene(1).at }], indexedScene(1).colours)),
  recipe('transparent', 'a transparent colour', 'indexed-8-holed', gif([holed], WITH_HOLE)),
  recipe('animated', 'animated: its first frame', 'indexed-8', gif([{ ...whole, disposal: 1 }, dark])),
  recipe(
    'disposal-2',
    'animated, frames are cleared',
    'indexed-8-holed',
    gif(
      [
        { ...holed, disposal: 2 },
        { ...part, hole: 3 },
      ],
      WITH_HOLE,
    ),
  ),
  recipe(
    'disposal-3',
    'animated, frames are undone',
    'indexed-8-holed',
    gif([{ ...holed, disposal: 3 }, part], WITH_HOLE),
  ),
  recipe(
    'offset',
    'a frame smaller than the canvas',
    'indexed-8-window',
    gif([{ ...part, disposal: 1, hole: HOLE }, whole], WITH_HOLE),
  ),
  // Decoders disagree on these: each paints its own colour where nothing is defined.
  recipe(
    'offset-opaque',
    'a frame smaller than the canvas, without a transparent colour',
    'indexed-8-window',
    gif([{ ...part, disposal: 1 }, whole]),
    'formula',
  ),
  recipe('zero-screen', 'a screen without a size', 'indexed-8', () => withScreen(gif([whole])(), 0, 0), 'formula'),
  recipe(
    'small-screen',
    'a screen smaller than its first frame',
    'indexed-8',
    () => withScreen(gif([whole])(), 20, 10),
    'formula',
  ),
  recipe(
    'background',
    'a background colour, which is ignored, behind a hole',
    'indexed-8-holed',
    gif([holed], WITH_HOLE, 200),
  ),
];
