import { stat } from 'node:fs/promises';
import { conflict, HttpProblem, payloadTooLarge } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { StoragePath } from '../../path.ts';
import { BlobNotFound, type BlobReads } from '../../storage/blob-store.ts';
import type { HasBytes } from '../existing.ts';
import type { Library } from '../library.ts';
import { fileRefusalOf, fileTooLarge, type IncomingFile, type UploadRequest, type UploadResult } from '../upload.ts';
import { SerialQueue } from './serial-queue.ts';
import type { UploadFolder, UploadRecord } from './upload-folder.ts';
import { type KnownUpload, payerOf, type RegistryOptions, UploadRegistry, unknownUpload } from './upload-registry.ts';

/** The services that check uploads and store their files: of the library, or of a space. */
export interface UploadStorage {
  library: Pick<Library, 'add'>;
  store: Pick<BlobReads, 'stat'>;
  hasBytes: HasBytes;
  /** @throws HttpProblem 400 for everything that `storeFile` would refuse regardless of the bytes */
  check(request: UploadRequest): void;
  /** Refuses a file of so many bytes if it would exceed a quota. @throws HttpProblem 507 */
  requireQuota?: ((request: UploadRequest, bytes: number) => Promise<void>) | undefined;
  /** Maximum of a file in this space, if it is below that of the installation. */
  maxFileBytes?: number | undefined;
  maxFileSetting?: string | undefined;
  /** Stores a received file, as for all uploads. */
  storeFile(request: UploadRequest, library: UploadStorage['library']): Promise<UploadResult>;
}

/**
 * Returns the services of a space.
 * @param isByHost true for URLs that begin at the root of its host
 * @throws HttpProblem for one that does not exist
 */
export type StorageOfSpace = (space: string, isByHost: boolean) => UploadStorage;

export interface ResumableOptions extends RegistryOptions, UploadStorage {
  /** Without it, there are uploads of the library alone. */
  storageOf?: StorageOfSpace | undefined;
  /** Called once when the file of an upload was stored or refused. */
  onConcluded?: ((record: UploadRecord, result: UploadResult) => void) | undefined;
  log: Log;
}

/** The uploads of the library, or of a space, as their requests use them. */
export type OwnUploads = Pick<
  ResumableUploads,
  'create' | 'find' | 'expiresAt' | 'progress' | 'result' | 'append' | 'remove'
>;

/** Progress of an upload. */
export interface Progress {
  /** Bytes stored durably. */
  offset: number;
  /** Result, once all bytes have arrived. */
  result: UploadResult | undefined;
}

/** Destination of the bytes of one request. */
export interface Sink {
  write(piece: Buffer): Promise<void>;
  /** Number of missing bytes. */
  left: number;
  /** Aborts when another request wants to continue the upload. */
  superseded: AbortSignal;
}

const SWEEP_MS = 60_000;

/**
 * Resumable uploads of one file each, which survive a broken connection and the end of this process. Bytes stay on this
 * node until the file is complete; then it is stored, once. Requests for one upload are serialized.
 */
