import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { boundedCache } from '../bounded-cache.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { SingleFlight, Slots } from '../concurrency.ts';
import { HttpProblem, isShortage, unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { agrees, mediaTypeOf, sniffFile } from '../media.ts';
import { openUrl, statusOf } from '../outgoing/open-url.ts';
import { encodePath, isWithin, type StoragePath } from '../path.ts';
import { BlobConflict, BlobExists } from '../storage/blob-store.ts';
import { saveSource } from '../storage/disk/write.ts';
import type { OriginalStat, Originals } from '../storage/originals.ts';
import type { FetchBudget } from './fetch-budget.ts';

/** Source of the files of a folder that are not in the store yet. */
export interface Origin {
  folder: StoragePath;
  /** http or https, without a slash at the end; the path within the folder is appended. */
  url: string;
}

export interface PullOptions {
  /** The first one whose folder contains a path applies. */
  origins: readonly Origin[];
  originals: Originals;
  lock: PathLock;
  /** Folder for incomplete files, on the file system of the originals. */
  temp: string;
  maxFileBytes: number;
  /** Byte budget of all fetched originals. */
  budget: Pick<FetchBudget, 'maxBytes' | 'isFull' | 'take' | 'giveBack'>;
  maxConcurrent: number;
  /** Time limit for a file, in ms. */
  timeoutMs: number;
  log: Log;
}

/**
 * Fetches a missing original from its origin and stores it, once for any number of concurrent requests.
 * @returns undefined if it is missing there too, or has no origin
 * @throws HttpProblem 503 when the origin does not answer, too many files are being fetched, or the budget is used up;
 * the signal's reason
 */
export type PullThrough = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

const MAX_QUEUED = 256;
const MAX_WAIT_MS = 30_000;

/** Negative results in memory, and their lifetimes: of a missing file, and of an origin that did not answer. */
const MAX_REMEMBERED = 10_000;
const MISSING_MS = 60_000;
const SILENT_MS = 5000;

/** Pause after the budget was found used up. */
const FULL_MS = 60_000;

/** The origin has the file, but it cannot be stored. */
class Unfit extends Error {
  override name = 'Unfit';
}

/** @returns undefined without origins */
export function createPullThrough(options: PullOptions): PullThrough | undefined {
  if (options.origins.length === 0) return undefined;
  const pulling = new Pulling(options);
  return (path, signal) => pulling.pull(path, signal);
}

class Pulling {
  readonly #options: PullOptions;
  readonly #flights = new SingleFlight<OriginalStat | undefined>();
  readonly #slots: Slots;
  /** Negative results by path. */
  readonly #known = boundedCache<StoragePath, 'missing' | 'silent' | 'too large'>(MAX_REMEMBERED);

  /** Time of the next budget check; undefined unless the budget is known to be used up. */
  #fullUntil: number | undefined;

  constructor(options: PullOptions) {
    this.#options = options;
    this.#slots = new Slots({
      size: options.maxConcurrent,
      maxQueued: MAX_QUEUED,
      maxWaitMs: MAX_WAIT_MS,
      purpose: 'fetches of originals',
    });
  }

  async pull(path: StoragePath, signal: AbortSignal | undefined): Promise<OriginalStat | undefined> {
    const origin = this.#options.origins.find(({ folder }) => isWithin(path, folder) && path !== folder);
    if (!origin || !canBeMedia(path)) return undefined;
    const known = this.#known.get(path);
    if (known === 'missing') return undefined;
    if (known === 'silent') throw silent(path);
    if (known === 'too large') throw overBudget(path, this.#options.budget);
    if (this.#fullUntil !== undefined && performance.now() < this.#fullUntil) throw this.#full(path);
    return this.#flights.run(path, signal, (shared) =>
      this.#slots.use(shared, () => this.#fetch(path, origin, shared)),
    );
  }

  async #fetch(path: StoragePath, origin: Origin, signal: AbortSignal): Promise<OriginalStat | undefined> {
    const { originals, temp, timeoutMs, log } = this.#options;
    const file = join(temp, randomUUID());
    try {
      if (await this.#options.budget.isFull()) throw this.#full(path);
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      await this.#receive(urlOf(path, origin), file, limited);
      await requireType(file, path);
      await this.#keepWithinBudget(path, file);
      log.info({ path }, 'original fetched from its previous host');
      return await originals.check(path);
    } catch (cause) {
      signal.throwIfAborted();
      if (isShortage(cause) || isRefusal(cause)) throw cause;
      const isMissing = cause instanceof Unfit || [404, 410].includes(statusOf(cause) ?? 0);
      this.#known.set(path, isMissing ? 'missing' : 'silent', { ttl: isMissing ? MISSING_MS : SILENT_MS });
      if (!isMissing || cause instanceof Unfit) log.warn({ path, err: cause }, 'original cannot be fetched');
      if (isMissing) return undefined;
      throw silent(path, cause);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** @throws HttpProblem for every response but an entire file; Unfit for one that is too large */
  async #receive(url: URL, file: string, signal: AbortSignal): Promise<void> {
    const { maxFileBytes, timeoutMs } = this.#options;
    // The operator has named the host, so it may be in a private network. Redirects must not lead from it to another
    // one.
    const { response } = await openUrl(
      url.href,
      { mayReach: () => true, mayFollow: (to) => to.origin === url.origin, userAgent: 'Darkroom', timeoutMs },
      signal,
    );
    try {
      const { 'content-encoding': coding = 'identity', 'content-length': length = '0' } = response.headers;
      if (coding !== 'identity') throw new Unfit(`It has the unrequested encoding ${coding}.`);
      if (Number(length) > maxFileBytes) throw tooLarge(maxFileBytes);
      await saveSource(atMost(response, maxFileBytes), file, signal);
    } finally {
      response.destroy();
    }
  }

  async #keepWithinBudget(path: StoragePath, file: string): Promise<void> {
    const { budget, log } = this.#options;
    const { size } = await stat(file);
    if (!(await budget.take(size))) throw this.#doesNotFit(path);
    if (this.#fullUntil !== undefined) log.info('originals are fetched again');
    this.#fullUntil = undefined;
    let isStored = false;
    try {
      isStored = await this.#keep(path, file);
    } finally {
      if (!isStored) await budget.giveBack(size);
    }
  }

  /** Smaller files may still fit, so only this one is not fetched for a while. */
  #doesNotFit(path: StoragePath): HttpProblem {
    this.#known.set(path, 'too large', { ttl: FULL_MS });
    return overBudget(path, this.#options.budget);
  }

  /** Records that the budget is used up, and makes the error. */
  #full(path: StoragePath): HttpProblem {
    const { budget, log } = this.#options;
    const maxMb = budget.maxBytes / 1024 / 1024;
    if (this.#fullUntil === undefined) log.warn({ maxMb }, 'no more originals are fetched: ORIGINS_MAX_MB is reached');
    const now = performance.now();
    if (this.#fullUntil === undefined || now >= this.#fullUntil) this.#fullUntil = now + FULL_MS;
    const message = `"${path}" is not fetched: originals from elsewhere fill the ${maxMb} MB that they may have (ORIGINS_MAX_MB).`;
    return unavailable(message, 'origins_full', FULL_MS / 1000);
  }

  /** Stores the file unless another one was stored there meanwhile; false then. */
  async #keep(path: StoragePath, file: string): Promise<boolean> {
    const { originals, lock } = this.#options;
    try {
      await lock.run([path], () => originals.store.adopt(path, file, { existing: 'keep' }));
      return true;
    } catch (error) {
      if (error instanceof BlobConflict) throw new Unfit(error.message, { cause: error });
      if (!(error instanceof BlobExists)) throw error;
      return false;
    }
  }
}

/** True for possible names of media files. Others are not requested from the origin. */
function canBeMedia(path: StoragePath): boolean {
  return mediaTypeOf(path).uploadable && path.split('/').every(isOrdinaryName);
}

/** False for hidden and blank names, and those with control characters. */
function isOrdinaryName(name: string): boolean {
  return !name.startsWith('.') && name.trim() !== '' && !/\p{Cc}/u.test(name);
}

/** True for a refusal by the service itself, unrelated to the origin. */
function isRefusal(error: unknown): boolean {
  return error instanceof HttpProblem && error.status === 503;
}

function urlOf(path: StoragePath, { folder, url }: Origin): URL {
  const within = folder === '' ? path : path.slice(folder.length + 1);
  return new URL(`${url}/${encodePath(within as StoragePath)}`);
}

/** @throws Unfit if the bytes do not match the name */
async function requireType(file: string, path: StoragePath): Promise<void> {
  const sniffed = await sniffFile(file);
  if (sniffed && agrees(mediaTypeOf(path), sniffed)) return;
  throw new Unfit(`Its bytes are ${sniffed?.mime ?? 'of no accepted type'}.`);
}

async function* atMost(source: Readable, maxBytes: number): AsyncIterable<Uint8Array> {
  let left = maxBytes;
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    left -= chunk.length;
    if (left < 0) throw tooLarge(maxBytes);
    yield chunk;
  }
}

function overBudget(path: StoragePath, { maxBytes }: Pick<FetchBudget, 'maxBytes'>): HttpProblem {
  const maxMb = maxBytes / 1024 / 1024;
  const message = `"${path}" is not fetched: with it, originals from elsewhere would exceed ${maxMb} MB (ORIGINS_MAX_MB).`;
  return unavailable(message, 'origins_full', FULL_MS / 1000);
}

function tooLarge(maxBytes: number): Unfit {
  return new Unfit(`It is larger than ${maxBytes / 1024 / 1024} MB (MAX_FILE_SIZE_MB).`);
}

function silent(path: StoragePath, cause?: unknown) {
  const message = `"${path}" cannot be fetched from where it was at the moment.`;
  return unavailable(message, 'origin_unavailable', SILENT_MS / 1000, cause);
}
