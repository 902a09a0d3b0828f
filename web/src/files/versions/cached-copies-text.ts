import { formatDay, formatMoment } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';

const DAY_MS = 86_400_000;

/**
 * Says which visitors see a replaced file, and until when.
 * @param seconds for which browsers keep a file; undefined if that is not known
 * @param since time of the replacement
 */
export function cachedCopiesText(seconds: number | undefined, since: number): string {
  const { notCached, cachedUntil } = messages.uploads;
  if (seconds === 0) return notCached;
  if (seconds === undefined) return cachedUntil(undefined);
  const end = since + seconds * 1000;
  return cachedUntil(end - Date.now() < DAY_MS ? formatMoment(end) : formatDay(end));
}
