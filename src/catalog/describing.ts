import { FailureLog, type Log } from '../log.ts';
import { mediaTypeOf } from '../media.ts';
import { backoff } from '../queue/backoff.ts';
import { Consumer, type Failure } from '../queue/consumer.ts';
import type { Describer } from '../render/describer.ts';
import type { Facts } from '../render/facts.ts';
import type { BlobReads } from '../storage/blob-store.ts';
import type { Descriptions, Undescribed } from './catalog-words.ts';
import type { Description } from './records.ts';

export interface DescribingOptions {
  descriptions: Descriptions;
  store: Pick<BlobReads, 'stat' | 'withLocalFile'>;
  describer: Pick<Describer, 'describe' | 'close'>;
  log: Log;
  /** Number of files described concurrently. */
  concurrency: number;
  /** Interval of polling for files that were not reported, in ms. */
  pollMs?: number;
}

/** Duration of a claim, in ms. It exceeds the time of a description; afterwards another node may try. */
const HOLD_MS = 600_000;
/** Delay before the first retry, in ms; it doubles with each attempt. */
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 86_400_000;
/**
 * Pause after a failure, in ms. Most failures are those of the node or the storage, so the next file would fail too.
 */
const PAUSE_MS = 2000;

/**
 * Describes files in the background, a few concurrently. Nodes share the work by claiming files for a limited time. A
 * damaged file is described as far as possible; an unreadable one is retried later.
 */
export class Describing {
  readonly #options: Required<DescribingOptions>;
  readonly #consumer: Consumer<Undescribed>;
  #described = 0;
  #failed = 0;

  constructor(options: DescribingOptions) {
    this.#options = { pollMs: 10_000, ...options };
    const { descriptions, log, concurrency } = options;
    this.#consumer = new Consumer({
      claim: (count) => descriptions.claim(count, HOLD_MS),
      handle: (file, signal) => this.#handle(file, signal),
      concurrency,
      pollMs: this.#options.pollMs,
      pause: { firstMs: PAUSE_MS, maxMs: PAUSE_MS },
      outages: new FailureLog(log, {
        fails: 'files to describe cannot be read from the catalog',
        works: 'files to describe can be read from the catalog again',
      }),
    });
  }

  /** Numbers of described files and failures of this process. */
  get counts(): Readonly<Record<'described' | 'failed', number>> {
    return { described: this.#described, failed: this.#failed };
  }

  start(): void {
    this.#consumer.start();
  }

  /** Looks for files immediately. */
  wake(): void {
    this.#consumer.wake();
  }

  /** Aborts work in progress; other nodes, or the next start, repeat it. */
  async stop(): Promise<void> {
    await this.#consumer.stop(AbortSignal.abort());
    await this.#options.describer.close();
  }

  async #handle(file: Undescribed, signal: AbortSignal): Promise<Failure | undefined> {
    const { descriptions, log } = this.#options;
    const { id, path, etag } = file;
    try {
      const description = await this.#describe(file, signal);
      if (description && (await descriptions.store(id, etag, description))) this.#described++;
      // The file is not the catalogued version. Retry once the catalog has noticed that.
      else await descriptions.fail(id, etag, retryInMs(file));
      return undefined;
    } catch (err) {
      if (!signal.aborted) {
        this.#failed++;
        log.debug({ err, path }, 'a file could not be described');
      }
      await descriptions.fail(id, etag, signal.aborted ? 0 : retryInMs(file));
      return {};
    }
  }

  /** Describes a file; undefined when it is not the catalogued version, or changes meanwhile. */
  async #describe({ path, etag }: Undescribed, signal: AbortSignal): Promise<Description | undefined> {
    const { store, describer, log } = this.#options;
    const isSame = async () => (await store.stat(path))?.etag === etag;
    if (!(await isSame())) return undefined;
    const type = mediaTypeOf(path);
    const { facts, problem } = await store.withLocalFile(
      path,
      (file) => describer.describe({ file, type, signal }),
      signal,
    );
    if (problem !== null) log.debug({ path, problem }, 'a file was described as far as possible');
    return (await isSame()) ? descriptionOf(facts, problem) : undefined;
  }
}

const retryInMs = ({ failures }: Undescribed) =>
  backoff(failures + 1, { firstMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS });

function descriptionOf(facts: Facts, problem: string | null): Description {
  const { width, height, duration, frames, hasAlpha, codec, camera, hasGps } = facts;
  const { dominantColour, palette, perceptualHash, sha256 } = facts;
  return {
    width,
    height,
    duration,
    frames,
    hasAlpha,
    codec,
    camera,
    hasGps,
    bitrate: facts.bitrate === null ? null : Math.round(facts.bitrate),
    dominantColour,
    palette,
    perceptualHash,
    sha256,
    takenAt: Number.isFinite(facts.takenAtMs) ? facts.takenAtMs : null,
    placeholder: facts.thumbHash,
    problem,
  };
}
