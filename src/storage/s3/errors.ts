import { codeOf } from '../../errors.ts';
import { StorageUnavailable } from '../blob-store.ts';

/** Hints for operators, by the store's code of the failure. */
const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'does not know the access key (STORAGE_ACCESS_KEY_ID)',
  SignatureDoesNotMatch: 'does not accept the secret key (STORAGE_SECRET_ACCESS_KEY)',
  AccessDenied: 'does not permit this to the access key: its permissions are too few, or the bucket is not its own',
  AllAccessDisabled: 'has disabled all access to the bucket',
  InvalidToken: 'does not accept the credentials',
  ExpiredToken: 'says that the credentials have expired',
  NoSuchBucket: 'has no bucket with this name (STORAGE_BUCKET_NAME)',
  InvalidBucketName: 'says that this is no name for a bucket (STORAGE_BUCKET_NAME)',
  PermanentRedirect: 'has the bucket in another region (STORAGE_REGION)',
  AuthorizationHeaderMalformed: 'expects another region (STORAGE_REGION)',
  RequestTimeTooSkewed: 'has a clock that differs too much from the one of this host',
};

/** Hints for a missing response, by the code of the failure. */
const ADDRESS = 'STORAGE_ENDPOINT, or STORAGE_REGION without it';
const SILENCES: Readonly<Record<string, string>> = {
  ENOTFOUND: `its address is unknown (${ADDRESS})`,
  ECONNREFUSED: `nothing listens at its address (${ADDRESS})`,
  EPROTO: 'http or https? (STORAGE_ENDPOINT)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS)',
};

const BUSY = ['SlowDown', 'RequestTimeout', 'TooManyRequests', 'OperationAborted', 'ConditionalRequestConflict'];

/**
 * Converts silence, and errors about the store itself or this service, into `StorageUnavailable`. Errors about an
 * object stay as they are.
 */
export function toStorageError(error: unknown, bucket: string): unknown {
  if (error instanceof StorageUnavailable) return error;
  const { name, status } = failureOf(error);
  const refusal = REFUSALS[name] ?? (status === 401 || status === 403 ? `refused the service (${name})` : undefined);
  if (refusal !== undefined) {
    const message = `The storage of "${bucket}" ${refusal}.`;
    return new StorageUnavailable(message, { cause: error, isRefusal: true });
  }
  if (isSilence(error) || (status !== undefined && status >= 500) || status === 429 || BUSY.includes(name)) {
    const hint = SILENCES[codeOf(error)];
    const why = hint === undefined ? '' : `: ${hint}`;
    const message = `The storage of "${bucket}" does not answer (${describeFailure(error)})${why}.`;
    return new StorageUnavailable(message, { cause: error });
  }
  return error;
}

/** True for a missing or incomplete response. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error || error.name === 'TimeoutError' || error.name === 'AbortError';
}

/** True when there is no such object. */
export function isMissing(error: unknown): boolean {
  return failureOf(error).status === 404;
}

/** True when a condition of the request was not met. */
export function isRefused(error: unknown): boolean {
  return failureOf(error).status === 412;
}

/** Returns the number of attempts of the request. */
export function attemptsOf(error: unknown): number {
  return failureOf(error).attempts;
}

/** Returns the code of a failure and its status: `SlowDown 503`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, status } = failureOf(error);
  return [codeOf(error) || name, status].filter((part) => part !== undefined).join(' ');
}

/** Returns the client's data on a failure: the store's code, the status of the response, and the number of attempts. */
function failureOf(error: unknown) {
  if (!(error instanceof Error)) return { name: '', status: undefined, attempts: 1 };
  const { httpStatusCode, attempts } =
    (error as { $metadata?: { httpStatusCode?: number; attempts?: number } }).$metadata ?? {};
  return { name: error.name, status: httpStatusCode, attempts: attempts ?? 1 };
}
