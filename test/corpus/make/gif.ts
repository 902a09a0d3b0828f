import type { Triple } from '../../pictures/colours.ts';

export interface GifFrame {
  left?: number;
  top?: number;
  width: number;
  height: number;
  at(x: number, y: number): number;
  /** A local palette. */
  colours?: readonly Triple[];
  /** The index that is not drawn. */
  hole?: number;
  /** Disposal of the frame before the next one: 1 kept, 2 cleared, 3 restored to the previous state. */
  disposal?: 0 | 1 | 2 | 3;
  interlaced?: boolean;
  /** In hundredths of a second. */
  delay?: number;
}

/** Writes a GIF. Source: CompuServe, GIF89a specification. */
export function writeGif(
  width: number,
  height: number,
  colours: readonly Triple[],
  frames: readonly GifFrame[],
  background = 0,
  loop = 0,
): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen.set([0xf0 | sizeOf(colours), background, 0], 4);
  const repeats = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1');
  repeats.writeUInt16LE(loop, 16);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    table(colours),
    ...(frames.length > 1 ? [repeats] : []),
    ...frames.flatMap((frame) => frameBlocks(frame, frame.colours ?? colours)),
    Buffer.from([0x3b]),
  ]);
}

/** Encodes the size of a palette: 2 to the power of the value plus one. */
const sizeOf = (colours: readonly Triple[]) => Math.max(0, Math.ceil(Math.log2(colours.length)) - 1);

function table(colours: readonly Triple[]): Buffer {
  const bytes = Buffer.alloc(3 * 2 ** (sizeOf(colours) + 1));
  bytes.set(colours.flat());
  return bytes;
}

function frameBlocks(frame: GifFrame, colours: readonly Triple[]): Buffer[] {
  const { left = 0, top = 0, width, height, hole, disposal = 0, interlaced, delay = 10, at } = frame;
  const control = Buffer.from([0x21, 0xf9, 4, (disposal << 2) | (hole === undefined ? 0 : 1), 0, 0, hole ?? 0, 0]);
  control.writeUInt16LE(delay, 4);
  const head = Buffer.alloc(10);
  head[0] = 0x2c;
  for (const [index, value] of [left, top, width, height].entries()) head.writeUInt16LE(value, 1 + index * 2);
  head[9] = (frame.colours ? 0x80 | sizeOf(colours) : 0) | (interlaced ? 0x40 : 0);
  const rows = interlaced ? interlacedRows(height) : Array.from({ length: height }, (_, y) => y);
  const indexes = rows.flatMap((y) => Array.from({ length: width }, (_, x) => at(x, y)));
  const bits = Math.max(2, sizeOf(colours) + 1);
  return [
    control,
    head,
    ...(frame.colours ? [table(colours)] : []),
    Buffer.from([bits]),
    blocks(compress(indexes, bits)),
  ];
}

function interlacedRows(height: number): number[] {
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const;
  return passes.flatMap(([first, step]) => {
    const rows: number[] = [];
    for (let y = first; y < height; y += step) rows.push(y);
    return rows;
  });
}

function blocks(data: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/** Compresses by LZW with codes of variable length. */
function compress(indexes: readonly number[], bits: number): Buffer {
  const clear = 2 ** bits;
  const end = 2 ** bits + 1;
  const out: number[] = [];
  let held = 0;
  let heldBits = 0;
  let size = bits + 1;
  let next = end + 1;
  let known = new Map<number, number>();
  const put = (code: number) => {
    held |= code << heldBits;
    heldBits += size;
    for (; heldBits >= 8; heldBits -= 8, held >>>= 8) out.push(held & 0xff);
  };
  put(clear);
  let prefix = indexes[0] ?? 0;
  for (const index of indexes.slice(1)) {
    const key = prefix * 256 + index;
    const code = known.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    put(prefix);
    if (next === 4096) {
      put(clear);
      known = new Map();
      size = bits + 1;
      next = end + 1;
    } else {
      if (next === 2 ** size) size++;
      known.set(key, next++);
    }
    prefix = index;
  }
  put(prefix);
  put(end);
  if (heldBits > 0) out.push(held & 0xff);
  return Buffer.from(out);
}
