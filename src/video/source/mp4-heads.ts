import type { FileHandle } from 'node:fs/promises';
import { type Box, findBox, readBoxes } from './boxes.ts';

/** Larger heads are not checked. */
const MAX_HEAD_BYTES = 16 * 1024 * 1024;
const MAX_FRAGMENT_BYTES = 1024 * 1024;
/** The last samples of tracks lie in different fragments. */
const LAST_FRAGMENTS = 8;
/** Tolerated difference between a duration and its samples, in seconds: muxers round. */
const TOLERANCE = 0.1;

/** A video or audio track. Times are in its own ticks. */
interface Track {
  id: number;
  isHidden: boolean;
  /** Ticks per second. */
  scale: number;
  /** Duration in its head; 0 if the fragments state it. */
  claimed: number;
  /** End of the samples in its table. */
  end: number;
  /** Default duration of samples in fragments. */
  sampleDuration: number;
}

/** Facts in the heads of a file that ffprobe does not report. */
export interface Mp4Heads {
  /** End of the samples in seconds, if it contradicts the durations in the heads: browsers record those of a moment. */
  contradictedEnd: number | undefined;
  /** IDs of tracks that are not part of the movie: their flags are neither "enabled" nor "in movie". */
  hiddenTracks: readonly number[];
}

/**
 * Reads the heads of the tracks. For a damaged file it reports no contradiction and leaves the error to ffmpeg.
 * @param boxes of the top level
 */
export async function readMp4Heads(handle: FileHandle, boxes: readonly Box[]): Promise<Mp4Heads> {
  const head = boxes.find(({ type }) => type === 'moov');
  if (!head || head.end - head.content > MAX_HEAD_BYTES) return { contradictedEnd: undefined, hiddenTracks: [] };
  try {
    const tracks = readTracks(await readContent(handle, head));
    const hasFragments = await addFragments(handle, boxes, tracks);
    const isContradicted = tracks.some(({ claimed, end, scale }) => {
      if (end === 0 || (hasFragments && claimed === 0)) return false;
      return Math.abs(claimed - end) / scale > TOLERANCE;
    });
    return {
      contradictedEnd: isContradicted ? Math.max(...tracks.map(({ end, scale }) => end / scale)) : undefined,
      hiddenTracks: tracks.filter(({ isHidden }) => isHidden).map(({ id }) => id),
    };
  } catch (error) {
    if (error instanceof RangeError) return { contradictedEnd: undefined, hiddenTracks: [] };
    throw error;
  }
}

function readTracks(head: Buffer): Track[] {
  const boxes = readBoxes(head);
  const extension = boxes.find(({ type }) => type === 'mvex');
  const defaults = extension ? readDefaults(head, extension) : new Map<number, number>();
  return boxes
    .filter(({ type }) => type === 'trak')
    .filter((track) => {
      const { content } = findBox(head, ['mdia', 'hdlr'], track);
      return ['vide', 'soun'].includes(head.toString('latin1', content + 8, content + 12));
    })
    .map((track) => readTrack(head, track, defaults));
}

/** Reads a track (ISO 14496-12, 8.3.2, 8.4.2 and 8.6.1.2). */
function readTrack(head: Buffer, track: Box, defaults: ReadonlyMap<number, number>): Track {
  const { content: trackHead } = findBox(head, ['tkhd'], track);
  const { content: mediaHead } = findBox(head, ['mdia', 'mdhd'], track);
  const { content: times, end } = findBox(head, ['mdia', 'minf', 'stbl', 'stts'], track);
  const id = head.readUInt32BE(trackHead + (head[trackHead] === 1 ? 20 : 12));
  const isHidden = (head.readUIntBE(trackHead + 1, 3) & 3) === 0;
  const isLong = head[mediaHead] === 1;
  const scale = head.readUInt32BE(mediaHead + (isLong ? 20 : 12));
  const claimed = isLong ? Number(head.readBigUInt64BE(mediaHead + 24)) : head.readUInt32BE(mediaHead + 16);
  const count = Math.min(head.readUInt32BE(times + 4), Math.floor((end - times - 8) / 8));
  let ticks = 0;
  for (let at = times + 8; at < times + 8 + 8 * count; at += 8)
    ticks += head.readUInt32BE(at) * head.readUInt32BE(at + 4);
  const sampleDuration = defaults.get(id) ?? 0;
  if (scale === 0) throw new RangeError('Expected ticks in a second, received 0.');
  return { id, isHidden, scale, claimed, end: ticks, sampleDuration };
}

/** Reads default sample durations by track ID (ISO 14496-12, 8.8.3). */
function readDefaults(head: Buffer, box: Box): Map<number, number> {
  const entries = readBoxes(head, box.content, box.end).filter(({ type }) => type === 'trex');
  return new Map(
    entries.map(({ content }) => [head.readUInt32BE(content + 4), head.readUInt32BE(content + 12)] as const),
  );
}

/** Moves the ends of the tracks to those of the last fragments. @returns true if there are any */
async function addFragments(handle: FileHandle, boxes: readonly Box[], tracks: readonly Track[]): Promise<boolean> {
  const fragments = boxes.filter(({ type }) => type === 'moof').slice(-LAST_FRAGMENTS);
  for (const fragment of fragments) {
    if (fragment.end - fragment.content > MAX_FRAGMENT_BYTES) continue;
    const bytes = await readContent(handle, fragment);
    for (const part of readBoxes(bytes).filter(({ type }) => type === 'traf')) addPart(bytes, part, tracks);
  }
  return fragments.length > 0;
}

/** Adds a track fragment (ISO 14496-12, 8.8.7 and 8.8.12), unless it has no time of its own. */
function addPart(bytes: Buffer, part: Box, tracks: readonly Track[]): void {
  const boxes = readBoxes(bytes, part.content, part.end);
  const head = boxes.find(({ type }) => type === 'tfhd');
  const time = boxes.find(({ type }) => type === 'tfdt');
  const track = head && tracks.find(({ id }) => id === bytes.readUInt32BE(head.content + 4));
  if (!track || !time) return;
  const flags = bytes.readUIntBE(head.content + 1, 3);
  const durationAt = head.content + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  const sampleDuration = flags & 8 ? bytes.readUInt32BE(durationAt) : track.sampleDuration;
  const runs = boxes.filter(({ type }) => type === 'trun');
  const ticks = runs.reduce((sum, run) => sum + readRun(bytes, run, sampleDuration), 0);
  const start =
    bytes[time.content] === 1 ? Number(bytes.readBigUInt64BE(time.content + 4)) : bytes.readUInt32BE(time.content + 4);
  track.end = Math.max(track.end, start + ticks);
}

/** Returns the ticks of the samples in a run (ISO 14496-12, 8.8.8). */
function readRun(bytes: Buffer, { content, end }: Box, sampleDuration: number): number {
  const flags = bytes.readUIntBE(content + 1, 3);
  const count = bytes.readUInt32BE(content + 4);
  if (!(flags & 0x100)) return count * sampleDuration;
  const sampleBytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  const start = content + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
  // Bound each run by its own box: otherwise every run of a file could claim the rest of it.
  const samples = Math.min(count, Math.floor((end - start) / sampleBytes));
  let ticks = 0;
  for (let sample = 0; sample < samples; sample++) ticks += bytes.readUInt32BE(start + sample * sampleBytes);
  return ticks;
}

async function readContent(handle: FileHandle, { content, end }: Box): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - content), 0, end - content, content);
  return buffer.subarray(0, bytesRead);
}
