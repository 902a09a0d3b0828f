import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HttpProblem } from '../errors.ts';
import type { ImageFacts } from '../image/analysis/describe.ts';
import type { ImageFailure } from '../image/failure.ts';
import type { InputLimits } from '../image/input.ts';
import type { MediaType } from '../media.ts';
import { programFile } from '../runtime/packed.ts';
import { QuestionThread } from '../runtime/question-thread.ts';
import type { MediaDetails } from '../video/source/details.ts';
import type { VideoProbe } from '../video/source/probe.ts';
import { type Facts, NO_FACTS } from './facts.ts';
import type { FrameExtractor } from './frames.ts';
import { BACKGROUND, type Claim, type RenderPool } from './pool.ts';

export interface DescriberOptions {
  pool: Pick<RenderPool, 'run'>;
  frames: FrameExtractor;
  limits: InputLimits;
  /** A folder for frames of videos. */
  temp: string;
}

export interface DescriptionRequest {
  /** A local file. It must not change meanwhile: the caller compares its version before and after. */
  file: string;
  /** By its name. */
  type: MediaType;
  signal?: AbortSignal;
}

/** Damaged files, and those over a limit, are described as far as possible: another try would end the same way. */
export interface Description {
  facts: Facts;
  /** Reason, for people, why facts are missing; null when all are known. */
  problem: string | null;
}

export interface FactsRequest extends Order {
  /** A local file. */
  file: string;
  /** By its name. */
  type: MediaType;
  /** Poster of a video, a local file; its first frame by default. */
  frame?: string | undefined;
}

/** Facts from the content of a file, or why there are none. */
export interface PartialDescription {
  facts: Partial<Facts>;
  /** A tiny image as a data URI, if requested. */
  placeholder?: string | undefined;
  /** Reason for missing facts. */
  failure?: ImageFailure | undefined;
}

interface Order {
  signal: AbortSignal;
  claim: Claim;
  /** Of a document or an animation; the first one without it. */
  page?: number | undefined;
  /** True to include a placeholder. */
  isShown?: boolean;
}

type Input = Order & { input: string };

/** Describes originals: images in a render worker, videos and audio by ffprobe. */
export class Describer {
  readonly #options: DescriberOptions;
  /**
   * Hashes files in chunks. On the event loop a gigabyte would block for a second, and a render worker would be
   * occupied for as long as its disk reads a film.
   */
  readonly #sha256 = new QuestionThread<string, string>(programFile('./sha256-thread', import.meta.url));

  constructor(options: DescriberOptions) {
    this.#options = options;
  }

  /**
   * Describes a file in the background, in one decode.
   * @throws HttpProblem 503 when it may be better later: overloaded, crashed, too long, without ffmpeg; 429; the error
   * of the file system; the signal's reason
   */
  async describe({ file, type, signal = AbortSignal.any([]) }: DescriptionRequest): Promise<Description> {
    // In sequence, so that the second one reads from the page cache. Permanent failures show before all of it is read.
    const { facts, failure } = await this.look({ file, type, signal, claim: BACKGROUND });
    const sha256 = await this.#sha256.ask(file, signal);
    return { facts: { ...NO_FACTS, ...facts, sha256 }, problem: failure?.reason ?? null };
  }

  /** Describes a file without hashing its bytes. Throws like `describe`. */
  async look({ file, type: { kind }, frame, ...terms }: FactsRequest): Promise<PartialDescription> {
    const order = { ...terms, input: file };
    if (kind === 'image') return this.#describeImage(order);
    if (kind === 'video') return withFailure(() => this.#describeVideo(order, frame));
    if (kind === 'audio') return withFailure(() => this.#describeAudio(order));
    return { facts: {} };
  }

  close(): Promise<void> {
    return this.#sha256.close();
  }

  async #describeImage({ input, signal, claim, page, isShown = false }: Input): Promise<PartialDescription> {
    const request = { input, page, isShown, limits: this.#options.limits };
    const result = await this.#options.pool.run('describe', request, signal, claim);
    if (result.outcome !== 'described') return { facts: {}, failure: result };
    return { facts: factsOfImage(result.facts), placeholder: result.facts.placeholder };
  }

  async #describeVideo(order: Input, frame: string | undefined): Promise<PartialDescription> {
    const { frames, temp } = this.#options;
    const probe = await frames.probeVideo(order);
    const output = join(temp, `${randomUUID()}.png`);
    try {
      const description = await withFailure(async () => {
        if (!frame) await frames.extract({ ...order, output, time: 0, probe });
        return this.#describeImage({ ...order, input: frame ?? output });
      });
      return { ...description, facts: { ...description.facts, ...factsOfVideo(probe) } };
    } finally {
      await rm(output, { force: true });
    }
  }

  async #describeAudio(order: Input): Promise<PartialDescription> {
    const audio = await this.#options.frames.probeAudio(order);
    const { duration = null, bitrate = null } = audio;
    return { facts: { ...factsOfRecording(audio), codec: audio.codec, duration, bitrate } };
  }
}

/** Records errors that the file causes in its description. */
async function withFailure(describe: () => Promise<PartialDescription>): Promise<PartialDescription> {
  try {
    return await describe();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 422) {
      return { facts: {}, failure: { outcome: 'undecodable', reason: error.message } };
    }
    throw error;
  }
}

function factsOfImage({ colours, ...facts }: ImageFacts): Partial<Facts> {
  const { format = null, frames = null, duration = null, perceptualHash = null } = facts;
  const { dominant = null, dominantLab = null, border = null, palette } = colours;
  const { width, height, hasAlpha, thumbHash, blurHash } = facts;
  return {
    width,
    height,
    hasAlpha,
    codec: format,
    frames,
    duration,
    dominantColour: dominant,
    dominantLab,
    borderColour: border,
    palette,
    thumbHash,
    blurHash,
    perceptualHash,
    ...factsOfRecording(facts),
  };
}

/** The frame is a separate PNG, so the facts of the video file count. */
function factsOfVideo({ details, audio, ...probe }: VideoProbe): Partial<Facts> {
  const { width, height, rotation, codec, duration = details.duration, frames = null, frameRate = null } = probe;
  return {
    width,
    height,
    rotation,
    codec,
    frames,
    frameRate,
    duration: duration ?? null,
    hasAlpha: null,
    hasSound: audio !== undefined,
    soundCodec: audio?.codec ?? null,
    bitrate: details.bitrate ?? null,
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
