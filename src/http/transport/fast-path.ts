import type { IncomingMessage, ServerResponse } from 'node:http';
import { boundedCache } from '../../bounded-cache.ts';
import { type Delivery, previousPathsOf, redirectedFilesOf } from '../../delivery/deliver.ts';
import type { MissingOriginal } from '../../delivery/not-found.ts';
import type { FocalPoint } from '../../focal-point.ts';
import { INSTALLATION } from '../../installation.ts';
import type { StoragePath } from '../../path.ts';
import type { SpaceRegistry } from '../../spaces/registry.ts';
import type { RequestSpace } from '../../spaces/rules.ts';
import { SPACE_PREFIX, spacePath } from '../../spaces/rules.ts';
import type { VariantInput } from '../../storage/cache/variant-key.ts';
import type { VariantFile, VariantStore } from '../../storage/cache/variant-store.ts';
import type { Originals, SteadyOriginals } from '../../storage/originals.ts';
import type { UsageCounter } from '../../usage/usage-counter.ts';
import { ANY_ORIGIN } from '../admission/cors.ts';
import { FORWARDED_HOST } from '../admission/forwarded.ts';
import { isHost } from '../admission/host.ts';
import type { RateLimiter } from '../admission/rate-limit.ts';
import { type IdentifyRequest, REQUEST_ID_HEADER } from '../observe/request-id.ts';
import { loggedUrl } from '../observe/request-log.ts';
import { countBody, noteFile } from '../observe/sent-bytes.ts';
import { refusalOnWire } from '../problem.ts';
import { KEEP_ALIVE } from './keep-alive.ts';
import { hasTwoHosts, isPlain, rewritten } from './plain-request.ts';
import { headersOf, type Representation } from './send.ts';

/**
 * A response that can be repeated as long as the original has the version it was made from and this node has the
 * variant, in memory or on its disk. It does not hold the variant's bytes.
 */
interface CachedResponse {
  /** Outer path, as those of the layers. */
  path: StoragePath;
  /** The original's etag and stored point. */
  version: string;
  focal: FocalPoint | undefined;
  /** The overlay files, with their etags. */
  layers: readonly VariantInput[];
  /** The variant. */
  file: VariantFile;
  etag: string;
  /** The `Accept` of the request. */
  accept: string;
  /** Names and values of the headers of a 200 and of a 304. The last one is the request's id, which changes. */
  headers: { 200: string[]; 304: string[] };
  /** The URL of such a request as logged. */
  loggedUrl: string;
  /** True if such a request counts for the public rate limit. */
  isCounted: boolean;
  /** True while the URL still means these files; undefined where it can mean no others. */
  isStill: (() => boolean) | undefined;
  /** The paths whose redirects have led to the files. */
  missing: readonly SteadyPath[];
  /** The files to which they have led: a redirect may have gone on with one that has left and come back. */
  targets: readonly SteadyPath[];
  /** Counts such requests and their bytes. */
  usage: UsageCounter;
  /** Id of the space of such requests; empty for the library. */
  space: string;
}

/** An original that no change may have followed since a response. */
interface SteadyPath {
  /** Outer path. */
  path: StoragePath;
  /** As `missingSince` or `unchangedSince` of the originals. */
  since: number;
}

/** The properties of a response that the request decides about. */
export interface Terms extends Pick<CachedResponse, 'isCounted' | 'isStill' | 'usage'> {
  /** `changes` before the request was answered. */
  changes: number;
}

/** A request that was answered. */
export interface Answered {
  id: string;
  loggedUrl: string;
}

/** The 404 of an original, which can be repeated as long as the original is known to be missing. */
interface MissingResponse extends SteadyPath, Pick<CachedResponse, 'isCounted' | 'space'> {
  /** As those of a `CachedResponse`. */
  headers: string[];
  body: Buffer;
}

/** Functions of the normal path for responses that are not sent from memory. */
export interface NormalPath {
  /** Logs and counts the response when it has been sent. The request has its id. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  /** Counts a variant that was read from the disk. */
  countDiskHit(): void;
  /** Answers a watched request, because its variant was evicted. */
  passOn(request: IncomingMessage, response: ServerResponse): void;
}

