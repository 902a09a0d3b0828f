import { type Client, TRUSTED } from '../../client.ts';
import { Slots } from '../../concurrency.ts';
import { type HttpProblem, tooManyRequests } from '../../errors.ts';
import { noRoom } from '../../library/resumable/upload-bytes.ts';
import type { TempBudget } from '../../storage/temp-budget.ts';

export interface UploadRoomLimits {
  /** Of one file; and of all the files that a request without proof may have on the disk. */
  maxFileBytes: number;
  /** Of those that nothing has proven yet. */
  maxUnprovenBytes: number;
  maxUnprovenPerClient: number;
}

/** The room on the disk from which a form takes bytes for the files that it keeps. */
export interface Room {
  /** Undefined, or why a file may not take so many more bytes. @throws HttpProblem 503 when there is no room for anybody */
  take(bytes: number): string | undefined;
  give(bytes: number): void;
}

/** For forms that keep nothing. */
export const NO_ROOM: Room = { take: () => 'No file is expected.', give: () => undefined };

/** How many uploads of one client wait while its others are checked, and for how long: with the fields first, that is at once. */
const MAX_WAITING = 16;
const MAX_WAIT_MS = 2000;

const RETRY_SECONDS = 10;

interface Used {
  all: TempBudget;
  /** Bytes of those that nothing has proven yet. */
  unproven: number;
}

/** How much uploads may keep in temporary files: all of them together, and those without a key whose signature has not come yet. */
export class UploadRoom {
  readonly #limits: UploadRoomLimits;
  readonly #clients = new Map<string, Slots>();
  readonly #used: Used;

  /** @param all of the temporary files of all uploads */
  constructor(limits: UploadRoomLimits, all: TempBudget) {
    this.#limits = limits;
    this.#used = { all, unproven: 0 };
  }

  /**
   * Admits an upload.
   * @param client whose upload it is; that of a trusted one is proven
   * @throws HttpProblem 429 when too many of the client's uploads are unproven; the signal's reason
   */
  async enter(client: Client, signal: AbortSignal): Promise<UploadPlace> {
    const leave = client === TRUSTED ? undefined : await this.#enterUnproven(client, signal);
    return new UploadPlace(this.#limits, this.#used, client, leave);
  }

  async #enterUnproven(client: string, signal: AbortSignal): Promise<() => void> {
    const { maxUnprovenPerClient: size } = this.#limits;
    const slots =
      this.#clients.get(client) ??
      new Slots({ size, maxQueued: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, purpose: 'uploads without credentials' });
    this.#clients.set(client, slots);
    const [entered, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stay = slots.use(signal, () => {
      entered.resolve();
      return left.promise;
    });
    void stay.catch(entered.reject).finally(() => {
      if (slots.used === 0) this.#clients.delete(client);
    });
    await entered.promise.catch(() => {
      signal.throwIfAborted();
      throw tooManyUnproven(size);
    });
    return left.resolve;
  }
}

/** The room of one upload. */
export class UploadPlace implements Room {
  readonly #limits: UploadRoomLimits;
  readonly #used: Used;
  readonly #client: Client;
  #leave: (() => void) | undefined;
  #taken = 0;

  /** @param leave for an upload that is not proven: gives back its client's place */
  constructor(limits: UploadRoomLimits, used: Used, client: Client, leave: (() => void) | undefined) {
    this.#limits = limits;
    this.#used = used;
    this.#client = client;
    this.#leave = leave;
  }

  take(bytes: number): string | undefined {
    const { maxFileBytes, maxUnprovenBytes } = this.#limits;
    const { all } = this.#used;
    if (this.#leave && this.#taken + bytes > maxFileBytes) return overUnproven(maxFileBytes);
    const shortage = all.shortage(bytes, this.#client);
    if (shortage) throw noRoom(shortage, RETRY_SECONDS);
    if (this.#leave && this.#used.unproven + bytes > maxUnprovenBytes) {
      const of = 'uploads whose signature has not come yet';
      throw noRoom({ of, bytes: maxUnprovenBytes, setting: 'UPLOAD_UNPROVEN_MAX_MB' }, RETRY_SECONDS);
    }
    this.#count(bytes);
    return undefined;
  }

  give(bytes: number): void {
    this.#count(-bytes);
  }

  /** From now on the limits are those of every upload of its client. */
  prove(): void {
    if (!this.#leave) return;
    this.#used.unproven -= this.#taken;
    this.#leave();
    this.#leave = undefined;
  }

  /** The upload has ended, and its files are gone. */
  close(): void {
    this.prove();
    this.give(this.#taken);
  }

  #count(bytes: number): void {
    this.#taken += bytes;
    this.#used.all.take(bytes, this.#client);
    if (this.#leave) this.#used.unproven += bytes;
  }
}

function tooManyUnproven(max: number): HttpProblem {
  const message =
    `${max} uploads of this address are under way whose signature has not come yet (UPLOAD_UNPROVEN_MAX_PER_CLIENT). ` +
    'Where "signature", "expires" and "folder" come before the files, more are welcome.';
  return tooManyRequests(message, 'too_many_uploads', RETRY_SECONDS);
}

function overUnproven(bytes: number): string {
  const limit = `${bytes / 1024 / 1024} MB (MAX_FILE_SIZE_MB)`;
  return `At most ${limit} of files may come before "signature", "expires" and "folder": send these first.`;
}
