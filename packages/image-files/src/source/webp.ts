import { readFile } from 'node:fs/promises';
import { type ReadBytes, readFrom } from '../boxes.ts';
import { mayBeTransparent } from './webp-lossless.ts';

const FIRST_CHUNK = 12;
/** Data of the header of an extended file. */
const FLAGS = FIRST_CHUNK + 8;
/** Alpha bit in the flags of an extended file and in the last header byte of lossless pixels. */
const ALPHA = 0x10;
const ANIMATION = 0x02;
/** The header of an extended file, a profile and alpha precede the pixels. */
const MOST_CHUNKS = 11;
const CHUNK_HEAD = 8;
/** Header of lossless pixels: a signature, then size, alpha and version. */
const PIXELS_HEAD = 5;

/**
 * Returns a still WebP that announces its alpha; undefined for all others. libvips trusts the headers, which may deny
 * it. Source: RFC 9649, 2.7.1 and 3.4.
 */
export async function withAnnouncedAlpha(file: string): Promise<Buffer | undefined> {
  const denials = await readFrom(file, denialsOfAlpha);
  if (denials.length === 0) return undefined;
  const bytes = await readFile(file);
  for (const at of denials) bytes.writeUInt8(bytes.readUInt8(at) | ALPHA, at);
  return bytes;
}

/** Returns the positions of the bytes that deny the alpha of a still image. */
async function denialsOfAlpha(read: ReadBytes): Promise<number[]> {
  const flags: number[] = [];
  for await (const { at, type, head, length } of chunksOf(read)) {
    if (type === 'VP8 ') return [];
    if (type === 'ALPH') return flags;
    if (type === 'VP8L') {
      if ((head.readUInt8(PIXELS_HEAD - 1) & ALPHA) !== 0) return flags;
      return (await mayBeTransparent(read, at, length)) ? [...flags, at + PIXELS_HEAD - 1] : [];
    }
    if (type === 'VP8X') {
      if (at !== FLAGS || (head.readUInt8(0) & (ALPHA | ANIMATION)) !== 0) return [];
      flags.push(FLAGS);
    }
  }
  return [];
}

interface Chunk {
  /** Position of its data. */
  at: number;
  type: string;
  /** First bytes of its data. */
  head: Buffer;
  length: number;
}

/** Yields the chunks of a file up to the one with the pixels. */
async function* chunksOf(read: ReadBytes): AsyncGenerator<Chunk> {
  let start = FIRST_CHUNK;
  for (let count = 0; count < MOST_CHUNKS; count++) {
    const bytes = await read(start, CHUNK_HEAD + PIXELS_HEAD);
    if (bytes.length < CHUNK_HEAD + PIXELS_HEAD) return;
    const at = start + CHUNK_HEAD;
    const length = bytes.readUInt32LE(4);
    yield { at, type: bytes.toString('latin1', 0, 4), head: bytes.subarray(CHUNK_HEAD), length };
    start = at + length + (length % 2);
  }
}