/** The space that responses belong to. */
export interface SpaceOfResponses {
  id: string;
  /** Precedes the URL of a request, as the framework rewrites it, in the table of responses. */
  urlPrefix: string;
  /** Returns the path in the library. */
  toOuter(path: StoragePath): StoragePath;
}

interface FastPathParts {
  originals: Originals & SteadyOriginals;
  variants: VariantStore;
  spaces: Pick<SpaceRegistry, 'hasHosts' | 'ofHost'>;
}

/** Returns what precedes the URL of a request to a space, so that no URL of the library is the same. */
export function urlPrefixOf({ space, entrance }: RequestSpace): string {
  return entrance === 'prefix' ? spacePath(space) : `//${space.id}`;
}

const IN_LIBRARY: SpaceOfResponses = { id: INSTALLATION, urlPrefix: '', toOuter: (path) => path };

type Limiter = Pick<RateLimiter, 'tryCount' | 'noteCounted'>;

const NO_HEADERS: readonly string[] = [];

const MAX_URLS = 20_000;
/** Fewer, because any name can be missing. */
const MAX_MISSING_URLS = 2000;
/** Browsers differ in what they accept, but there are few of them. */
const MAX_ANSWERS_OF_URL = 8;
/** Longer requests take the normal path, so that the memory of the table is bounded. */
const MAX_KEY_LENGTH = 1024;

/** Stores responses that the fast path may repeat. */
export type ResponseMemory = Pick<FastPath, 'changes' | 'remember' | 'rememberMissing'>;

/**
 * The shortest path from a request to a cached variant: no parsing and no hashing. From memory the write is the only
 * system call; from the disk a thread makes one more. It only repeats responses that the normal path has sent before,
 * while `originals.peek` agrees.
 */
export class FastPath {
  /** By URL, in the order of insertion. */
  readonly #answers = new Map<string, CachedResponse[]>();
  readonly #missing = boundedCache<string, MissingResponse>(MAX_MISSING_URLS);
  readonly #originals: FastPathParts['originals'];
  readonly #variants: VariantStore;
  readonly #limiter: Limiter;
  readonly #identify: IdentifyRequest;
  readonly #spaces: FastPathParts['spaces'];

  /** The last valid host. */
  #host: string | undefined;

  constructor({ originals, variants, spaces }: FastPathParts, limiter: Limiter, identify: IdentifyRequest) {
    this.#originals = originals;
    this.#variants = variants;
    this.#spaces = spaces;
    this.#limiter = limiter;
    this.#identify = identify;
  }

