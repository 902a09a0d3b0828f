import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { boundedCache } from '../bounded-cache.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { SingleFlight, Slots } from '../concurrency.ts';
import { isShortage, unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { agrees, mediaTypeOf, SIGNATURE_BYTES, sniffMediaType } from '../media.ts';
import { openUrl, statusOf } from '../outgoing/open-url.ts';
import { encodePath, isWithin, type StoragePath } from '../path.ts';
import { BlobConflict, BlobExists } from '../storage/blob-store.ts';
import { saveSource } from '../storage/disk/write.ts';
import type { OriginalStat, Originals } from '../storage/originals.ts';

/** Where the files of a folder come from that are not here yet. */
export interface Origin {
  folder: StoragePath;
  /** http or https, without a slash at its end: what the path within the folder is put behind. */
  url: string;
}

export interface PullOptions {
  /** The first one whose folder a path is in counts. */
  origins: readonly Origin[];
  originals: Originals;
  lock: PathLock;
  /** A folder for files on their way, on the file system of the originals. */
  temp: string;
  maxFileBytes: number;
  /** How long a file may take to arrive, in milliseconds. */
  timeoutMs: number;
  log: Log;
}

/**
 * Fetches an original that is not there from where it used to be, and keeps it: once, however many ask.
 * @returns undefined for one that is not there either, or is none of ours
 * @throws HttpProblem 503 when the other place does not answer, or too many files are being fetched; the signal's reason
 */
export type PullThrough = (path: StoragePath, signal?: AbortSignal) => Promise<OriginalStat | undefined>;

const AT_ONCE = 8;
const MAX_QUEUED = 256;
const MAX_WAIT_MS = 30_000;

/** How many answers are remembered, and for how long: that there is no such file, and that there was no answer. */
const MAX_REMEMBERED = 10_000;
const MISSING_MS = 60_000;
const SILENT_MS = 5000;

/** The other place has the file, and it cannot be taken over. */
class Unfit extends Error {
  override name = 'Unfit';
}

/** @returns undefined where nothing is anywhere else */
export function createPullThrough(options: PullOptions): PullThrough | undefined {
  if (options.origins.length === 0) return undefined;
  const pulling = new Pulling(options);
  return (path, signal) => pulling.pull(path, signal);
}

class Pulling {
  readonly #options: PullOptions;
  readonly #flights = new SingleFlight<OriginalStat | undefined>();
  readonly #places = new Slots({
    ...{ size: AT_ONCE, maxQueued: MAX_QUEUED, maxWaitMs: MAX_WAIT_MS, purpose: 'fetches of originals' },
  });
  /** Until when somebody may be told the same again, by path. */
  readonly #known = boundedCache<StoragePath, 'missing' | 'silent'>(MAX_REMEMBERED);

  constructor(options: PullOptions) {
    this.#options = options;
  }

  async pull(path: StoragePath, signal: AbortSignal | undefined): Promise<OriginalStat | undefined> {
    const origin = this.#options.origins.find(({ folder }) => isWithin(path, folder) && path !== folder);
    if (!origin || !mediaTypeOf(path).uploadable) return undefined;
    const known = this.#known.get(path);
    if (known === 'missing') return undefined;
    if (known === 'silent') throw silent(path);
    return this.#flights.run(path, signal, (shared) =>
      this.#places.use(shared, () => this.#fetch(path, origin, shared)),
    );
  }

  async #fetch(path: StoragePath, origin: Origin, signal: AbortSignal): Promise<OriginalStat | undefined> {
    const { originals, temp, timeoutMs, log } = this.#options;
    const file = join(temp, randomUUID());
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      await this.#receive(urlOf(path, origin), file, limited);
      await requireType(file, path);
      await this.#keep(path, file);
      log.info({ path }, 'original fetched from where it was');
      return await originals.check(path);
    } catch (cause) {
      signal.throwIfAborted();
      if (isShortage(cause)) throw cause;
      const isMissing = cause instanceof Unfit || [404, 410].includes(statusOf(cause) ?? 0);
      this.#known.set(path, isMissing ? 'missing' : 'silent', { ttl: isMissing ? MISSING_MS : SILENT_MS });
      if (!isMissing || cause instanceof Unfit) log.warn({ path, err: cause }, 'original cannot be fetched');
      if (isMissing) return undefined;
      throw silent(path, cause);
    } finally {
      await rm(file, { force: true });
    }
  }

  /** @throws HttpProblem for every answer but a whole file; Unfit for one that is too large */
  async #receive(url: URL, file: string, signal: AbortSignal): Promise<void> {
    const { maxFileBytes, timeoutMs } = this.#options;
    // The operator has named the host: it may lie in a private network, and nothing leads on from it to another one.
    const { response } = await openUrl(
      url.href,
      { mayReach: () => true, mayFollow: (to) => to.origin === url.origin, userAgent: 'Darkroom', timeoutMs },
      signal,
    );
    try {
      const { 'content-encoding': coding = 'identity', 'content-length': length = '0' } = response.headers;
      if (coding !== 'identity') throw new Unfit(`It is coded as ${coding}, which was not asked for.`);
      if (Number(length) > maxFileBytes) throw tooLarge(maxFileBytes);
      await saveSource(atMost(response, maxFileBytes), file, signal);
    } finally {
      response.destroy();
    }
  }

  /** What somebody else has stored there meanwhile stays. */
  async #keep(path: StoragePath, file: string): Promise<void> {
    const { originals, lock } = this.#options;
    try {
      await lock.run([path], () => originals.store.adopt(path, file, { existing: 'keep' }));
    } catch (error) {
      if (error instanceof BlobConflict) throw new Unfit(error.message, { cause: error });
      if (!(error instanceof BlobExists)) throw error;
    }
  }
}

function urlOf(path: StoragePath, { folder, url }: Origin): URL {
  const within = folder === '' ? path : path.slice(folder.length + 1);
  return new URL(`${url}/${encodePath(within as StoragePath)}`);
}

/** @throws Unfit when the bytes are not what the name says */
async function requireType(file: string, path: StoragePath): Promise<void> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  const sniffed = await sniffMediaType(buffer.subarray(0, bytesRead));
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

function tooLarge(maxBytes: number): Unfit {
  return new Unfit(`It is larger than ${maxBytes / 1024 / 1024} MB (MAX_FILE_SIZE_MB).`);
}

function silent(path: StoragePath, cause?: unknown) {
  const message = `"${path}" cannot be fetched from where it was at the moment.`;
  return unavailable(message, 'origin_unavailable', SILENT_MS / 1000, cause);
}
