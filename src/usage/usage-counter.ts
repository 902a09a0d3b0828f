/** Figures that are added up. */
export interface UsageCounts {
  requests: number;
  /** Bytes of files in responses. */
  deliveredBytes: number;
  uploadedBytes: number;
  renders: number;
  /** CPU time of renders, in ms. */
  renderMs: number;
  /** Time of transcodes, in ms. */
  transcodeMs: number;
}

/** What was used since the last write. The fast path adds to its fields: it costs neither a look-up nor an allocation. */
export interface UsageCounter extends UsageCounts {
  readonly space: string;
  /** Id of an API key; empty for all other clients. */
  readonly key: string;
}

/** What was used in a day. */
export interface UsageEntry extends UsageCounts {
  space: string;
  /** In UTC: `2026-11-27`. */
  day: string;
  key: string;
}

export function createCounter(space: string, key: string): UsageCounter {
  return {
    space,
    key,
    requests: 0,
    deliveredBytes: 0,
    uploadedBytes: 0,
    renders: 0,
    renderMs: 0,
    transcodeMs: 0,
  };
}

export function isUnused(counts: UsageCounts): boolean {
  const { requests, deliveredBytes, uploadedBytes, renders, renderMs, transcodeMs } = counts;
  return requests + deliveredBytes + uploadedBytes + renders + renderMs + transcodeMs === 0;
}

/** Copies the counts of a counter or a row. */
export function countsOf({
  requests,
  deliveredBytes,
  uploadedBytes,
  renders,
  renderMs,
  transcodeMs,
}: UsageCounts): UsageCounts {
  return { requests, deliveredBytes, uploadedBytes, renders, renderMs, transcodeMs };
}

/** Adds the counts of `from`. */
export function addCounts(to: UsageCounts, from: UsageCounts): void {
  to.requests += from.requests;
  to.deliveredBytes += from.deliveredBytes;
  to.uploadedBytes += from.uploadedBytes;
  to.renders += from.renders;
  to.renderMs += from.renderMs;
  to.transcodeMs += from.transcodeMs;
}

export function resetCounts(counts: UsageCounts): void {
  counts.requests = 0;
  counts.deliveredBytes = 0;
  counts.uploadedBytes = 0;
  counts.renders = 0;
  counts.renderMs = 0;
  counts.transcodeMs = 0;
}
