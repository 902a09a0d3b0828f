const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const numbers = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const shortDays = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const times = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** `1,234` */
export const formatCount = (count: number): string => numbers.format(count);

/** `1.23 MB`; units are powers of 1024, as in the settings. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${numbers.format(bytes)} B`;
  let value = bytes / 1024;
  let unit = 1;
  // 1,023.6 would be rounded to 1,020.
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${short.format(value)} ${UNITS[unit]}`;
}

/** `22 Nov 2026` */
export const formatDay = (time: string | number): string => days.format(new Date(time));

/** `Nov 22` */
export const formatShortDay = (time: string | number): string => shortDays.format(new Date(time));

/** `1:05 PM` */
export const formatTime = (time: string | number): string => times.format(new Date(time));

/** Date and time of day. */
export const formatMoment = (time: string | number): string => moments.format(new Date(time));

/** `1:05`, `1:02:03` */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = whole % 60;
  const padded = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `3 days ago`, `in 2 hours` */
export function formatAgo(time: string | number, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1000;
  const [unit, size] = STEPS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return unit === 'second' ? 'just now' : relative.format(Math.round(seconds / size), unit);
}
