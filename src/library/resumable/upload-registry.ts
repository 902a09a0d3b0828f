import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type HttpProblem, notFound, payloadTooLarge, tooManyRequests, unavailable } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { TempBudget } from '../../storage/temp-budget.ts';
import { fileTooLarge } from '../upload.ts';
import { type Conclusion, UploadFolder, type UploadRecord } from './upload-folder.ts';

export interface ResumableLimits {
  maxFileBytes: number;
  /** Uploads that have begun and not ended. */
  maxOpen: number;
  maxOpenPerClient: number;
  /** How long an upload may rest, and how long its result is told. */
  expiresMs: number;
  /** The slowest average at which the bytes may arrive. */
  minBytesPerSecond: number;
}

export interface RegistryOptions {
  /** Where the uploads are kept, over a restart too. */
  folder: string;
  limits: ResumableLimits;
  budget: TempBudget;
  log: Log;
}

/** An upload, and the folder that it has on the disk. */
export interface KnownUpload {
  record: UploadRecord;
  folder: UploadFolder;
  /** Unix milliseconds; undefined while it is open. */
  concludedAt: number | undefined;
}

/** 192 bits: who knows the id of an upload may go on with it. */
const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;

const RETRY_SECONDS = 60;

/** Which uploads there are: those that are open, within limits, and how the last ones have ended. */
export class UploadRegistry {
  readonly #options: RegistryOptions;
  /** Open ones in the order in which they began, then the others as they ended. */
  readonly #uploads = new Map<string, KnownUpload>();

  private constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Finds the uploads that an earlier process has left. */
  static async open(options: RegistryOptions): Promise<UploadRegistry> {
    await mkdir(options.folder, { recursive: true });
    const registry = new UploadRegistry(options);
    for (const name of await readdir(options.folder)) if (ID.test(name)) await registry.#recall(name);
    return registry;
  }

  /**
   * Begins an upload, and keeps room for all of its bytes.
   * @returns its id
   * @throws HttpProblem 413 for a length over the limit, 429 and 503 when there are too many uploads
   */
  async add(given: Omit<UploadRecord, 'createdAt'>): Promise<string> {
    this.#requireRoom(given);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const upload = this.#register(id, { ...given, createdAt: Date.now() });
    try {
      await upload.folder.create(upload.record);
    } catch (error) {
      await this.forget(id);
      throw error;
    }
    return id;
  }

  /** @throws HttpProblem 404 for an upload that is not here, or not any more */
  get(id: string, now = Date.now()): KnownUpload {
    const upload = this.#uploads.get(id);
    if (!upload || this.#endOf(upload) <= now) throw unknownUpload();
    return upload;
  }

  /** The ids of open uploads. */
  open(): string[] {
    return Array.from(this.#uploads).flatMap(([id, { concludedAt }]) => (concludedAt === undefined ? [id] : []));
  }

  /** The ids of those whose time is over. */
  expired(now: number): string[] {
    return Array.from(this.#uploads).flatMap(([id, upload]) => (this.#endOf(upload) <= now ? [id] : []));
  }

  /** When an open upload is given up, in Unix milliseconds. A large one has the time that it takes at the slowest rate in addition. */
  expiryOf({ createdAt, length }: UploadRecord): number {
    const { expiresMs, minBytesPerSecond } = this.#options.limits;
    return createdAt + expiresMs + (length / minBytesPerSecond) * 1000;
  }

  /** An upload has ended. Its bytes are no longer needed; how it ended is told for a while. */
  async conclude(id: string, conclusion: Conclusion): Promise<void> {
    const upload = this.get(id, 0);
    await upload.folder.conclude(conclusion);
    this.#release(upload);
    upload.concludedAt = conclusion.concludedAt;
    this.#uploads.delete(id);
    this.#uploads.set(id, upload);
    await this.#forgetOldest();
  }

  async forget(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    if (!upload) return;
    this.#uploads.delete(id);
    this.#release(upload);
    await upload.folder.remove();
  }

  #requireRoom({ length, client }: Pick<UploadRecord, 'length' | 'client'>): void {
    const { limits, budget } = this.#options;
    const { maxFileBytes, maxOpen, maxOpenPerClient } = limits;
    if (length > maxFileBytes) throw payloadTooLarge(fileTooLarge(maxFileBytes));
    const open = Array.from(this.#uploads.values()).filter(({ concludedAt }) => concludedAt === undefined);
    if (open.filter(({ record }) => record.client === client).length >= maxOpenPerClient)
      throw tooManyOfClient(maxOpenPerClient);
    if (open.length >= maxOpen) throw noPlace(`${maxOpen} resumable uploads are open (UPLOAD_RESUMABLE_MAX).`);
    const bytes = open.reduce((sum, { record }) => sum + record.length, length);
    // The other half is for uploads that do not wait for anybody.
    const share = Math.max(maxFileBytes, budget.max / 2);
    if (bytes <= share && budget.hasRoom(length)) return;
    const megabytes = `${share / 1024 / 1024} MB (half of UPLOAD_TEMP_MAX_MB)`;
    throw noPlace(`The room for resumable uploads, ${megabytes}, is taken at the moment.`);
  }

  #register(id: string, record: UploadRecord, conclusion?: Conclusion): KnownUpload {
    const folder = new UploadFolder(this.#placeOf(id));
    const upload = { record, folder, concludedAt: conclusion?.concludedAt };
    if (!conclusion) this.#options.budget.take(record.length);
    this.#uploads.set(id, upload);
    return upload;
  }

  #release({ record, concludedAt }: KnownUpload): void {
    if (concludedAt === undefined) this.#options.budget.give(record.length);
  }

  async #recall(id: string): Promise<void> {
    const folder = new UploadFolder(this.#placeOf(id));
    try {
      const record = await folder.record();
      // The process was killed while it made or removed the folder.
      if (!record) return await folder.remove();
      const conclusion = await folder.conclusion();
      if (conclusion) await folder.dropBytes();
      this.#register(id, record, conclusion);
    } catch (err) {
      this.#options.log.warn({ err }, 'an unfinished upload cannot be read');
    }
  }

  /** As many results are kept as uploads may be open. */
  async #forgetOldest(): Promise<void> {
    const ended = Array.from(this.#uploads).filter(([, { concludedAt }]) => concludedAt !== undefined);
    const excess = Math.max(0, ended.length - this.#options.limits.maxOpen);
    for (const [id] of ended.slice(0, excess)) await this.forget(id);
  }

  #endOf({ record, concludedAt }: KnownUpload): number {
    return concludedAt === undefined ? this.expiryOf(record) : concludedAt + this.#options.limits.expiresMs;
  }

  #placeOf(id: string): string {
    return join(this.#options.folder, id);
  }
}

export function unknownUpload(): HttpProblem {
  return notFound('There is no such upload here, or not any more: begin it again.', 'upload_not_found');
}

function tooManyOfClient(max: number): HttpProblem {
  const message =
    `${max} resumable uploads of this address are open (UPLOAD_RESUMABLE_MAX_PER_CLIENT). ` +
    'Finish or delete one of them first.';
  return tooManyRequests(message, 'too_many_uploads', RETRY_SECONDS);
}

const noPlace = (message: string) => unavailable(message, 'overloaded', RETRY_SECONDS);
