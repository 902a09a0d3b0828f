import { blocksOf, dataStart } from './gif-blocks.ts';

interface Frame {
  /** Offset of its descriptor. */
  start: number;
  end: number;
  /** Offset of its graphic control extension. */
  control: number | undefined;
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** True if it has a transparent colour. */
  hasHole: boolean;
  /** Disposal before the next frame: 2 clears its area, 3 restores the previous frame (some programs write 4 for 3). */
  disposal: number;
}

type Area = Pick<Frame, 'left' | 'top' | 'right' | 'bottom'>;

const CLEARED = 2;
const UNDONE = [3, 4];
const SIGNATURE = /^GIF8[79]a$/;
const MOST_SIDE = 65_535;
/** Of pixels, and of the longest codes. */
const MOST_BITS = 8;
const LONGEST_CODE = 12;
const MOST_CODES = 2 ** LONGEST_CODE;
/** Bytes of frames that are searched for a colour, at about 25 ms per megabyte. Later frames stay unchanged. */
const MOST_SEARCHED = 4e6;
/** Hundredths of a second for frames without a control extension. */
const DEFAULT_DELAY = 10;

/**
 * Returns a GIF that decoders show as browsers do; undefined if they already do. The screen is at least as large as the
 * first frame, and uncovered parts are transparent: libvips and ffmpeg paint black or the background there, so such
 * frames get a transparent colour that they do not use. A frame with all 256 stays unchanged.
 */
export function mendedGif(file: Buffer): Buffer | undefined {
  if (!SIGNATURE.test(file.toString('latin1', 0, 6))) return undefined;
  const frames = framesOf(file);
  const [first] = frames;
  if (!first) return undefined;
  const width = file.readUInt16LE(6);
  const height = file.readUInt16LE(8);
  const screen = {
    left: 0,
    top: 0,
    right: Math.min(MOST_SIDE, Math.max(width, first.right)),
    bottom: Math.min(MOST_SIDE, Math.max(height, first.bottom)),
  };
  const open = frames.filter((frame, index) => !frame.hasHole && leavesHole(frame, frames[index + 1], index, screen));
  const mended = withHoles(file, open);
  if (mended === file && screen.right === width && screen.bottom === height) return undefined;
  const copy = mended === file ? Buffer.from(file) : mended;
  copy.writeUInt16LE(screen.right, 6);
  copy.writeUInt16LE(screen.bottom, 8);
  return copy;
}

function framesOf(file: Buffer): Frame[] {
  const frames: Frame[] = [];
  let control: number | undefined;
  for (const { kind, start, end } of blocksOf(file)) {
    if (kind === 'control') control = start;
    if (kind !== 'image') continue;
    const left = file.readUInt16LE(start + 1);
    const top = file.readUInt16LE(start + 3);
    const flags = control === undefined ? 0 : file.readUInt8(control + 3);
    frames.push({
      start,
      end,
      control,
      left,
      top,
      right: left + file.readUInt16LE(start + 5),
      bottom: top + file.readUInt16LE(start + 7),
      hasHole: (flags & 1) === 1,
      disposal: (flags >> 2) & 7,
    });
    control = undefined;
  }
  return frames;
}

/** True for a frame around or after which part of the screen is uncovered. */
function leavesHole(frame: Frame, next: Frame | undefined, index: number, screen: Area): boolean {
  if (index === 0 && !covers(frame, screen)) return true;
  if (!next) return false;
  const cleared =
    frame.disposal === CLEARED ? frame : index === 0 && UNDONE.includes(frame.disposal) ? screen : undefined;
  return cleared !== undefined && (next.hasHole || !covers(next, within(cleared, screen)));
}

function covers(area: Area, other: Area): boolean {
  return area.left <= other.left && area.top <= other.top && area.right >= other.right && area.bottom >= other.bottom;
}

function within({ left, top, right, bottom }: Area, screen: Area): Area {
  return { left, top, right: Math.min(right, screen.right), bottom: Math.min(bottom, screen.bottom) };
}

/** Returns the file with a transparent colour in these frames, as far as they are searched for one. */
function withHoles(file: Buffer, frames: readonly Frame[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  let searched = 0;
  for (const frame of frames) {
    searched += frame.end - frame.start;
    if (searched > MOST_SEARCHED) break;
    const index = unusedIndex(file, frame);
    if (index === undefined) continue;
    const { control, start } = frame;
    const place = control ?? start;
    const flags = control === undefined ? 0 : file.readUInt8(control + 3);
    const delay = control === undefined ? DEFAULT_DELAY : file.readUInt16LE(control + 4);
    parts.push(file.subarray(at, place), controlBlock(flags | 1, delay, index));
    at = control === undefined ? start : control + 8;
  }
  return parts.length === 0 ? file : Buffer.concat([...parts, file.subarray(at)]);
}

/** Makes a graphic control extension. Source: GIF89a, 23. */
function controlBlock(flags: number, delay: number, index: number): Buffer {
  const block = Buffer.from([0x21, 0xf9, 4, flags, 0, 0, index, 0]);
  block.writeUInt16LE(delay, 4);
  return block;
}

/**
 * Returns an index that no pixel of a frame uses. Every index in a string also occurs as a code of its own, so the
 * strings need not be decoded. Source: GIF89a, appendix F.
 */
function unusedIndex(file: Buffer, { start, end }: Frame): number | undefined {
  const data = dataStart(file, start);
  const bits = file[data] ?? 0;
  if (bits < 1 || bits > MOST_BITS) return undefined;
  if (bits < MOST_BITS) return 255;
  const codes = new Codes(bits);
  let held = 0;
  let heldBits = 0;
  for (let block = data + 1; block < end; block += (file[block] as number) + 1) {
    const blockEnd = Math.min(end, block + 1 + (file[block] as number));
    for (let at = block + 1; at < blockEnd; at++) {
      held |= (file[at] as number) << heldBits;
      for (heldBits += 8; heldBits >= codes.size; ) {
        const { size } = codes;
        codes.add(held & ((1 << size) - 1));
        held >>>= size;
        heldBits -= size;
      }
    }
  }
  const index = codes.used.lastIndexOf(0);
  return index < 0 ? undefined : index;
}

/** Follows the code size of a frame, and records the indexes among its codes. */
class Codes {
  readonly used = new Uint8Array(256);
  /** Bits of the next code. */
  size: number;
  private next: number;
  private readonly bits: number;
  private readonly clear: number;

  constructor(bits: number) {
    this.bits = bits;
    this.clear = 2 ** bits;
    this.size = bits + 1;
    this.next = this.clear + 1;
  }

  add(code: number): void {
    if (code < this.clear) this.used[code] = 1;
    if (code === this.clear) {
      this.size = this.bits + 1;
      // The first code after this one adds no string.
      this.next = this.clear + 1;
    } else if (this.next < MOST_CODES) this.next++;
    if (this.next === 1 << this.size && this.size < LONGEST_CODE) this.size++;
  }
}
