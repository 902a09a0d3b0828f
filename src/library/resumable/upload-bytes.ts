import { anonymousBytes, bytesWithReserve, type Client, TRUSTED } from '../../client.ts';
import { type HttpProblem, unavailable } from '../../errors.ts';
import type { Shortage, TempBudget } from '../../storage/temp-budget.ts';

/** Unit of reservations, in bytes. An anonymous upload has to grow by one from time to time. */
export const STEP_BYTES = 1024 * 1024;

const RETRY_SECONDS = 60;

/** Bytes of one open upload. */
export interface HeldBytes {
  /** Size of the whole file, in bytes. */
  readonly length: number;
  readonly client: Client;
  received: number;
  /** Reserved capacity: at least `received`, at most `length`. */
  reserved: number;
  /** Unix milliseconds of the start or restart, or of the last `STEP_BYTES` received. */
  progressAt: number;
  isReceiving: boolean;
}

/** Uploads that share a limit, with the words for its error. */
interface Group {
  max: number;
  of: string;
  setting: string;
  has(held: HeldBytes): boolean;
}

/**
 * Shares capacity among resumable uploads, which reserve it as bytes arrive: an announced length reserves none. All of
 * them have half of the budget, anonymous ones the unreserved part of that, and one anonymous client half of it, but at
 * most its part of the budget. Each limit has capacity for one file of the largest size, which may have to wait until
 * others have ended.
 */
export class UploadBytes {
  readonly #budget: TempBudget;
  readonly #maxFileBytes: number;
  readonly #open = new Set<HeldBytes>();

  constructor(budget: TempBudget, maxFileBytes: number) {
    this.#budget = budget;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Reserves nothing. @throws HttpProblem 503 when a file of this length does not fit next to the reserved bytes */
  assertCapacity(length: number, client: Client): void {
    for (const group of this.#groupsOf(client)) {
      if (length > freeIn(group, this.#membersOf(group))) throw insufficientSpace({ ...group, bytes: group.max });
    }
    this.#requireBudget(length, client);
  }

  /** Adds an upload that may have bytes already, also above the limits. */
  add(held: Pick<HeldBytes, 'length' | 'client' | 'received' | 'progressAt'>): HeldBytes {
    const added = { ...held, reserved: held.received, isReceiving: false };
    this.#open.add(added);
    this.#budget.take(added.reserved, added.client);
    return added;
  }

  /** Releases the capacity of an upload whose bytes are no longer needed. */
  remove(held: HeldBytes): void {
    if (this.#open.delete(held)) this.#budget.give(held.reserved, held.client);
  }

  /**
   * Reserves capacity for the next bytes.
   * @throws HttpProblem 503 without capacity, or when other uploads need the rest to complete
   */
  reserve(held: HeldBytes, bytes: number): void {
    const needed = held.received + bytes - held.reserved;
    if (needed <= 0) return;
    const step = Math.min(held.length - held.reserved, Math.max(needed, STEP_BYTES));
    for (const group of this.#groupsOf(held.client)) {
      if (!staysSafe(group, this.#membersOf(group), held, step))
        throw insufficientSpace({ ...group, bytes: group.max });
    }
    this.#requireBudget(step, held.client);
    this.#reserve(held, step);
  }

  /** Counts bytes that were written. */
  receive(held: HeldBytes, bytes: number): void {
    const steps = Math.floor(held.received / STEP_BYTES);
    held.received += bytes;
    if (Math.floor(held.received / STEP_BYTES) > steps) held.progressAt = Date.now();
  }

  /** Releases capacity reserved in advance. */
  settle(held: HeldBytes): void {
    if (this.#open.has(held)) this.#reserve(held, held.received - held.reserved);
  }

  #reserve(held: HeldBytes, bytes: number): void {
    held.reserved += bytes;
    this.#budget.take(bytes, held.client);
  }

  #requireBudget(bytes: number, client: Client): void {
    const shortage = this.#budget.shortage(bytes, client);
    if (shortage) throw insufficientSpace(shortage);
  }

  #groupsOf(client: Client): Group[] {
    const { max: budget, maxPerClient } = this.#budget;
    // The other half is for uploads that wait for no other.
    const all = Math.min(budget, Math.max(bytesWithReserve(this.#maxFileBytes), budget / 2));
    const setting = 'of UPLOAD_TEMP_MAX_MB';
    const groups: Group[] = [{ max: all, of: 'resumable uploads', setting: `half ${setting}`, has: () => true }];
    if (client === TRUSTED) return groups;
    const anonymous = Math.max(this.#maxFileBytes, anonymousBytes(all, this.#maxFileBytes));
    groups.push({
      max: anonymous,
      of: 'resumable uploads without a key',
      setting: `half ${setting} without what is reserved for keys`,
      has: (held) => held.client !== TRUSTED,
    });
    const share = Math.max(this.#maxFileBytes, anonymous / 2);
    // Uploads beyond the capacity of their client would deadlock there, where no check protects them.
    groups.push({
      max: Math.min(maxPerClient, share),
      of: 'resumable uploads of one client without a key',
      setting: maxPerClient < share ? 'UPLOAD_TEMP_MAX_MB_PER_CLIENT' : `a quarter ${setting} at most`,
      has: (held) => held.client === client,
    });
    return groups;
  }

  #membersOf(group: Group): HeldBytes[] {
    return Array.from(this.#open).filter((held) => group.has(held));
  }
}

function freeIn({ max }: Group, members: readonly HeldBytes[]): number {
  return members.reduce((free, { reserved }) => free - reserved, max);
}

/**
 * True if all members can still be completed, one after the other, once one of them has taken a step (the banker's
 * algorithm). Without this, uploads that do not fit together would each take half of the capacity, and none could
 * complete.
 */
function staysSafe(group: Group, members: readonly HeldBytes[], growing: HeldBytes, step: number): boolean {
  let free = freeIn(group, members) - step;
  if (free < 0) return false;
  const left = members.map((held) => {
    const reserved = held === growing ? held.reserved + step : held.reserved;
    return { reserved, missing: held.length - reserved };
  });
  if (left.every(({ missing }) => missing <= free)) return true;
  for (const { reserved, missing } of left.sort((one, other) => one.missing - other.missing)) {
    if (missing > free) return false;
    free += reserved;
  }
  return true;
}

/** Creates the error for a shortage. */
export function insufficientSpace({ of, bytes, setting }: Shortage, retrySeconds = RETRY_SECONDS): HttpProblem {
  const amount = `${Number((bytes / 1024 / 1024).toFixed(1))} MB (${setting})`;
  return unavailable(`The space for ${of}, ${amount}, is used up at the moment.`, 'overloaded', retrySeconds);
}
