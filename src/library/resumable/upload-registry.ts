import { randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { anonymousPlaces, type Client, TRUSTED } from '../../client.ts';
import { type HttpProblem, notFound, payloadTooLarge, tooManyRequests, unavailable } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { TempBudget } from '../../storage/temp-budget.ts';
import { fileTooLarge } from '../upload.ts';
import { type HeldBytes, STEP_BYTES, UploadBytes } from './upload-bytes.ts';
import { type Conclusion, UploadFolder, type UploadRecord } from './upload-folder.ts';

export interface ResumableLimits {
  maxFileBytes: number;
  /** Limit of open uploads. */
  maxOpen: number;
  maxOpenPerClient: number;
  /**
   * Time for an upload, in ms, without that of its bytes at the minimum rate; also the retention period of its result.
   */
  expiresMs: number;
  /** Time for the first megabyte of an anonymous upload, in ms. */
  emptyMs: number;
  /** Time for each further megabyte of it, in ms. */
  idleMs: number;
  /** Minimum average rate, by which large uploads get more time. */
  minBytesPerSecond: number;
}

export interface RegistryOptions {
  /** Folder of the uploads, which survives a restart. */
  folder: string;
  limits: ResumableLimits;
  budget: TempBudget;
  log: Log;
}

/** An upload, and its folder on the disk. */
export interface KnownUpload {
  record: UploadRecord;
  folder: UploadFolder;
  held: HeldBytes;
  /** Unix milliseconds; undefined while it is open. */
  concludedAt: number | undefined;
}

/** 192 bits: the id of an upload authorizes its continuation. */
const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;

const RETRY_SECONDS = 60;

/** Tracks uploads: open ones, within limits, and the results of ended ones. */
export class UploadRegistry {
  readonly bytes: UploadBytes;
  readonly #options: RegistryOptions;
  /** By id: open uploads, and ended ones whose results are retained. */
  readonly #uploads = new Map<string, KnownUpload>();

  private constructor(options: RegistryOptions) {
    this.#options = options;
    this.bytes = new UploadBytes(options.budget, options.limits.maxFileBytes);
  }

  /** Loads the uploads of an earlier process. */
  static async open(options: RegistryOptions): Promise<UploadRegistry> {
    await mkdir(options.folder, { recursive: true });
    const registry = new UploadRegistry(options);
    for (const name of await readdir(options.folder)) if (ID.test(name)) await registry.#recall(name);
    return registry;
  }

  /**
   * Begins an upload. Reserves no capacity before its bytes arrive.
   * @returns its id
   * @throws HttpProblem 413 for a length over the limit, 429 and 503 for too many uploads, 503 without capacity for its
   * length
   */
  async add(begun: Omit<UploadRecord, 'createdAt'>): Promise<string> {
    this.#assertCapacity(begun);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const upload = this.#register(id, { ...begun, createdAt: Date.now() }, 0);
    try {
      await upload.folder.create(upload.record);
    } catch (error) {
      await this.remove(id);
      throw error;
    }
    return id;
  }

  /** @throws HttpProblem 404 for an unknown or expired upload */
  get(id: string, now = Date.now()): KnownUpload {
    const upload = this.#uploads.get(id);
    if (!upload || this.#endOf(upload) <= now) throw unknownUpload();
    return upload;
  }

  /** Returns the ids of open uploads. */
  open(): string[] {
    return Array.from(this.#uploads).flatMap(([id, { concludedAt }]) => (concludedAt === undefined ? [id] : []));
  }

  /** Returns the ids of expired uploads. */
  expired(now: number): string[] {
    return Array.from(this.#uploads).flatMap(([id, upload]) => (this.#endOf(upload) <= now ? [id] : []));
  }

  /**
   * Returns the expiry of an open upload, in Unix milliseconds. A large one additionally gets the time that it takes at
   * the minimum rate. An anonymous one must make progress: its client may never send a byte.
   */
  expiryOf({ record: { createdAt, length }, held }: KnownUpload): number {
    const { expiresMs, emptyMs, idleMs, minBytesPerSecond } = this.#options.limits;
    const latest = createdAt + expiresMs + (length / minBytesPerSecond) * 1000;
    const isWaitedFor = held.client !== TRUSTED && held.received < length && !held.isReceiving;
    if (!isWaitedFor) return latest;
    return Math.min(latest, held.progressAt + (held.received < STEP_BYTES ? emptyMs : idleMs));
  }

  /** Called when an upload has ended. Its bytes are no longer needed; its result is retained for a while. */
  async conclude(id: string, conclusion: Conclusion): Promise<void> {
    const upload = this.get(id, 0);
    await upload.folder.conclude(conclusion);
    this.bytes.remove(upload.held);
    upload.concludedAt = conclusion.concludedAt;
    await this.#removeOldest();
  }

  /** Removes an upload and its folder, in any state. Does nothing for an unknown one. */
  async remove(id: string): Promise<void> {
    const upload = this.#uploads.get(id);
    if (!upload) return;
    this.#uploads.delete(id);
    this.bytes.remove(upload.held);
    await upload.folder.remove();
  }

  #assertCapacity(begun: Omit<UploadRecord, 'createdAt'>): void {
    const { length, client, admittedBy } = begun;
    const { maxFileBytes, maxOpen, maxOpenPerClient } = this.#options.limits;
    if (length > maxFileBytes) throw payloadTooLarge(fileTooLarge(maxFileBytes));
    const open = Array.from(this.#uploads.values()).filter(({ concludedAt }) => concludedAt === undefined);
    const alike = open.filter(({ record }) => record.admittedBy === admittedBy);
    if (alike.filter(({ record }) => record.client === client).length >= maxOpenPerClient)
      throw tooManyOfClient(maxOpenPerClient);
    if (open.length >= maxOpen) throw noPlace(`${maxOpen} resumable uploads are open (UPLOAD_RESUMABLE_MAX).`);
    const maxAnonymous = anonymousPlaces(maxOpen);
    if (payerOf(begun) !== TRUSTED && alike.length >= maxAnonymous) {
      const limit = 'nine tenths of UPLOAD_RESUMABLE_MAX';
      throw noPlace(`${maxAnonymous} resumable uploads without a key are open (${limit}).`);
    }
    this.bytes.assertCapacity(length, payerOf(begun));
  }

  /** Adds an upload whose folder exists or will. @param received bytes that have arrived; none for an ended upload */
  #register(id: string, record: UploadRecord, received: number, conclusion?: Conclusion): KnownUpload {
    const folder = new UploadFolder(this.#placeOf(id));
    const held = this.bytes.add({
      length: record.length,
      client: payerOf(record),
      received,
      // Clients could not send bytes while the service was stopped.
      progressAt: Date.now(),
    });
    const upload = { record, folder, held, concludedAt: conclusion?.concludedAt };
    if (conclusion) this.bytes.remove(held);
    this.#uploads.set(id, upload);
    return upload;
  }

  /** Loads an upload, or removes what is left of one that was being created or removed. */
  async #recall(id: string): Promise<void> {
    const folder = new UploadFolder(this.#placeOf(id));
    try {
      const record = await folder.record();
      // The process was killed while it created or removed the folder.
      if (!record) return await folder.remove();
      const conclusion = await folder.conclusion();
      if (conclusion) await folder.dropBytes();
      const received = conclusion ? 0 : await folder.safeBytes();
      this.#register(id, record, received ?? 0, conclusion);
    } catch (err) {
      this.#options.log.warn({ err }, 'an unfinished upload cannot be read');
    }
  }

  /** Limits stored results to the limit of open uploads. Evicts the oldest of the client with most of them. */
  async #removeOldest(): Promise<void> {
    const ended = Array.from(this.#uploads)
      .filter(([, { concludedAt }]) => concludedAt !== undefined)
      .sort(([, one], [, other]) => (one.concludedAt ?? 0) - (other.concludedAt ?? 0));
    for (let excess = ended.length - this.#options.limits.maxOpen; excess > 0; excess--) {
      const ofClients = Map.groupBy(ended, ([, { record }]) => `${record.admittedBy} ${record.client}`);
      const [most] = [...ofClients.values()].sort((one, other) => other.length - one.length);
      const oldest = most?.[0];
      if (!oldest) return;
      ended.splice(ended.indexOf(oldest), 1);
      await this.remove(oldest[0]);
    }
  }

  #endOf(upload: KnownUpload): number {
    return upload.concludedAt === undefined
      ? this.expiryOf(upload)
      : upload.concludedAt + this.#options.limits.expiresMs;
  }

  #placeOf(id: string): string {
    return join(this.#options.folder, id);
  }
}

export function unknownUpload(): HttpProblem {
  return notFound('There is no such upload here, or not any more: begin it again.', 'upload_not_found');
}

/** Client that an upload is charged to. Only credentials make it trusted, however it was admitted. */
export function payerOf({ admittedBy, client }: Pick<UploadRecord, 'admittedBy' | 'client'>): Client {
  return admittedBy === 'credentials' ? TRUSTED : client;
}

function tooManyOfClient(max: number): HttpProblem {
  const message =
    `${max} resumable uploads of this address are open (UPLOAD_RESUMABLE_MAX_PER_CLIENT). ` +
    'Finish or delete one of them first.';
  return tooManyRequests(message, 'too_many_uploads', RETRY_SECONDS);
}

const noPlace = (message: string) => unavailable(message, 'overloaded', RETRY_SECONDS);
