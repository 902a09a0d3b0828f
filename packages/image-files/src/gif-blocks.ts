/** A part of a GIF after its header, by offsets. */
export interface GifBlock {
  kind: 'image' | 'control' | 'loop' | 'extension' | 'end';
  start: number;
  end: number;
}

/** Signature, screen and the size of its palette. */
const SCREEN_BYTES = 13;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
const END = 0x3b;
/** Bytes of a graphic control extension. */
const CONTROL_BYTES = 8;
/** Applications whose extension gives the number of repetitions. */
const LOOPING = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

/** Returns the end of a GIF's header with its palette. */
export function headerBytes(file: Buffer): number {
  return SCREEN_BYTES + tableBytes(file[10] ?? 0);
}

/** Yields images, extensions and the end, as far as the file is valid. Source: GIF89a. */
export function* blocksOf(file: Buffer): Generator<GifBlock> {
  for (let start = headerBytes(file); start < file.length; ) {
    const first = file[start];
    if (first === END) return yield { kind: 'end', start, end: start + 1 };
    if (first !== IMAGE && first !== EXTENSION) return;
    const end = endOfBlocks(file, first === IMAGE ? dataStart(file, start) + 1 : start + 2);
    if (end === undefined) return;
    yield { kind: first === IMAGE ? 'image' : kindOfExtension(file, start, end), start, end };
    start = end;
  }
}

/** Returns the offset of an image's coded pixels: the size of their codes. */
export function dataStart(file: Buffer, start: number): number {
  return start + 10 + tableBytes(file[start + 9] ?? 0);
}

function kindOfExtension(file: Buffer, start: number, end: number): GifBlock['kind'] {
  const label = file[start + 1];
  if (label === CONTROL && end - start === CONTROL_BYTES) return 'control';
  return label === APPLICATION && LOOPING.includes(file.toString('latin1', start + 3, start + 14))
    ? 'loop'
    : 'extension';
}

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Blocks of at most 255 bytes, each after its length; length 0 ends them. */
function endOfBlocks(file: Buffer, start: number): number | undefined {
  for (let at = start; at < file.length; at += (file[at] as number) + 1) if (file[at] === 0) return at + 1;
  return undefined;
}
