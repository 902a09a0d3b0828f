import { FailureLog, type Log } from '../../log.ts';
import { mediaTypeOf } from '../../media.ts';
import type { Describer } from '../../render/describer.ts';
import type { Facts } from '../../render/facts.ts';
import { Alarm } from '../../runtime/alarm.ts';
import type { BlobReads } from '../../storage/blob-store.ts';
import type { Descriptions, Undescribed } from '../catalog-words.ts';
import type { Description } from '../records.ts';

export interface DescribingOptions {
  descriptions: Descriptions;
  store: Pick<BlobReads, 'stat' | 'withLocalFile'>;
  describer: Pick<Describer, 'describe' | 'close'>;
  log: Log;
  /** How many files are described at a time. */
  atOnce: number;
  /** How often the catalog is asked for files that nobody has told of, in milliseconds. */
  pollMs?: number;
  /** The wait before a file that could not be described is tried again; it doubles with each try, to a day at most. */
  retryMs?: number;
}

/** Longer than describing takes: from then on another node may try. */
const HOLD_MS = 600_000;
const MAX_RETRY_MS = 86_400_000;
/** After a failure, which is mostly that of the machine or the store: the next file would fail as well. */
const PAUSE_MS = 2000;

/**
 * Describes in the background what is not described yet, a few files at a time. Several nodes share the work: each takes files for
 * some time. A file that is damaged is described as far as possible; one that cannot be read now is tried again later.
 */
export class Describing {
  readonly #options: Required<DescribingOptions>;
  readonly #alarms: readonly Alarm[];
  readonly #stopping = new AbortController();
  readonly #uses: FailureLog;
  #loops: Promise<unknown> | undefined;
  #described = 0;
  #failed = 0;

  constructor(options: DescribingOptions) {
    this.#options = { pollMs: 10_000, retryMs: 60_000, ...options };
    this.#alarms = Array.from({ length: options.atOnce }, () => new Alarm());
    const says = { fails: 'the catalog cannot be asked what to describe', works: 'the catalog can be asked again' };
    this.#uses = new FailureLog(options.log, says);
  }

  /** How many files this process has described, and how often it has failed. */
  get counts(): Readonly<Record<'described' | 'failed', number>> {
    return { described: this.#described, failed: this.#failed };
  }

  start(): void {
    this.#loops ??= Promise.all(this.#alarms.map((alarm) => this.#work(alarm)));
  }

  /** There may be something to describe. */
  wake(): void {
    for (const alarm of this.#alarms) alarm.ring();
  }

  /** Gives up what is under way, which is described by others or after the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The service stops.'));
    this.wake();
    await this.#loops;
    await this.#options.describer.close();
  }

  async #work(alarm: Alarm): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      alarm.arm();
      const waitMs = await this.#turn();
      if (waitMs > 0 && !this.#stopping.signal.aborted) await alarm.wait(waitMs);
    }
  }

  /** Describes one file, if there is one. @returns how long nothing is to be done, in milliseconds */
  async #turn(): Promise<number> {
    const { descriptions, pollMs } = this.#options;
    try {
      const [file] = await descriptions.claim(1, HOLD_MS);
      const waitMs = file ? await this.#tryToDescribe(file) : pollMs;
      this.#uses.succeeded();
      return waitMs;
    } catch (err) {
      this.#uses.failed(err);
      return pollMs;
    }
  }

  async #tryToDescribe(file: Undescribed): Promise<number> {
    const { descriptions, log, retryMs } = this.#options;
    const { id, path, etag, failures } = file;
    try {
      const description = await this.#describe(file);
      if (description && (await descriptions.store(id, etag, description))) this.#described++;
      // The file is another one, of which the catalog has to hear.
      else await descriptions.fail(id, etag, retryAfter(failures, retryMs));
      return 0;
    } catch (err) {
      const isStopping = this.#stopping.signal.aborted;
      if (!isStopping) this.#failed++;
      if (!isStopping) log.debug({ err, path }, 'a file could not be described');
      await descriptions.fail(id, etag, isStopping ? 0 : retryAfter(failures, retryMs));
      return PAUSE_MS;
    }
  }

  /** Undefined when the file is not the one of the catalog, or changes meanwhile. */
  async #describe({ path, etag }: Undescribed): Promise<Description | undefined> {
    const { store, describer, log } = this.#options;
    const { signal } = this.#stopping;
    const isSame = async () => (await store.stat(path))?.etag === etag;
    if (!(await isSame())) return undefined;
    const type = mediaTypeOf(path);
    const { facts, problem } = await store.withLocalFile(
      path,
      (file) => describer.describe({ file, type, signal }),
      signal,
    );
    if (problem !== null) log.debug({ path, problem }, 'a file was described as far as possible');
    return (await isSame()) ? descriptionOf(facts) : undefined;
  }
}

const retryAfter = (failures: number, firstMs: number) => Math.min(MAX_RETRY_MS, firstMs * 2 ** failures);

function descriptionOf(facts: Facts): Description {
  const { width, height, duration, frames, hasAlpha, codec, camera, hasGps } = facts;
  const { dominantColour, palette, perceptualHash, sha256 } = facts;
  return {
    ...{ width, height, duration, frames, hasAlpha, codec, camera, hasGps },
    bitrate: facts.bitrate === null ? null : Math.round(facts.bitrate),
    ...{ dominantColour, palette, perceptualHash, sha256 },
    takenAt: Number.isFinite(facts.takenAtMs) ? facts.takenAtMs : null,
    placeholder: facts.thumbHash,
  };
}
