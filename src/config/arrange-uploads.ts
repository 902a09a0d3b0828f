import { anonymousBytes, bytesWithReserve } from '../client.ts';
import type { Variables } from './variables.ts';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Sizes in bytes, times in milliseconds. */
export function arrangeUpload(values: Variables) {
  const maxFileBytes = values.MAX_FILE_SIZE_MB * MEGABYTE;
  const maxRequestBytes = values.MAX_REQUEST_SIZE_MB * MEGABYTE;
  // A single file has to fit into what uploads without a key may have.
  const maxTempBytes = Math.max(values.UPLOAD_TEMP_MAX_MB * MEGABYTE, bytesWithReserve(maxFileBytes));
  const maxAnonymousTempBytes = anonymousBytes(maxTempBytes, maxFileBytes);
  const perClient =
    values.UPLOAD_TEMP_MAX_MB_PER_CLIENT === undefined
      ? Math.max(maxTempBytes / 4, maxRequestBytes)
      : values.UPLOAD_TEMP_MAX_MB_PER_CLIENT * MEGABYTE;
  return {
    maxFileBytes,
    maxRequestBytes,
    maxFiles: values.MAX_FILES_PER_UPLOAD,
    maxTempBytes,
    maxTempBytesPerClient: Math.min(Math.max(perClient, maxFileBytes), maxAnonymousTempBytes),
    maxUnprovenBytes: Math.max(values.UPLOAD_UNPROVEN_MAX_MB * MEGABYTE, maxFileBytes),
    maxUnprovenPerClient: values.UPLOAD_UNPROVEN_MAX_PER_CLIENT,
    minBytesPerSecond: values.UPLOAD_MIN_RATE_KB * KILOBYTE,
    graceMs: values.UPLOAD_GRACE_MS,
    maxFetches: values.UPLOAD_URL_MAX_CONCURRENT,
    resumable: {
      maxOpen: values.UPLOAD_RESUMABLE_MAX,
      maxOpenPerClient: values.UPLOAD_RESUMABLE_MAX_PER_CLIENT,
      expiresMs: values.UPLOAD_RESUMABLE_HOURS * HOUR_MS,
      emptyMs: values.UPLOAD_RESUMABLE_EMPTY_MINUTES * MINUTE_MS,
      idleMs: values.UPLOAD_RESUMABLE_IDLE_MINUTES * MINUTE_MS,
    },
  };
}
