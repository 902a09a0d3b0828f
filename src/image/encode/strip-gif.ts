/** A graphic control extension. */
const CONTROL_BYTES = 8;
const CONTROL = 0xf9;
const APPLICATION = 0xff;
const END = Buffer.from([0x3b]);

/** Who says how often an animation is repeated. */
const LOOPING = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

/**
 * The first frame, with its palette and its transparency, or all of them with their times; comments and other extensions are dropped.
 * Undefined for a file that is damaged. Source: GIF89a.
 * @param keepsFrames whether all frames stay
 */
export function stripGif(file: Buffer, keepsFrames = false): Buffer | undefined {
  const start = 13 + tableBytes(file[10] ?? 0);
  const kept = [file.subarray(0, start)];
  let control: Buffer | undefined;
  for (const block of blocksOf(file, start)) {
    if (isEnd(block)) return keepsFrames ? Buffer.concat([...kept, END]) : undefined;
    if (isControl(block)) control = block;
    if (keepsFrames && isLooping(block)) kept.push(block);
    if (!isImage(block)) continue;
    kept.push(...(control ? [control] : []), block);
    control = undefined;
    if (!keepsFrames) return Buffer.concat([...kept, END]);
  }
  return undefined;
}

/** Images, extensions and the end, as far as the file is sound. */
function* blocksOf(file: Buffer, start: number): Generator<Buffer> {
  for (let at = start; at < file.length; ) {
    const block = file.subarray(at);
    if (isEnd(block)) return yield block;
    if (!isImage(block) && block[0] !== 0x21) return;
    const end = endOfBlocks(file, isImage(block) ? at + 11 + tableBytes(block[9] ?? 0) : at + 2);
    if (end === undefined) return;
    yield file.subarray(at, end);
    at = end;
  }
}

const isImage = (block: Buffer) => block[0] === 0x2c;
const isEnd = (block: Buffer) => block[0] === END[0];
const isControl = (block: Buffer) => block[0] === 0x21 && block[1] === CONTROL && block.length === CONTROL_BYTES;
const isLooping = (block: Buffer) =>
  block[0] === 0x21 && block[1] === APPLICATION && LOOPING.includes(block.toString('latin1', 3, 14));

const tableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Blocks of at most 255 bytes, each after its length; one of length 0 ends them. */
function endOfBlocks(file: Buffer, start: number): number | undefined {
  for (let at = start; at < file.length; at += (file[at] as number) + 1) if (file[at] === 0) return at + 1;
  return undefined;
}
