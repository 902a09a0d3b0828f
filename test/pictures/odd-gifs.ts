import { type GifFrame, writeGif } from '../corpus/make/gif.ts';
import type { Triple } from './colours.ts';

/** A GIF that decoders disagree on, and its rendering in browsers. */
export interface OddGif {
  name: string;
  bytes: Buffer;
  width: number;
  height: number;
  /** For each frame, colours at points. */
  shows: readonly (readonly { x: number; y: number; colour: 'red' | 'green' | 'blue' | 'transparent' }[])[];
}

const WIDTH = 64;
const HEIGHT = 48;
const RED = 0;
const GREEN = 1;
const BLUE = 2;
const COLOURS: readonly Triple[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
];
/** 256 colours, the first three the same; grey from 3 to 254. */
const MANY: readonly Triple[] = Array.from({ length: 256 }, (_, index) => COLOURS[index] ?? [index, index, index]);

const whole = (index: number, more: Partial<GifFrame> = {}): GifFrame => ({
  width: WIDTH,
  height: HEIGHT,
  at: () => index,
  ...more,
});
const small = (index: number, more: Partial<GifFrame> = {}): GifFrame => ({
  left: 20,
  top: 14,
  width: 24,
  height: 20,
  at: () => index,
  ...more,
});
/** Returns index 0 to 254, except for the centre, which has one colour. */
const busy = (index: number) => (x: number, y: number) =>
  x > 8 && x < 16 && y > 6 && y < 14 ? index : (x + y * 24) % 255;

const gif = (frames: readonly GifFrame[], colours = COLOURS) => writeGif(WIDTH, HEIGHT, colours, frames, GREEN);

/** Removes the blocks that control the display of frames. */
function withoutControl(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x21, 0xf9, 4]));
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 8)]);
}

function withScreen(bytes: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt16LE(width, 6);
  changed.writeUInt16LE(height, 8);
  return changed;
}

const CENTRE = { x: 32, y: 24 };
const CORNER = { x: 3, y: 3 };
const SIZE = { width: WIDTH, height: HEIGHT };

export const ODD_GIFS: readonly OddGif[] = [
  {
    name: 'a frame smaller than the canvas',
    bytes: gif([small(RED)]),
    ...SIZE,
    shows: [
      [
        { ...CENTRE, colour: 'red' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'the same without a control block',
    bytes: withoutControl(gif([small(RED)])),
    ...SIZE,
    shows: [
      [
        { ...CENTRE, colour: 'red' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'the same of 256 colours, of which one is not used',
    bytes: gif([small(RED, { at: busy(RED) })], MANY),
    ...SIZE,
    shows: [
      [
        { ...CENTRE, colour: 'red' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'a small frame, then a whole one',
    bytes: gif([small(RED, { disposal: 1 }), whole(BLUE)]),
    ...SIZE,
    shows: [
      [
        { ...CENTRE, colour: 'red' },
        { ...CORNER, colour: 'transparent' },
      ],
      [
        { ...CENTRE, colour: 'blue' },
        { ...CORNER, colour: 'blue' },
      ],
    ],
  },
  {
    name: 'a cleared frame, then a smaller one',
    bytes: gif([whole(RED, { disposal: 2 }), small(BLUE)]),
    ...SIZE,
    shows: [
      [{ ...CORNER, colour: 'red' }],
      [
        { ...CENTRE, colour: 'blue' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'a cleared frame, then a small one with a hole',
    bytes: gif([whole(RED, { disposal: 2 }), small(BLUE, { hole: 3, at: (x) => (x < 12 ? BLUE : 3) })]),
    ...SIZE,
    shows: [
      [{ ...CORNER, colour: 'red' }],
      [
        { x: 25, y: 24, colour: 'blue' },
        { x: 40, y: 24, colour: 'transparent' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'a small frame that is cleared later',
    bytes: gif([whole(RED, { disposal: 1 }), small(BLUE, { disposal: 2 }), { ...small(GREEN), left: 0, top: 0 }]),
    ...SIZE,
    shows: [
      [{ ...CENTRE, colour: 'red' }],
      [
        { ...CENTRE, colour: 'blue' },
        { ...CORNER, colour: 'red' },
      ],
      [
        { ...CORNER, colour: 'green' },
        { x: 32, y: 30, colour: 'transparent' },
        { x: 60, y: 44, colour: 'red' },
      ],
    ],
  },
  {
    name: 'a first frame that is undone',
    bytes: gif([whole(RED, { disposal: 3 }), small(BLUE)]),
    ...SIZE,
    shows: [
      [{ ...CORNER, colour: 'red' }],
      [
        { ...CENTRE, colour: 'blue' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'a screen without a size',
    bytes: withScreen(gif([whole(RED), small(BLUE)]), 0, 0),
    ...SIZE,
    shows: [
      [{ ...CORNER, colour: 'red' }],
      [
        { ...CENTRE, colour: 'blue' },
        { ...CORNER, colour: 'red' },
      ],
    ],
  },
  {
    name: 'a screen smaller than its first frame',
    bytes: withScreen(gif([whole(RED), small(BLUE)]), 30, 20),
    ...SIZE,
    shows: [
      [{ x: 60, y: 44, colour: 'red' }],
      [
        { ...CENTRE, colour: 'blue' },
        { x: 60, y: 44, colour: 'red' },
      ],
    ],
  },
  {
    name: 'a first frame that reaches beyond the screen',
    bytes: withScreen(gif([small(RED)]), 30, 20),
    width: 44,
    height: 34,
    shows: [
      [
        { ...CENTRE, colour: 'red' },
        { ...CORNER, colour: 'transparent' },
      ],
    ],
  },
  {
    name: 'a later frame that reaches beyond the screen',
    bytes: gif([whole(RED), { ...small(BLUE), left: 50 }]),
    ...SIZE,
    shows: [
      [{ ...CORNER, colour: 'red' }],
      [
        { x: 60, y: 24, colour: 'blue' },
        { ...CORNER, colour: 'red' },
      ],
    ],
  },
];
