import { formatSeconds } from '../components/format.ts';

/** Duration: `0.3 s`, `12 s`, from one minute on `1:05`. */
export function formatTook(seconds: number): string {
  if (seconds >= 59.5) return formatSeconds(seconds);
  return seconds < 9.95 ? `${Math.max(0.1, seconds).toFixed(1)} s` : `${Math.round(seconds)} s`;
}
