import type { KeyLimits, RateLimit } from '../api/keys.ts';
import { textOf } from '../components/form-text.ts';

export const DEFAULT_WINDOW_SECONDS = 60;

/** Reads the fields of `LimitFields`. */
export function readLimits(data: FormData): KeyLimits {
  const remaining = numberIn(data, 'remaining');
  const max = numberIn(data, 'max');
  const window = numberIn(data, 'window') ?? DEFAULT_WINDOW_SECONDS;
  return { remaining, rateLimit: max === null ? null : { max, window } };
}

function numberIn(data: FormData, name: string): number | null {
  const text = textOf(data, name);
  return text === '' ? null : Number(text);
}

/** Changed limits only: setting one restarts its count. */
export function changedLimits(key: KeyLimits, changed: KeyLimits): Partial<KeyLimits> {
  return {
    ...(changed.remaining !== key.remaining && { remaining: changed.remaining }),
    ...(!isSameRate(changed.rateLimit, key.rateLimit) && { rateLimit: changed.rateLimit }),
  };
}

function isSameRate(one: RateLimit | null, other: RateLimit | null): boolean {
  return one?.max === other?.max && one?.window === other?.window;
}
