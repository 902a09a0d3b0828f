import { anonymousBytes, type Client, TRUSTED } from '../client.ts';

export interface TempLimits {
  /** Bytes of all uploads. */
  max: number;
  /** Bytes of one client without a key or a session. */
  maxPerClient: number;
  /** Of the largest file, for which there is always room with a key or a session. */
  fileBytes?: number;
}

/** A limit that a request for room would exceed. */
export interface Shortage {
  /** Whose uploads are limited, as an error says it. */
  of: string;
  bytes: number;
  /** Where the limit comes from. */
  setting: string;
}

/** Counts the bytes that uploads have on this node's disk before they are stored. */
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

  /** The limit that is in the way of so many more bytes, if there is one. */
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
