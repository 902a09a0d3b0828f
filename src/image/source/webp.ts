import { readFile } from 'node:fs/promises';
import { type ReadBytes, readFrom } from '../boxes.ts';

const FLAGS = 20;
const ALPHA = 0x10;
const ANIMATION = 0x02;
const FIRST_CHUNK = 30;
/** Before the pixels there are a profile and alpha. */
const MOST_CHUNKS = 10;
/** The header of a chunk, and that of pixels without loss. */
const CHUNK_BYTES = 8 + 5;

/**
 * A still WebP that announces the alpha it has; undefined for all others. libvips believes the header, which may say that there is none.
 * Source: RFC 9649, 2.7.1 and 3.4.
 */
export async function withAnnouncedAlpha(file: string): Promise<Buffer | undefined> {
  if (!(await readFrom(file, hidesAlpha))) return undefined;
  const bytes = await readFile(file);
  bytes.writeUInt8(bytes.readUInt8(FLAGS) | ALPHA, FLAGS);
  return bytes;
}

async function hidesAlpha(read: ReadBytes): Promise<boolean> {
  const head = await read(0, FIRST_CHUNK);
  if (head.length < FIRST_CHUNK || head.toString('latin1', 12, 16) !== 'VP8X') return false;
  if ((head.readUInt8(FLAGS) & (ALPHA | ANIMATION)) !== 0) return false;
  let at = FIRST_CHUNK;
  for (let count = 0; count < MOST_CHUNKS; count++) {
    const chunk = await read(at, CHUNK_BYTES);
    if (chunk.length < CHUNK_BYTES) return false;
    const type = chunk.toString('latin1', 0, 4);
    if (type === 'ALPH') return true;
    if (type === 'VP8L') return ((chunk.readUInt32LE(9) >>> 28) & 1) === 1;
    if (type === 'VP8 ') return false;
    const length = chunk.readUInt32LE(4);
    at += 8 + length + (length % 2);
  }
  return false;
}
