import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Delivery } from '../../delivery/deliver.ts';
import type { StoragePath } from '../../path.ts';
import type { VariantStore } from '../../storage/cache/variant-store.ts';
import type { Originals } from '../../storage/originals.ts';
import { isHost } from '../admission/host.ts';
import { type IdentifyRequest, REQUEST_ID_HEADER } from '../observe/request-id.ts';
import { headerLines, PreparedHeads } from './prepared-head.ts';
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
  etag: string;
  /** The headers of a 304, each with its end of line; a 200 has the length besides. */
  lines: string;
}

const MAX_ANSWERS = 20_000;
/** Longer requests are answered the usual way, so that the memory of the table is bounded. */
const MAX_KEY_LENGTH = 1024;

/** Headers that the short way leaves to the usual one. */
const CONDITIONS: ReadonlySet<string> = new Set([
  'range',
  'if-match',
  'if-unmodified-since',
  // A body that may never end.
  'content-length',
  'transfer-encoding',
]);

const ASKED = ['host', 'accept', 'if-none-match', 'if-modified-since', REQUEST_ID_HEADER] as const;

/** The headers that decide about an answer; each stands once in a request that goes the short way. */
type Asked = Partial<Record<(typeof ASKED)[number], string>>;

/**
 * The shortest way from a request to a cached variant in memory: no parsing, no hashing, no system call but the write. It
 * only ever repeats what the usual way has answered before; both `originals.peek` and `variants.peek` have to agree.
 */
export class HotAnswers {
  readonly #answers = new LRUCache<string, HotAnswer>({ max: MAX_ANSWERS });
  readonly #heads = new PreparedHeads();
  readonly #originals: Originals;
  readonly #variants: VariantStore;

  readonly #identify: IdentifyRequest;

  /** The last one that was a host. */
  #host: string | undefined;

  constructor(originals: Originals, variants: VariantStore, identify: IdentifyRequest) {
    this.#originals = originals;
    this.#variants = variants;
    this.#identify = identify;
  }

  /**
   * Answers the request if that is possible without waiting.
   * @param more further headers, names and values in turn
   * @returns the request's id; undefined when it was left untouched
   */
  tryAnswer(request: IncomingMessage, response: ServerResponse, more: readonly string[] = []): string | undefined {
    if (request.method !== 'GET' || !response.shouldKeepAlive) return undefined;
    const asked = readAsked(request.rawHeaders);
    const answer = asked && this.#answers.get(tableKey(request.url, asked.accept));
    if (!answer || !this.#knowsHost(asked.host)) return undefined;
    const held = asked['if-none-match'];
    const isUnchanged = held === answer.etag;
    // Another ETag, a list of them, or a date: the usual way knows what they mean.
    if (!isUnchanged && (held !== undefined || asked['if-modified-since'] !== undefined)) return undefined;
    const stat = this.#originals.peek(answer.path);
    if (stat === 'unknown' || stat?.etag !== answer.version) return undefined;
    const bytes = this.#variants.peek(answer.key)?.bytes;
    if (bytes?.length !== answer.size) return undefined;
    const id = this.#identify(asked[REQUEST_ID_HEADER]);
    const lines = `${answer.lines}X-Request-Id: ${id}\r\n${headerLines(more)}`;
    if (isUnchanged) this.#heads.send(response, 304, lines, undefined);
    else this.#heads.send(response, 200, `Content-Length: ${answer.size}\r\n${lines}`, bytes);
    return id;
  }

  /** Nearly all requests are to one host: to compare is enough for them. */
  #knowsHost(host = ''): boolean {
    if (host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }

  /** Remembers an answer that was given the usual way, if it can be given again from memory. */
  remember({ url, headers }: IncomingMessage, delivery: Delivery, representation: Representation): void {
    if (delivery.kind !== 'variant' || !delivery.isHit) return;
    const request = tableKey(url, headers.accept);
    if (request.length > MAX_KEY_LENGTH) return;
    const { path, stat, variant } = delivery;
    const { key, size, bytes } = variant;
    // Memory holds those that come with their bytes; to look would count as being asked for again.
    if (!bytes) return;
    const lines = headerLines(Object.entries(headersOf(representation)).flat());
    this.#answers.set(request, { path, version: stat.etag, key, size, etag: representation.etag, lines });
  }
}

/** A URL holds no space, so no other pair of URL and header gives the same text. */
function tableKey(url = '', accept = ''): string {
  return `${url} ${accept}`;
}

/**
 * What a request asks for beside its URL; undefined when it asks for more than the short way knows, or for something twice. Reads
 * the headers as they came: an object of all of them, as `request.headers` makes it, costs more than all the rest here.
 */
function readAsked(rawHeaders: readonly string[]): Asked | undefined {
  const asked: Asked = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const lowerCase = rawHeaders[i]?.toLowerCase() ?? '';
    if (CONDITIONS.has(lowerCase)) return undefined;
    const name = ASKED.find((one) => one === lowerCase);
    if (name === undefined) continue;
    if (asked[name] !== undefined) return undefined;
    asked[name] = rawHeaders[i + 1] ?? '';
  }
  return asked;
}
