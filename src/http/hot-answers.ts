import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Delivery } from '../delivery/deliver.ts';
import type { StoragePath } from '../path.ts';
import type { Originals } from '../storage/originals.ts';
import type { VariantStore } from '../storage/variants.ts';
import { headersOf, type Representation } from './send.ts';

/**
 * An answer that can be given again as long as the original is the version it was made from and the variant is in memory. It
 * does not hold the variant: what the memory tier has let go is gone.
 */
interface HotAnswer {
  path: StoragePath;
  /** The original's etag. */
  version: string;
  /** The variant's key and size. */
  key: string;
  size: number;
  /** Names and values in turn, as `writeHead` takes them fastest. */
  headers: string[];
}

const MAX_ANSWERS = 20_000;
/** Longer requests are answered the usual way, so that the memory of the table is bounded. */
const MAX_KEY_LENGTH = 1024;

/** What makes a request more than a plain one: it goes the usual way. */
const CONDITIONS = ['range', 'if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since'] as const;

/**
 * The shortest way from a request to a cached variant in memory: no parsing, no hashing, no system call but the write. It
 * only ever repeats what the usual way has answered before; both `originals.peek` and `variants.peek` have to agree.
 */
export class HotAnswers {
  readonly #answers = new LRUCache<string, HotAnswer>({ max: MAX_ANSWERS });
  readonly #originals: Originals;
  readonly #variants: VariantStore;

  constructor(originals: Originals, variants: VariantStore) {
    this.#originals = originals;
    this.#variants = variants;
  }

  /**
   * Answers the request if that is possible without waiting; false leaves it untouched.
   * @param more further headers, names and values in turn
   */
  tryAnswer(request: IncomingMessage, response: ServerResponse, more: readonly string[] = []): boolean {
    if (request.method !== 'GET') return false;
    const { headers, url = '' } = request;
    const answer = this.#answers.get(tableKey(url, headers.accept));
    if (!answer || CONDITIONS.some((name) => headers[name] !== undefined)) return false;
    const stat = this.#originals.peek(answer.path);
    if (stat === 'unknown' || stat?.etag !== answer.version) return false;
    const bytes = this.#variants.peek(answer.key)?.bytes;
    if (bytes?.length !== answer.size) return false;
    response.writeHead(200, more.length > 0 ? answer.headers.concat(more) : answer.headers);
    response.end(bytes);
    return true;
  }

  /** Remembers an answer that was given the usual way, if it can be given again from memory. */
  remember({ url = '', headers }: IncomingMessage, delivery: Delivery, representation: Representation): void {
    if (delivery.kind !== 'variant' || !delivery.isHit) return;
    const request = tableKey(url, headers.accept);
    if (request.length > MAX_KEY_LENGTH) return;
    const { path, stat, variant } = delivery;
    const { key, size } = variant;
    if (!this.#variants.peek(key)) return;
    const flat = Object.entries({ ...headersOf(representation), 'Content-Length': String(size) }).flat();
    this.#answers.set(request, { path, version: stat.etag, key, size, headers: flat });
  }
}

/** A URL holds no space, so no other pair of URL and header gives the same text. */
function tableKey(url: string, accept = ''): string {
  return `${url} ${accept}`;
}
