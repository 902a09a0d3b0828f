import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  type $Command,
  HeadObjectCommand,
  S3Client,
  type S3ClientConfig,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3';
import { Availability } from '../../availability.ts';
import { traced } from '../../tracing.ts';
import { isOutage } from '../blob-store.ts';
import { isMissing, toStorageError } from './errors.ts';

export interface BucketSettings {
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** Undefined for AWS itself; otherwise the bucket is addressed in the path. */
  endpoint: string | undefined;
  /** Prefix of all keys: empty, or a name that ends with `/`. */
  prefix: string;
  /** Maximum number of open connections for downloads, and as many again for all else but probes. */
  maxSockets: number;
  /** Timeout of one attempt of a small request, in ms. */
  timeoutMs: number;
}

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Factor of the request's timeout: uploads and copies move megabytes. */
  timeoutFactor?: number;
}

type Command<I extends ServiceInputTypes, O extends ServiceOutputTypes> = $Command<I, O, S3ClientResolvedConfig>;
type Send = <I extends ServiceInputTypes, O extends ServiceOutputTypes>(
  command: Command<I, O>,
  options?: RequestOptions,
) => Promise<O>;

/** A bucket and the connections to it. */
export interface Bucket {
  readonly name: string;
  readonly prefix: string;
  readonly timeoutMs: number;
  /** Availability of the whole store: one slow or broken object is not an outage. */
  readonly availability: Availability;
  /**
   * Sends one request, retried with backoff when the store fails. Sends nothing while the store is unavailable.
   * @throws StorageUnavailable; the signal's reason; the client's own error if the store reports on the object
   */
  request: Send;
  /** Sends downloads over separate connections, so that slow readers block nothing else. */
  download: Send;
  /** Sends a request; returns undefined for a missing object. */
  find<I extends ServiceInputTypes, O extends ServiceOutputTypes>(command: Command<I, O>): Promise<O | undefined>;
  close(): void;
}

/** Conditions that a store honours: not to replace an object (`If-None-Match`), not to delete another version. */
export interface Conditions {
  /** For an object sent in one request. */
  hasConditions: boolean;
  /** For an object assembled from parts. */
  hasPartConditions: boolean;
  /** For the objects of a batch delete, each of which may name its version. */
  hasDeleteConditions: boolean;
}

const MAX_ATTEMPTS = 4;
const CONNECT_MS = 5_000;

/** A request ends after this many times the timeout of one attempt, regardless of the number of attempts. */
const DEADLINE = 2.5;

/** Shares of an attempt's timeout, with minimums in ms: a slower request triggers a probe, a slower probe fails. */
const SLOW = 0.1;
const MIN_SLOW_MS = 500;
const PROBE = 0.3;
const MIN_PROBE_MS = 2000;

/**
 * Number of parts in which the timeout of a probe is counted: after the event loop was blocked, a response is read
 * before the timeout applies.
 */
const PARTS = 4;

/** An object that every start writes, to check its permission and that the store honours `If-None-Match`. */
export const PROBED = '.darkroom';

/** Creates the connections to a bucket; sends nothing yet. */
export function createBucket(settings: BucketSettings): Bucket {
  const { bucket: name, prefix, timeoutMs } = settings;
  const general = createClient(settings);
  const downloads = createClient(settings);
  // Has its own connections, so that no probe waits behind other requests.
  const probing = createClient({ ...settings, maxSockets: 16 });
  const availability = new Availability(() => probe(probing, settings));
  const sendTo = (client: S3Client) => createSend(client, availability, settings);

  const request = sendTo(general);
  return {
    name,
    prefix,
    timeoutMs,
    availability,
    request,
    download: sendTo(downloads),
    find: (command) =>
      request(command).catch((error) => {
        if (isMissing(error)) return undefined;
        throw error;
      }),
    close() {
      availability.close();
      general.destroy();
      downloads.destroy();
      probing.destroy();
    },
  };
}