export class ResumableUploads {
  readonly #options: ResumableOptions;
  readonly #uploads: UploadRegistry;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: ResumableOptions, uploads: UploadRegistry) {
    this.#options = options;
    this.#uploads = uploads;
  }

  static async open(options: ResumableOptions): Promise<ResumableUploads> {
    return new ResumableUploads(options, await UploadRegistry.open(options));
  }

  /** Removes expired uploads, now and periodically, and stores complete files that an earlier process has left. */
  start(): void {
    this.#timer = setInterval(() => void this.sweep(), SWEEP_MS);
    void this.sweep();
    for (const id of this.#uploads.open()) {
      this.#progress(id).catch((err) => this.#options.log.warn({ err }, 'an upload could not be ended'));
    }
  }

  /** Waits for files that are being stored, up to the deadline. */
  async close(deadline: AbortSignal): Promise<void> {
    clearInterval(this.#timer);
    const late = Promise.withResolvers<void>();
    if (deadline.aborted) late.resolve();
    deadline.addEventListener('abort', () => late.resolve(), { once: true });
    await Promise.race([this.#queue.settled(), late.promise]);
  }

  /** The uploads of a space. Those of others, and of the library, do not exist there; all share the limits. */
  inSpace(space: string, isByHost: boolean): OwnUploads {
    return {
      create: (begun) => this.create({ ...begun, space, ...(isByHost && { isByHost }) }),
      find: (id) => this.find(id, space),
      expiresAt: (id) => this.expiresAt(id, space),
      progress: (id) => this.progress(id, space),
      result: (id) => this.result(id, space),
      append: (id, offset, receive) => this.append(id, offset, receive, space),
      remove: (id) => this.remove(id, space),
    };
  }

  /**
   * Begins an upload.
   * @returns its id
   * @throws HttpProblem 400 for an upload that will not be accepted, 413 for a length over the limit, 429 and 503 for
   * too many, 507 for a length over the quota
   */
  async create(begun: Omit<UploadRecord, 'createdAt'>): Promise<string> {
    const { check, maxFileBytes, maxFileSetting, requireQuota } = this.#storageOf(begun);
    if (maxFileBytes !== undefined && begun.length > maxFileBytes) {
      throw payloadTooLarge(fileTooLarge(maxFileBytes, maxFileSetting));
    }
    const request = requestOf(begun, undefined);
    check(request);
    await requireQuota?.(request, begun.length);
    return this.#uploads.add(begun);
  }

  /** @throws HttpProblem 404 for an unknown or expired upload, and for one of another space */
  find(id: string, space = ''): UploadRecord {
    const { record } = this.#uploads.get(id);
    if ((record.space ?? '') !== space) throw unknownUpload();
    return record;
  }

  /** Returns the expiry of an open upload without further bytes. @throws HttpProblem 404 */
  expiresAt(id: string, space = ''): Date {
    this.find(id, space);
    return new Date(this.#uploads.expiryOf(this.#uploads.get(id)));
  }

  /**
   * Returns the progress, after requests that bring bytes have been asked to end. A complete file is stored first.
   * @throws HttpProblem 404; any error that prevents storing the file for now
   */
  async progress(id: string, space = ''): Promise<Progress> {
    this.find(id, space);
    return this.#progress(id);
  }

  /** Like `progress`, but lets a request that brings bytes continue. */
  async result(id: string, space = ''): Promise<Progress> {
    this.find(id, space);
    const offset = await this.#offsetOf(id);
    return offset < this.#uploads.get(id).record.length ? { offset, result: undefined } : this.#progress(id);
  }

  /**
   * Adds bytes; with the last ones the file is stored. Received bytes stay, however this ends.
   * @param offset number of bytes that the client assumes here
   * @param receive writes the bytes after them
   * @throws HttpProblem 404; 409 for another offset; 503 without capacity for more bytes; errors of `receive`; any
   * error that prevents storing the file for now
   */
  async append(id: string, offset: number, receive: (sink: Sink) => Promise<void>, space = ''): Promise<Progress> {
    this.find(id, space);
    return this.#queue.take(id, async (superseded) => {
      const there = await this.#offsetOf(id);
      if (offset !== there) {
        throw conflict(`Expected the Upload-Offset ${there}, received ${offset}.`, 'offset_mismatch');
      }
      const upload = this.#uploads.get(id);
      if (upload.concludedAt !== undefined) return this.#end(id, there);
      const left = upload.record.length - there;
      const end = await this.#fill(upload, there, (write) => receive({ write, left, superseded }));
      return this.#end(id, end);
    });
  }

  /** Appends what `fill` writes, and reserves capacity piece by piece. @returns the resulting number of bytes */
  async #fill({ folder, held }: KnownUpload, there: number, fill: (write: Sink['write']) => Promise<void>) {
    const { bytes } = this.#uploads;
    // A failed write may have left a part of its piece.
    held.received = there;
    held.isReceiving = true;
    try {
      return await folder.append(there, (write) =>
        fill(async (piece) => {
          bytes.reserve(held, piece.length);
          await write(piece);
          bytes.receive(held, piece.length);
        }),
      );
    } finally {
      held.isReceiving = false;
      bytes.settle(held);
    }
  }

  /** Cancels an upload. A stored file stays. @throws HttpProblem 404 */
  async remove(id: string, space = ''): Promise<void> {
    this.find(id, space);
    return this.#queue.take(id, async () => {
      this.#uploads.get(id);
      await this.#uploads.remove(id);
    });
  }

  /** Removes expired uploads. Never fails: the next run retries. */
  async sweep(now = Date.now()): Promise<void> {
    for (const id of this.#uploads.expired(now).filter((one) => !this.#queue.has(one))) {
      try {
        await this.#queue.take(id, () => this.#uploads.remove(id));
      } catch (err) {
        this.#options.log.warn({ err }, 'an upload that has expired could not be removed');
      }
    }
  }

  #progress(id: string): Promise<Progress> {
    return this.#queue.take(id, async () => this.#end(id, await this.#offsetOf(id)));
  }

  /** Returns the services of the space of an upload. */
  #storageOf({ space, isByHost = false }: Pick<UploadRecord, 'space' | 'isByHost'>): UploadStorage {
    if (!space) return this.#options;
    const { storageOf } = this.#options;
    if (!storageOf) throw new Error('Expected the services of a space, received none.');
    return storageOf(space, isByHost);
  }

  /** Returns the progress. With all bytes the file is stored, unless it is already. */
  async #end(id: string, offset: number): Promise<Progress> {
    const { record, folder } = this.#uploads.get(id);
    if (offset < record.length) return { offset, result: undefined };
    const known = await folder.conclusion();
    if (known) return { offset, result: known.result };
    const result = await this.#store(record, folder);
    await this.#uploads.conclude(id, { result, concludedAt: Date.now() });
    this.#options.onConcluded?.(record, result);
    return { offset, result };
  }

  /** Returns the result, also of a permanent refusal. @throws any error that prevents storing the file for now */
  async #store(record: UploadRecord, folder: UploadFolder): Promise<UploadResult> {
    try {
      const storage = this.#storageOf(record);
      const result = await storage.storeFile(requestOf(record, await folder.link()), addOnce(storage, folder));
      if (!result.errors.some(({ code }) => code === 'internal_error')) return result;
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error;
      // tus clients abandon an upload at 429; after 423 they retry an upload that has all its bytes.
      if (error.status === 429) throw notYet(error);
      if (error.status !== 400) throw error;
      const refusal = { filename: record.request.name, ...fileRefusalOf(error) };
      return { success: false, files: [], errors: [refusal] };
    }
    throw new HttpProblem('internal_error', 'The file could not be stored.');
  }

  /** Returns the number of durable bytes. An upload whose bytes are missing is removed. @throws HttpProblem 404 */
  async #offsetOf(id: string): Promise<number> {
    const { record, folder, concludedAt } = this.#uploads.get(id);
    if (concludedAt !== undefined) return record.length;
    const offset = await folder.safeBytes();
    if (offset !== undefined) return offset;
    await this.#uploads.remove(id);
    throw unknownUpload();
  }
}

