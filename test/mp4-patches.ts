import { type Box, readBoxes } from '../src/video/source/boxes.ts';

// Changes in the boxes of an MP4 that leave its samples unchanged: output of faulty recorders and unknown codecs.

const PARENTS = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'];

/** Returns every box of a type, in file order, at any depth. */
export function boxesOf(bytes: Buffer, type: string, start = 0, end = bytes.length): Box[] {
  return readBoxes(bytes, start, end).flatMap((box) => {
    const inner = PARENTS.includes(box.type) ? boxesOf(bytes, type, box.content, box.end) : [];
    return box.type === type ? [box, ...inner] : inner;
  });
}

/** Durations in seconds, as declared in the headers of the movie, of every track and of all media. */
export interface ClaimedDurations {
  mvhd?: number;
  tkhd?: number;
  mdhd?: number;
}

/** Returns a copy with other durations. The boxes must be of version 0. */
export function withDurations(file: Buffer, { mvhd, tkhd, mdhd }: ClaimedDurations): Buffer {
  const bytes = Buffer.from(file);
  const [film] = boxesOf(bytes, 'mvhd');
  const scale = film ? bytes.readUInt32BE(film.content + 12) : 1;
  if (film && mvhd !== undefined) bytes.writeUInt32BE(Math.round(mvhd * scale), film.content + 16);
  for (const { content } of tkhd === undefined ? [] : boxesOf(bytes, 'tkhd')) {
    bytes.writeUInt32BE(Math.round(Number(tkhd) * scale), content + 20);
  }
  for (const { content } of mdhd === undefined ? [] : boxesOf(bytes, 'mdhd')) {
    bytes.writeUInt32BE(Math.round(Number(mdhd) * bytes.readUInt32BE(content + 12)), content + 16);
  }
  return bytes;
}

/** Returns the tracks of a kind, in file order. */
function tracksOf(bytes: Buffer, handler: 'vide' | 'soun'): Box[] {
  return boxesOf(bytes, 'trak').filter((track) => {
    const [media] = boxesOf(bytes, 'mdia', track.content, track.end);
    const [head] = media ? boxesOf(bytes, 'hdlr', media.content, media.end) : [];
    return head !== undefined && bytes.toString('latin1', head.content + 8, head.content + 12) === handler;
  });
}

/**
 * Returns a copy in which a track has another codec name.
 * @param index counts the audio tracks
 */
export function withAudioCoding(file: Buffer, index: number, coding: string): Buffer {
  const bytes = Buffer.from(file);
  const track = tracksOf(bytes, 'soun')[index];
  const [list] = track ? boxesOf(bytes, 'stsd', track.content, track.end) : [];
  if (!list) throw new RangeError(`Expected a track of sound with the number ${index}.`);
  bytes.write(coding, list.content + 12, 'latin1');
  // The description of AAC is missing for another codec.
  const description = bytes.indexOf('esds', list.content);
  if (description > 0 && description < list.end) bytes.write('free', description, 'latin1');
  return bytes;
}

/**
 * Returns a copy in which audio tracks have other flags.
 * @param flags of each audio track: 1 is enabled, 2 is in the movie
 */
export function withFlags(file: Buffer, flags: readonly number[]): Buffer {
  const bytes = Buffer.from(file);
  const tracks = tracksOf(bytes, 'soun');
  for (const [index, value] of flags.entries()) {
    const track = tracks[index];
    const [head] = track ? boxesOf(bytes, 'tkhd', track.content, track.end) : [];
    if (!head) throw new RangeError(`Expected a track of sound with the number ${index}.`);
    bytes.writeUIntBE(value, head.content + 1, 3);
  }
  return bytes;
}

/** Returns a copy with rotated and mirrored frames: `a b` over `c d`, the first four relevant numbers of a matrix. */
export function withMatrix(file: Buffer, [a, b, c, d]: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.from(file);
  const [track] = tracksOf(bytes, 'vide');
  const [head] = track ? boxesOf(bytes, 'tkhd', track.content, track.end) : [];
  if (!head) throw new RangeError('Expected a track of pictures.');
  const at = head.content + 40;
  for (const [index, value] of [a, b, 0, c, d, 0].entries()) {
    // Fixed point, 16 integer bits; the third number of a row has two.
    bytes.writeInt32BE(value * 0x10000, at + 4 * index);
  }
  return bytes;
}

/**
 * Returns a copy in which the samples of an audio track are noise. Each chunk must have as many samples as its table
 * declares.
 */
export function withNoise(file: Buffer, index: number): Buffer {
  const bytes = Buffer.from(file);
  const track = tracksOf(bytes, 'soun')[index];
  if (!track) throw new RangeError(`Expected a track of sound with the number ${index}.`);
  const table = (type: string) => boxesOf(bytes, type, track.content, track.end)[0]?.content ?? 0;
  const sizes = table('stsz') + 12;
  const chunks = table('stco');
  const runs = table('stsc');
  let sample = 0;
  let perChunk = 0;
  for (let chunk = 0, run = 0; chunk < bytes.readUInt32BE(chunks + 4); chunk++) {
    const entry = runs + 8 + 12 * run;
    if (run < bytes.readUInt32BE(runs + 4) && bytes.readUInt32BE(entry) === chunk + 1) {
      perChunk = bytes.readUInt32BE(entry + 4);
      run++;
    }
    let at = bytes.readUInt32BE(chunks + 8 + 4 * chunk);
    for (let count = 0; count < perChunk; count++, sample++) {
      const size = bytes.readUInt32BE(sizes + 4 * sample);
      bytes.fill(0xff, at, at + size);
      at += size;
    }
  }
  return bytes;
}
