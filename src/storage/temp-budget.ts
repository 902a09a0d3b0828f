import { anonymousBytes, type Client, TRUSTED } from '../client.ts';

export interface TempLimits {
  /** Limit of all uploads, in bytes. */
  max: number;
  /** Limit of one anonymous client (without a key or a session), in bytes. */
  maxPerClient: number;
  /** Size of the largest file, for which a client with a key or a session always has capacity; in bytes. */
  fileBytes?: number;
}

/** A limit that a reservation would exceed. */
export interface Shortage {
  /** The limited uploads, as named in an error. */
  of: string;
  bytes: number;
  /** The setting of the limit. */
  setting: string;
}

/** Counts the bytes of uploads on this node's disk before they are stored. */
export class TempBudget {
  readonly max: number;
  readonly maxPerClient: number;
  readonly #maxAnonymous: number;
  #used = 0;
  #anonymous = 0;
  readonly #clients = new Map<string, number>();

  constructor({ max, maxPerClient, fileBytes = 0 }: TempLimits) {
    this.max = max;
    this.maxPerClient = maxPerClient;
    this.#maxAnonymous = anonymousBytes(max, fileBytes);
  }

  /** Returns the limit that this number of bytes would exceed, if any. */
  shortage(bytes: number, client: Client): Shortage | undefined {
    if (this.#used + bytes > this.max) return { of: 'uploads', bytes: this.max, setting: 'UPLOAD_TEMP_MAX_MB' };
    if (client === TRUSTED) return undefined;
    if (this.#anonymous + bytes > this.#maxAnonymous) {
      const setting = 'UPLOAD_TEMP_MAX_MB without what is reserved for keys';
      return { of: 'uploads without a key', bytes: this.#maxAnonymous, setting };
    }
    if ((this.#clients.get(client) ?? 0) + bytes > this.maxPerClient) {
      const setting = 'UPLOAD_TEMP_MAX_MB_PER_CLIENT';
      return { of: 'uploads of one client without a key', bytes: this.maxPerClient, setting };
    }
    return undefined;
  }

  take(bytes: number, client: Client): void {
    this.#used += bytes;
    if (client === TRUSTED) return;
    this.#anonymous += bytes;
    const used = (this.#clients.get(client) ?? 0) + bytes;
    if (used > 0) this.#clients.set(client, used);
    else this.#clients.delete(client);
  }

  give(bytes: number, client: Client): void {
    this.take(-bytes, client);
  }
}