/**
 * Stores the file of one upload exactly once, however often it is added and whenever the process is killed. The target
 * is recorded before. A file found there afterwards is the same if its bytes are equal: the path was free before, and
 * nothing is ever overwritten.
 */
function addOnce(
  { library, store, hasBytes }: Pick<UploadStorage, 'library' | 'store' | 'hasBytes'>,
  folder: UploadFolder,
): Pick<Library, 'add'> {
  async function isStored(path: StoragePath, file: string): Promise<boolean> {
    const stored = await store.stat(path);
    try {
      return stored !== undefined && (await hasBytes(path, stored, file));
    } catch (error) {
      if (error instanceof BlobNotFound) return false;
      throw error;
    }
  }
  return {
    async add(path, file, existing) {
      const attempt = await folder.attempt();
      if (attempt !== undefined && (await isStored(attempt, file))) {
        return { path: attempt, size: (await stat(file)).size, isSkipped: false };
      }
      return library.add(path, file, existing, (free) => folder.noteAttempt(free));
    },
  };
}

function notYet({ message, headers }: HttpProblem): HttpProblem {
  return new HttpProblem('upload_busy', `All bytes are here, and the file cannot be stored yet: ${message}`, {
    headers,
  });
}

/** Returns the request of an ordinary upload. @param file with all bytes; undefined before they have arrived */
function requestOf(record: Omit<UploadRecord, 'createdAt'>, file: string | undefined): UploadRequest {
  const { name, declaredType, ...rest } = record.request;
  const incoming: IncomingFile = { name, declaredType, file, refusal: undefined, discard: async () => undefined };
  return { ...rest, client: payerOf(record), files: [incoming] };
}