  /**
   * Answers the request, from memory immediately, from the disk later.
   * @returns `watched` for a response that is logged when it has been sent; undefined when the request was left
   * untouched
   */
  tryAnswer(request: IncomingMessage, response: ServerResponse, normal: NormalPath): Answered | 'watched' | undefined {
    if (!isPlain(request)) return undefined;
    const { headers } = request;
    const key = this.#keyOf(request);
    const answer = this.#find(key, headers.accept);
    if (!answer) return this.#answerMissing(key, request, response, normal);
    if (!this.#knowsHost(headers.host) || hasTwoHosts(request.rawHeaders)) return undefined;
    const held = headers['if-none-match'];
    const isUnchanged = held === answer.etag;
    // The normal path handles another ETag, a list of them, or a date.
    if (!isUnchanged && (held !== undefined || headers['if-modified-since'] !== undefined)) return undefined;
    const stat = this.#originals.peek(answer.path);
    if (stat === 'unknown' || stat?.etag !== answer.version || stat.focal !== answer.focal) return undefined;
    if (!this.#areCurrent(answer) || answer.isStill?.() === false) return undefined;
    const bytes = this.#variants.peek(answer.file.key)?.bytes;
    // The normal path finds the new size of a replaced variant, and answers 304 for one on the disk.
    if (bytes ? bytes.length !== answer.file.size : isUnchanged) return undefined;
    // The normal path refuses a client that exceeds its limit.
    const counted = answer.isCounted ? this.#limiter.tryCount(request, answer.space) : NO_HEADERS;
    if (counted === undefined) return undefined;
    const id = this.#identify(headers[REQUEST_ID_HEADER] as string | undefined);
    if (!bytes) {
      headers[REQUEST_ID_HEADER] = id;
      this.#read(request, response, answer, counted, normal);
      return 'watched';
    }
    const status = isUnchanged ? 304 : 200;
    writeHead(response, status, answer.headers[status], id, counted);
    response.end(isUnchanged ? undefined : bytes);
    answer.usage.requests++;
    if (!isUnchanged) answer.usage.deliveredBytes += bytes.length;
    return { id, loggedUrl: answer.loggedUrl };
  }

  /** Answers when the variant has been read. The request has its id, and was counted if it has to be. */
  #read(
    request: IncomingMessage,
    response: ServerResponse,
    answer: CachedResponse,
    counted: readonly string[],
    normal: NormalPath,
  ): void {
    normal.watch(request, response);
    this.#variants.read(answer.file, (bytes) => {
      if (!bytes) {
        if (answer.isCounted) this.#limiter.noteCounted(request, counted);
        normal.passOn(request, response);
        return;
      }
      normal.countDiskHit();
      if (response.destroyed) return;
      noteFile(response, answer.path);
      countBody(response, bytes.length);
      writeHead(response, 200, answer.headers[200], request.headers[REQUEST_ID_HEADER] as string, counted);
      response.end(bytes);
    });
  }

  #answerMissing(
    key: string,
    request: IncomingMessage,
    response: ServerResponse,
    normal: NormalPath,
  ): 'watched' | undefined {
    const { headers, rawHeaders } = request;
    const answer = this.#missing.get(key);
    if (!answer || !this.#knowsHost(headers.host) || hasTwoHosts(rawHeaders)) return undefined;
    if (!this.#isStillMissing(answer)) return undefined;
    const counted = answer.isCounted ? this.#limiter.tryCount(request, answer.space) : NO_HEADERS;
    if (counted === undefined) return undefined;
    const id = this.#identify(headers[REQUEST_ID_HEADER] as string | undefined);
    headers[REQUEST_ID_HEADER] = id;
    normal.watch(request, response);
    noteFile(response, answer.path);
    writeHead(response, 404, answer.headers, id, counted);
    response.end(answer.body);
    return 'watched';
  }

  #areCurrent({ layers, missing, targets }: CachedResponse): boolean {
    for (const path of missing) if (!this.#isStillMissing(path)) return false;
    for (const { path, since } of targets) if (this.#originals.unchangedSince(path) !== since) return false;
    return layers.every(({ path, version }) => {
      const stat = this.#originals.peek(path);
      return stat !== 'unknown' && stat?.etag === version;
    });
  }

  #isStillMissing({ path, since }: SteadyPath): boolean {
    return this.#originals.missingSince(path) === since;
  }

  /**
   * Returns a path as missing; undefined if it is not, or was changed while the request was answered.
   * @param changes those before the request was answered
   */
  #missingAt(path: StoragePath, changes: number): SteadyPath | undefined {
    return steadyPath(path, this.#originals.missingSince(path), changes);
  }

  /** Nearly all requests are to one host: for them a comparison is enough. */
  #knowsHost(host = ''): boolean {
    if (host === this.#host) return true;
    if (!isHost(host)) return false;
    this.#host = host;
    return true;
  }

  /** Number of changes of originals so far. */
  get changes(): number {
    return this.#originals.changes;
  }

  /** Deletes all responses, because other rules apply. */
  clear(): void {
    this.#answers.clear();
    this.#missing.clear();
  }

  /** Returns the functions that store responses of a space. */
  inSpace(within: SpaceOfResponses): ResponseMemory {
    const changes = () => this.changes;
    return {
      get changes() {
        return changes();
      },
      remember: (request, delivery, representation, terms) =>
        this.remember(request, delivery, representation, terms, within),
      rememberMissing: (request, problem, terms) => this.rememberMissing(request, problem, terms, within),
    };
  }

  /** Stores a response of the normal path, if it can be repeated. */
  remember(
    request: IncomingMessage,
    delivery: Delivery,
    representation: Representation,
    { isCounted, isStill, usage, changes }: Terms,
    { id: space, urlPrefix, toOuter }: SpaceOfResponses = IN_LIBRARY,
  ): void {
    if (delivery.kind !== 'variant' || !delivery.isHit) return;
    const { accept = '' } = request.headers;
    const url = urlPrefix + (request.url ?? '');
    if (url.length + accept.length > MAX_KEY_LENGTH) return;
    const { path, stat, variant, layers } = delivery;
    const previous = previousPathsOf(delivery).map(toOuter);
    const missing = previous.flatMap((from) => this.#missingAt(from, changes) ?? []);
    const ends = redirectedFilesOf(delivery).map(toOuter);
    const targets = ends.flatMap((end) => steadyPath(end, this.#originals.unchangedSince(end), changes) ?? []);
    if (missing.length < previous.length || targets.length < ends.length) return;
    const { size, bytes, file } = variant;
    // Larger variants are streamed.
    if (!bytes || !file) return;
    const fields = Object.entries(headersOf(representation)).flat();
    const common = [...fields, 'Keep-Alive', KEEP_ALIVE, 'X-Request-Id', ''];
    const { etag } = representation;
    this.#store(url, {
      path: toOuter(path),
      version: stat.etag,
      focal: stat.focal,
      layers: layers.map(({ path: layer, version }) => ({ path: toOuter(layer), version })),
      missing,
      targets,
      file,
      etag,
      accept,
      headers: { 200: ['Content-Length', String(size), ...common], 304: common },
      loggedUrl: loggedUrl({ url }),
      isCounted,
      isStill,
      usage,
      space,
    });
  }

  /** Stores the 404 of the normal path, if the cached state of the original decides about it. */
  rememberMissing(
    request: IncomingMessage,
    problem: MissingOriginal,
    { isCounted, changes }: Pick<Terms, 'isCounted' | 'changes'>,
    { id: space, urlPrefix, toOuter }: SpaceOfResponses = IN_LIBRARY,
  ): void {
    const { decidingPath } = problem;
    const url = urlPrefix + (request.url ?? '');
    if (decidingPath === undefined || url.length > MAX_KEY_LENGTH) return;
    const missing = this.#missingAt(toOuter(decidingPath), changes);
    if (!missing) return;
    const { headers, text } = refusalOnWire(problem);
    const fields = Object.entries({ ...headers, ...ANY_ORIGIN, 'Keep-Alive': KEEP_ALIVE, 'X-Request-Id': '' }).flat();
    // They would hide it, and none of them is current.
    this.#answers.delete(url);
    this.#missing.set(url, { ...missing, isCounted, space, headers: fields, body: Buffer.from(text) });
  }

  /** Returns the key of a request in the tables; one that no response has, where the normal path has to decide. */
  #keyOf({ url = '', headers }: IncomingMessage): string {
    const target = rewritten(url);
    if (!this.#spaces.hasHosts || target.startsWith(SPACE_PREFIX)) return target;
    if (headers[FORWARDED_HOST] !== undefined) return '';
    const space = this.#spaces.ofHost(headers.host ?? '');
    return space ? urlPrefixOf({ space, entrance: 'host' }) + target : target;
  }

  #find(key: string, accept = ''): CachedResponse | undefined {
    for (const answer of this.#answers.get(key) ?? []) if (answer.accept === accept) return answer;
    return undefined;
  }

  /**
   * Above the limits the oldest are evicted, even frequently used ones: the normal path then answers once, and they are
   * the newest.
   */
  #store(url: string, answer: CachedResponse): void {
    const others = (this.#answers.get(url) ?? []).filter(({ accept }) => accept !== answer.accept);
    this.#answers.delete(url);
    this.#answers.set(url, [...others, answer].slice(-MAX_ANSWERS_OF_URL));
    if (this.#answers.size <= MAX_URLS) return;
    const [oldest = ''] = this.#answers.keys();
    this.#answers.delete(oldest);
  }
}

function writeHead(
  response: ServerResponse,
  status: number,
  retained: string[],
  id: string,
  counted: readonly string[],
): void {
  // `writeHead` serializes them before it returns.
  retained[retained.length - 1] = id;
  response.writeHead(status, counted.length > 0 ? [...retained, ...counted] : retained);
}

function steadyPath(path: StoragePath, since: number | undefined, changes: number): SteadyPath | undefined {
  return since === undefined || since > changes ? undefined : { path, since };
}