function createSend(client: S3Client, availability: Availability, { bucket, timeoutMs }: BucketSettings): Send {
  const slowMs = Math.max(MIN_SLOW_MS, timeoutMs * SLOW);
  return async (command, { signal, timeoutFactor = 1 } = {}) => {
    await availability.admit();
    signal?.throwIfAborted();
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(), timeoutMs * timeoutFactor * DEADLINE);
    // Large bodies take their time.
    const unwatch = timeoutFactor > 1 ? undefined : availability.watch(slowMs, () => overdue.abort());
    const abortSignal = signal ? AbortSignal.any([signal, overdue.signal]) : overdue.signal;
    try {
      const options = { abortSignal, requestTimeout: timeoutMs * timeoutFactor };
      const answer = await traced('store', { command: command.constructor.name }, () => client.send(command, options));
      availability.answered();
      return answer;
    } catch (error) {
      signal?.throwIfAborted();
      const failure = toStorageError(error, bucket);
      if (isOutage(failure)) void availability.suspect();
      else availability.answered();
      throw failure;
    } finally {
      clearTimeout(timer);
      unwatch?.();
    }
  };
}

/** @throws StorageUnavailable unless the store responds in time, with any response */
async function probe(client: S3Client, { bucket: Bucket, prefix, timeoutMs }: BucketSettings): Promise<void> {
  const overdue = new AbortController();
  let parts = 0;
  const timer = setInterval(
    () => {
      parts++;
      if (parts === PARTS) overdue.abort();
    },
    Math.max(MIN_PROBE_MS, timeoutMs * PROBE) / PARTS,
  ).unref();
  try {
    await client.send(new HeadObjectCommand({ Bucket, Key: prefix + PROBED }), { abortSignal: overdue.signal });
  } catch (error) {
    const failure = toStorageError(error, Bucket);
    if (isOutage(failure)) throw failure;
  } finally {
    clearInterval(timer);
  }
}

function createClient(settings: BucketSettings): S3Client {
  const { region, endpoint, accessKeyId, secretAccessKey, maxSockets, timeoutMs } = settings;
  const agent = { keepAlive: true, maxSockets };
  const config: S3ClientConfig = {
    // Required by servers without regions; Amazon itself redirects to the right one.
    region: region === 'auto' ? 'us-east-1' : region,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    // By default the client logs to the console. Its errors have the same information.
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    // The newer checksums are sent after the body, which R2, B2, MinIO and Ceph have refused in one version or another.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Requests that wait for "100 Continue" would get connections beyond the limit.
    expectContinueHeader: false,
    followRegionRedirects: endpoint === undefined,
    requestHandler: {
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
      connectionTimeout: CONNECT_MS,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      // The connection of a slow reader is idle. A reader that waits for the store has a separate timeout.
      socketTimeout: 0,
      socketAcquisitionWarningTimeout: 2 ** 31 - 1,
    },
  };
  const client = new S3Client(config);
  addContentMd5(client);
  return client;
}

function ignore(): void {}

/** Adds the checksum that deleting many objects requires; MD5 is the one that every server supports. */
function addContentMd5(client: S3Client): void {
  type Stack = S3Client['middlewareStack'];
  const middleware: Parameters<Stack['add']>[0] = (next, context) => (args) => {
    const { request } = args as unknown as { request: { headers: Record<string, string>; body?: unknown } };
    if (context.commandName === 'DeleteObjectsCommand' && typeof request.body === 'string') {
      for (const header of Object.keys(request.headers)) {
        if (/^x-amz-(sdk-)?checksum-/i.test(header)) delete request.headers[header];
      }
      request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
    }
    return next(args);
  };
  client.middlewareStack.addRelativeTo(middleware, {
    relation: 'before',
    toMiddleware: 'httpSigningMiddleware',
    name: 'contentMd5',
  });
}
