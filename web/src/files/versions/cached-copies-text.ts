import { formatDay, formatMoment } from '../../components/format.ts';
import { messages } from '../../messages/en.ts';

const DAY_MS = 86_400_000;

/**
 * Says which visitors see a replaced file, and until when.
 * @param seconds for which browsers keep a file; null if that is not known
 * @param since time of the replacement
 */
export function cachedCopiesText(seconds: number | null, since: number): string {
  const { notCached, cachedUntil } = messages.uploads;
  if (seconds === 0) return notCached;
  if (seconds === null) return cachedUntil(undefined);
  const end = since + seconds * 1000;
  return cachedUntil(end - Date.now() < DAY_MS ? formatMoment(end) : formatDay(end));
}
