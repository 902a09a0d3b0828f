import { type Client, TRUSTED } from '../../client.ts';
import { Slots } from '../../concurrency.ts';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
import { insufficientSpace } from '../../library/resumable/upload-bytes.ts';
import type { TempBudget } from '../../storage/temp-budget.ts';

export interface UploadCapacityLimits {
  /** Maximum size of one file. */
  maxFileBytes: number;
  /** Maximum of all files of unauthenticated uploads. */
  maxUnauthenticatedBytes: number;
  maxUnauthenticatedPerClient: number;
}

/** The capacity on the disk from which a body takes bytes for the files that it stores. */
export interface Capacity {
  /**
   * Undefined, or the reason why a file may not take this number of bytes.
   * @throws HttpProblem 503 when the capacity is used up for all clients
   */
  take(bytes: number): string | undefined;
  give(bytes: number): void;
}

/** For bodies that store nothing. */
export const NO_CAPACITY: Capacity = { take: () => 'No file is expected.', give: () => undefined };

/**
 * Maximum of uploads of one client that wait while its others are checked. With the fields first, the check is
 * immediate.
 */
const MAX_WAITING = 16;
const MAX_WAIT_MS = 2000;

const RETRY_SECONDS = 10;

interface Used {
  all: TempBudget;
  /** Bytes of unauthenticated uploads. */
  unauthenticated: number;
}

/**
 * Limits the temporary files of uploads: of all together, and of those without a key whose signature has not arrived
 * yet.
 */
export class UploadCapacity {
  readonly #limits: UploadCapacityLimits;
  readonly #clients = new Map<string, Slots>();
  readonly #used: Used;

  /** @param all of the temporary files of all uploads */
  constructor(limits: UploadCapacityLimits, all: TempBudget) {
    this.#limits = limits;
    this.#used = { all, unauthenticated: 0 };
  }

  /**
   * Admits an upload.
   * @param client the owner of the upload; a trusted one needs no proof
   * @throws HttpProblem 429 when too many of the client's uploads are unauthenticated; the signal's reason
   */
  async enter(client: Client, signal: AbortSignal): Promise<UploadPlace> {
    const leave = client === TRUSTED ? undefined : await this.#enterUnauthenticated(client, signal);
    return new UploadPlace(this.#limits, this.#used, client, leave);
  }

  async #enterUnauthenticated(client: string, signal: AbortSignal): Promise<() => void> {
    const { maxUnauthenticatedPerClient: size } = this.#limits;
    const slots =
      this.#clients.get(client) ??
      new Slots({ size, maxQueued: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, purpose: 'uploads without credentials' });
    this.#clients.set(client, slots);
    const entered = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const stay = slots.use(signal, () => {
      entered.resolve();
      return left.promise;
    });
    void stay.catch(entered.reject).finally(() => {
      if (slots.used === 0) this.#clients.delete(client);
    });
    await entered.promise.catch(() => {
      signal.throwIfAborted();
      throw tooManyUnauthenticated(size);
    });
    return left.resolve;
  }
}

/** The capacity of one upload. */
export class UploadPlace implements Capacity {
  readonly #limits: UploadCapacityLimits;
  readonly #used: Used;
  readonly #client: Client;
  #leave: (() => void) | undefined;
  #taken = 0;

  /** @param leave for an unauthenticated upload: gives back its client's slot */
  constructor(limits: UploadCapacityLimits, used: Used, client: Client, leave: (() => void) | undefined) {
    this.#limits = limits;
    this.#used = used;
    this.#client = client;
    this.#leave = leave;
  }

  take(bytes: number): string | undefined {
    const { maxFileBytes, maxUnauthenticatedBytes } = this.#limits;
    const { all } = this.#used;
    if (this.#leave && this.#taken + bytes > maxFileBytes) return overUnauthenticated(maxFileBytes);
    const shortage = all.shortage(bytes, this.#client);
    if (shortage) throw insufficientSpace(shortage, RETRY_SECONDS);
    if (this.#leave && this.#used.unauthenticated + bytes > maxUnauthenticatedBytes) {
      const of = 'uploads whose signature has not come yet';
      throw insufficientSpace({ of, bytes: maxUnauthenticatedBytes, setting: 'UPLOAD_UNPROVEN_MAX_MB' }, RETRY_SECONDS);
    }
    this.#count(bytes);
    return undefined;
  }

  give(bytes: number): void {
    this.#count(-bytes);
  }

  /** Applies the limits of authenticated uploads from now on. */
  prove(): void {
    if (!this.#leave) return;
    this.#used.unauthenticated -= this.#taken;
    this.#leave();
    this.#leave = undefined;
  }

  /** Releases the capacity after the upload has ended and its files are deleted. */
  [Symbol.dispose](): void {
    this.prove();
    this.give(this.#taken);
  }

  #count(bytes: number): void {
    this.#taken += bytes;
    this.#used.all.take(bytes, this.#client);
    if (this.#leave) this.#used.unauthenticated += bytes;
  }
}

function tooManyUnauthenticated(max: number): HttpProblem {
  const message =
    `${max} uploads of this address without a signature so far are in progress (UPLOAD_UNPROVEN_MAX_PER_CLIENT). ` +
    'Send "signature", "expires" and "folder" before the files to have more.';
  return tooManyRequests(message, 'too_many_uploads', RETRY_SECONDS);
}

function overUnauthenticated(bytes: number): string {
  const limit = `${bytes / 1024 / 1024} MB (MAX_FILE_SIZE_MB)`;
  return `At most ${limit} of files may come before "signature", "expires" and "folder": send these first.`;
}
