const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * The three formats of an HTTP date (RFC 9110, 5.6.7): the one to send, and the two obsolete ones of RFC 850 and of C's
 * asctime.
 */
const FORMS = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
];

/** A year of two digits is at most this far in the future (RFC 9110, 5.6.7). */
const MAX_YEARS_AHEAD = 50;

/**
 * Reads an HTTP date. All three formats are in UTC. The name of the weekday is not compared with the date.
 * @returns Unix milliseconds; undefined for a text that is no HTTP date, and for a day or a time that does not exist
 */
export function parseHttpDate(text: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text.trim())?.groups;
    if (groups) return toUnixMs(groups as unknown as DateGroups);
  }
  return undefined;
}

interface DateGroups {
  day: string;
  month: string;
  year: string;
  time: string;
}

function toUnixMs({ day, month, year, time }: DateGroups): number | undefined {
  const monthIndex = MONTHS.indexOf(month);
  const fullYear = year.length === 2 ? expandYear(Number(year)) : Number(year);
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number);
  // A leap second counts as the second before it: Unix time has none.
  const date = new Date(Date.UTC(fullYear, monthIndex, Number(day), hour, minute, Math.min(second, 59)));
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  if (fullYear < 100) date.setUTCFullYear(fullYear);
  const exists =
    monthIndex >= 0 &&
    date.getUTCMonth() === monthIndex &&
    date.getUTCDate() === Number(day) &&
    hour < 24 &&
    minute < 60 &&
    second <= 60;
  return exists ? date.getTime() : undefined;
}

function expandYear(twoDigits: number): number {
  const thisYear = new Date().getUTCFullYear();
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + MAX_YEARS_AHEAD ? year - 100 : year;
}
