import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpProblem } from '../errors.ts';
import type { InputLimits } from '../image/decode.ts';
import type { PictureFacts } from '../image/facts/describe.ts';
import type { MediaType } from '../media.ts';
import type { MediaDetails } from '../video/source/details.ts';
import type { SoundContainer, VideoProbe } from '../video/source/probe.ts';
import { type Facts, NO_FACTS } from './facts.ts';
import type { FrameExtractor } from './frames.ts';
import { BACKGROUND, type Claim, type RenderPool } from './pool.ts';
import { Sha256 } from './sha256.ts';

export interface DescriberParts {
  pool: Pick<RenderPool, 'run'>;
  frames: FrameExtractor;
  limits: InputLimits;
  /** A folder for frames of videos. */
  temp: string;
}

export interface FileToDescribe {
  /** A local file. It must not change before the description is there: who asks compares the version before and after. */
  file: string;
  /** What its name says. */
  type: MediaType;
  signal?: AbortSignal;
  /** Whose turn it takes; by default it is done in the background. */
  claim?: Claim;
}

/** A file that is damaged, or over a limit, is described as far as possible: another try would end the same way. */
export interface Description {
  facts: Facts;
  /** Why not everything is known, for people; null when it is. */
  problem: string | null;
}

type Found = { facts: Partial<Facts>; problem: string | null };

const SOUND_CONTAINERS: Readonly<Record<string, SoundContainer>> = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
};

/** Says what is in originals: pictures are described in a render worker, videos and sound by ffprobe. */
export class Describer {
  readonly #parts: DescriberParts;
  readonly #sha256 = new Sha256();

  constructor(parts: DescriberParts) {
    this.#parts = parts;
  }

  /**
   * Describes a file, in one decode.
   * @throws HttpProblem 503 when it may be better later: overloaded, crashed, too long, without ffmpeg; 429; the error of the file
   * system; the signal's reason
   */
  async describe({
    file,
    type,
    claim = BACKGROUND,
    signal = AbortSignal.any([]),
  }: FileToDescribe): Promise<Description> {
    // One after the other, so that the second one finds the file in memory. What fails for good is known before all of it is read.
    const { facts, problem } = await this.#look({ input: file, signal, claim }, type);
    const sha256 = await this.#sha256.ofFile(file, signal);
    return { facts: { ...NO_FACTS, ...facts, sha256 }, problem };
  }

  close(): Promise<void> {
    return this.#sha256.close();
  }

  async #look(order: Order, { kind, mime }: MediaType): Promise<Found> {
    const container = SOUND_CONTAINERS[mime];
    if (kind === 'image') return this.#lookAtPicture(order);
    if (kind === 'video') return asFar(() => this.#watch(order));
    if (container) return asFar(() => this.#listen(container, order));
    return { facts: {}, problem: null };
  }

  async #lookAtPicture({ input, signal, claim }: Order): Promise<Found> {
    const result = await this.#parts.pool.run('describe', { input, limits: this.#parts.limits }, signal, claim);
    if (result.outcome !== 'described') return { facts: {}, problem: result.reason };
    return { facts: factsOfPicture(result.facts), problem: null };
  }

  async #watch(order: Order): Promise<Found> {
    const { frames, temp } = this.#parts;
    const probe = await frames.probeVideo(order);
    const output = join(temp, `${randomUUID()}.png`);
    try {
      const { facts, problem } = await asFar(async () => {
        await frames.extract({ ...order, output, time: 0, probe });
        return this.#lookAtPicture({ ...order, input: output });
      });
      return { facts: { ...facts, ...factsOfVideo(probe) }, problem };
    } finally {
      await rm(output, { force: true });
    }
  }

  async #listen(container: SoundContainer, order: Order): Promise<Found> {
    const sound = await this.#parts.frames.probeSound(container, order);
    const { duration = null, bitrate = null } = sound;
    return { facts: { ...factsOfRecording(sound), codec: sound.codec, duration, bitrate }, problem: null };
  }
}

interface Order {
  input: string;
  signal: AbortSignal;
  claim: Claim;
}

/** What is wrong with the file is a part of its description. */
async function asFar(look: () => Promise<Found>): Promise<Found> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 422) return { facts: {}, problem: error.message };
    throw error;
  }
}

function factsOfPicture({ colours, ...facts }: PictureFacts): Partial<Facts> {
  const { format = null, frames = null, duration = null, perceptualHash = null } = facts;
  const { dominant = null, dominantLab = null, border = null, palette } = colours;
  const { width, height, hasAlpha, thumbHash, blurHash } = facts;
  return {
    ...{ width, height, hasAlpha, codec: format, frames, duration },
    ...{ dominantColour: dominant, dominantLab, borderColour: border, palette },
    ...{ thumbHash, blurHash, perceptualHash },
    ...factsOfRecording(facts),
  };
}

/** The frame is a PNG of its own: what the file says of itself counts. */
function factsOfVideo({ details, audio, ...probe }: VideoProbe): Partial<Facts> {
  const { width, height, rotation, codec, duration = details.duration, frames = null, frameRate = null } = probe;
  return {
    ...{ width, height, rotation, codec, frames, frameRate, duration: duration ?? null, hasAlpha: null },
    ...{ hasSound: audio !== undefined, soundCodec: audio?.codec ?? null, bitrate: details.bitrate ?? null },
    ...factsOfRecording(details),
  };
}

function factsOfRecording({
  takenAt,
  camera,
  hasGps,
}: Pick<MediaDetails, 'takenAt' | 'camera' | 'hasGps'>): Partial<Facts> {
  return { takenAt: takenAt ?? null, takenAtMs: takenAt ? instantOf(takenAt) : null, camera: camera ?? null, hasGps };
}

function instantOf(time: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`);
}
