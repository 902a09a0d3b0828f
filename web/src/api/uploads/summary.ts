import { isFine, type Upload, type UploadState } from './upload.ts';

export interface Summary {
  total: number;
  /** Files by state. */
  counts: Readonly<Record<UploadState, number>>;
  /** Number of the last batch. */
  batch: number;
  /** Files of the last batch that were sent, are, or will be. */
  files: number;
  /** Those of them that have arrived. */
  arrived: number;
  /** Of the files of the last batch. */
  bytes: number;
  sent: number;
  isPaused: boolean;
  isActive: boolean;
  /** True if a retry may help for a failed file. */
  canRetry: boolean;
  /** True if something has not arrived, or not as it should. */
  needsAttention: boolean;
}

/** @param batch number of the last batch */
export function summaryOf(uploads: readonly Upload[], batch: number, isPaused: boolean): Summary {
  const counts = { waiting: 0, sending: 0, done: 0, skipped: 0, failed: 0, cancelled: 0 };
  let files = 0;
  let arrived = 0;
  let bytes = 0;
  let sent = 0;
  let isRetryable = false;
  let needsAttention = false;
  for (const upload of uploads) {
    counts[upload.state]++;
    if (canRetry(upload)) isRetryable = true;
    if (!isFine(upload)) needsAttention = true;
    if (upload.batch !== batch || upload.state === 'cancelled' || upload.state === 'skipped') continue;
    files++;
    if (upload.state === 'done') arrived++;
    bytes += upload.file.size;
    sent += upload.state === 'done' ? upload.file.size : upload.sent;
  }
  const isActive = counts.waiting + counts.sending > 0;
  const total = uploads.length;
  return {
    total,
    counts,
    batch,
    files,
    arrived,
    bytes,
    sent,
    isPaused,
    isActive,
    canRetry: isRetryable,
    needsAttention,
  };
}

/** True while a file that has not arrived, or cannot be shown, can be helped from the list. */
export const needsDecision = (upload: Upload) =>
  canRetry(upload) ||
  (upload.state === 'failed' && upload.suggestion !== undefined) ||
  (upload.problem !== undefined && upload.earlier !== undefined);

export const canRetry = ({ state, isHopeless = false }: Upload) => state === 'failed' && !isHopeless;
