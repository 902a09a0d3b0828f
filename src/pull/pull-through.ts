import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { boundedCache } from '../bounded-cache.ts';
import { formatBytes } from '../bytes.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { SingleFlight, Slots } from '../concurrency.ts';
import { type ErrorCode, HttpProblem, isOverQuota, isShortage } from '../errors.ts';
import type { Log } from '../log.ts';
import { agrees, isAccepted, mediaTypeOf, sniffFile } from '../media.ts';
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

/** Rules of the space of a file. */
export interface FileRules {
  /** Accepted kinds and MIME types; undefined for all. */
  types?: readonly string[] | undefined;
  maxFileBytes?: number | undefined;
}

export interface PullOptions {
  /** The first one whose folder contains a path applies. */
  origins: readonly Origin[];
  originals: Originals;
  lock: PathLock;
  /** Folder for incomplete files, on the file system of the originals. */
  temp: string;
  maxFileBytes: number;
  /** Returns the rules of the space of a file. */
  rulesOf?: ((path: StoragePath) => FileRules) | undefined;
  /** Refuses a file of this size, or of an unknown one (0), if it would exceed a quota. @throws HttpProblem 507 */
  requireQuota?: ((path: StoragePath, bytes: number) => Promise<void>) | undefined;
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
 * @throws OriginProblem 503 when the origin does not answer or the budget is used up, 507 when the file exceeds a quota;
 * HttpProblem 503 when too many files are being fetched; the signal's reason
 */
export type PullThrough = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

const MAX_QUEUED = 256;
const MAX_WAIT_MS = 30_000;

/** Negative results in memory, and their lifetimes: of a missing file, and of an origin that did not answer. */
const MAX_REMEMBERED = 10_000;
const MISSING_MS = 60_000;
const SILENT_MS = 5000;

/** Pause after the budget, or a quota, was found used up. */
const FULL_MS = 60_000;

/** Says why a file is not fetched now. Views of the library say it of other paths. */
export class OriginProblem extends HttpProblem {
  readonly #reason: Reason;

  constructor(path: StoragePath, reason: Reason, cause?: unknown) {
    const { code, waitMs, message } = reason;
    super(code, message(`"${path}"`), { headers: { 'Retry-After': String(waitMs / 1000) }, cause });
    this.#reason = reason;
  }

  /** Returns the same problem of another path. Its cause could name the present one. */
  about(path: StoragePath): OriginProblem {
    return new OriginProblem(path, this.#reason);
  }
}

interface Reason {
  code: ErrorCode;
  waitMs: number;
  message(quotedPath: string): string;
}

const SILENT: Reason = {
  code: 'origin_unavailable',
  waitMs: SILENT_MS,
  message: (path) => `${path} cannot be fetched from where it was at the moment.`,
};

const OVER_QUOTA: Reason = {
  code: 'quota_exceeded',
  waitMs: FULL_MS,
  message: (path) => `${path} is not fetched: with it, the quota of its space would be exceeded.`,
};

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
  readonly #known = boundedCache<StoragePath, 'missing' | Reason>(MAX_REMEMBERED);

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
    if (!isAccepted(mediaTypeOf(path), this.#rulesOf(path).types)) return undefined;
    const known = this.#known.get(path);
    if (known === 'missing') return undefined;
    if (known) throw new OriginProblem(path, known);
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
      await this.#receive(path, urlOf(path, origin), file, limited);
      await requireType(file, path);
      await this.#keepWithinBudget(path, file);
      log.info({ path }, 'original fetched from its previous host');
      return await originals.check(path);
    } catch (cause) {
      signal.throwIfAborted();
      if (isOverQuota(cause)) throw this.#refuse(path, OVER_QUOTA);
      if (isShortage(cause) || isOwnRefusal(cause)) throw cause;
      const isMissing = cause instanceof Unfit || [404, 410].includes(statusOf(cause) ?? 0);
      if (!isMissing || cause instanceof Unfit) log.warn({ path, err: cause }, 'original cannot be fetched');
      if (!isMissing) throw this.#refuse(path, SILENT, cause);
      this.#known.set(path, 'missing', { ttl: MISSING_MS });
      return undefined;
    } finally {
      await rm(file, { force: true });
    }
  }

  #rulesOf(path: StoragePath): FileRules {
    return this.#options.rulesOf?.(path) ?? {};
  }

  /** Remembers a refusal for its time, and makes the error. */
  #refuse(path: StoragePath, reason: Reason, cause?: unknown): OriginProblem {
    this.#known.set(path, reason, { ttl: reason.waitMs });
    return new OriginProblem(path, reason, cause);
  }

  /**
   * @throws HttpProblem for every response but an entire file, and 507 for one over a quota; Unfit for one that is too
   * large
   */
  async #receive(path: StoragePath, url: URL, file: string, signal: AbortSignal): Promise<void> {
    const { timeoutMs, requireQuota } = this.#options;
    const maxFileBytes = Math.min(this.#options.maxFileBytes, this.#rulesOf(path).maxFileBytes ?? Infinity);
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
      await requireQuota?.(path, Number(length));
      await saveSource(atMost(response, maxFileBytes), file, signal);
    } finally {
      response.destroy();
    }
  }

  async #keepWithinBudget(path: StoragePath, file: string): Promise<void> {
    const { budget, log } = this.#options;
    const { size } = await stat(file);
    // Smaller files may still fit, so only this one is not fetched for a while.
    if (!(await budget.take(size))) throw this.#refuse(path, overBudget(budget));
    if (this.#fullUntil !== undefined) log.info('originals are fetched again');
    this.#fullUntil = undefined;
    let isStored = false;
    try {
      isStored = await this.#keep(path, file);
    } finally {
      if (!isStored) await budget.giveBack(size);
    }
  }

  /** Records that the budget is used up, and makes the error. */
  #full(path: StoragePath): HttpProblem {
    const { budget, log } = this.#options;
    const maxMb = budget.maxBytes / 1024 / 1024;
    if (this.#fullUntil === undefined) log.warn({ maxMb }, 'no more originals are fetched: ORIGINS_MAX_MB is reached');
    const now = performance.now();
    if (this.#fullUntil === undefined || now >= this.#fullUntil) this.#fullUntil = now + FULL_MS;
    return new OriginProblem(path, full(budget));
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
function isOwnRefusal(error: unknown): boolean {
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

type Budget = Pick<FetchBudget, 'maxBytes'>;

const originsFull = (message: Reason['message']): Reason => ({ code: 'origins_full', waitMs: FULL_MS, message });

function full({ maxBytes }: Budget): Reason {
  return originsFull(
    (path) =>
      `${path} is not fetched: originals from elsewhere fill the ${maxBytes / 1024 / 1024} MB that they may have (ORIGINS_MAX_MB).`,
  );
}

function overBudget({ maxBytes }: Budget): Reason {
  return originsFull(
    (path) =>
      `${path} is not fetched: with it, originals from elsewhere would exceed ${maxBytes / 1024 / 1024} MB (ORIGINS_MAX_MB).`,
  );
}

function tooLarge(maxBytes: number): Unfit {
  return new Unfit(`It is larger than ${formatBytes(maxBytes)}.`);
}
