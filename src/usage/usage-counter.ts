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

/** Names of the counts. */
export const COUNTS = [
  'requests',
  'deliveredBytes',
  'uploadedBytes',
  'renders',
  'renderMs',
  'transcodeMs',
] as const satisfies readonly (keyof UsageCounts)[];

export function createCounter(space: string, key: string): UsageCounter {
  return { space, key, ...noCounts() };
}

export function noCounts(): UsageCounts {
  return { requests: 0, deliveredBytes: 0, uploadedBytes: 0, renders: 0, renderMs: 0, transcodeMs: 0 };
}

export function isUnused(counts: UsageCounts): boolean {
  return COUNTS.every((name) => counts[name] === 0);
}

/** Copies the counts of a counter or a row. */
export function countsOf(counts: UsageCounts): UsageCounts {
  return sumOf([counts]);
}

export function sumOf(all: readonly UsageCounts[]): UsageCounts {
  const sum = noCounts();
  for (const counts of all) addCounts(sum, counts);
  return sum;
}

/** Adds the counts of `from`. */
export function addCounts(to: UsageCounts, from: UsageCounts): void {
  for (const name of COUNTS) to[name] += from[name];
}

export function resetCounts(counts: UsageCounts): void {
  Object.assign(counts, noCounts());
}
