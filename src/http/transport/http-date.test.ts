import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseHttpDate } from './http-date.ts';

const MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37);

describe('reads', () => {
  test.each([
    ['the form to send', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['the form of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['the form of asctime', 'Sun Nov  6 08:49:37 1994'],
    ['a date with spaces around it', ' Sun, 06 Nov 1994 08:49:37 GMT '],
  ])('%s', (_, text) => expect(parseHttpDate(text)).toBe(MOMENT));

  test('a leap second, and the first and the last year', () => {
    expect(parseHttpDate('Sat, 31 Dec 2016 23:59:60 GMT')).toBe(Date.UTC(2016, 11, 31, 23, 59, 59));
    expect(parseHttpDate('Sat, 01 Jan 0000 00:00:00 GMT')).toBe(Date.parse('0000-01-01T00:00:00Z'));
    expect(parseHttpDate('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(Date.parse('9999-12-31T23:59:59Z'));
  });

  test('a year of two digits as one that lies at most 50 years ahead', () => {
    const year = new Date().getUTCFullYear();
    const written = (ahead: number) => String((year + ahead) % 100).padStart(2, '0');
    expect(parseHttpDate(`Sunday, 06-Nov-${written(50)} 08:49:37 GMT`)).toBe(Date.UTC(year + 50, 10, 6, 8, 49, 37));
    expect(parseHttpDate(`Sunday, 06-Nov-${written(51)} 08:49:37 GMT`)).toBe(Date.UTC(year - 49, 10, 6, 8, 49, 37));
  });
});

test.each(['America/New_York', 'Asia/Kolkata', 'UTC'])('reads each form in UTC where the time zone is %s', (TZ) => {
  const program = `import { parseHttpDate } from ${JSON.stringify(new URL('./http-date.ts', import.meta.url).href)};
    const texts = ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'];
    console.log(JSON.stringify(texts.map(parseHttpDate)));`;
  const args = ['--input-type=module', '--eval', program];
  const printed = execFileSync(process.execPath, args, { env: { ...process.env, TZ }, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual([MOMENT, MOMENT, MOMENT]);
});

test.each([
  '2030',
  '12345',
  '0',
  '',
  'yesterday',
  '2030-01-01',
  '2030-01-01T00:00:00Z',
  'Nov 6 1994',
  '06 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 08:49:37',
  'Sun, 06 Nov 1994 08:49:37 +0100',
  'Sun, 06 Nov 1994 08:49:37 EST',
  'Sun, 6 Nov 1994 08:49:37 GMT',
  'Sun, 31 Feb 1994 08:49:37 GMT',
  'Sun, 00 Nov 1994 08:49:37 GMT',
  'Sun, 06 Xyz 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  'Sun, 06 Nov 1994 08:60:37 GMT',
  'sun, 06 nov 1994 08:49:37 gmt',
  'Sun, 06 Nov 94 08:49:37 GMT',
])('reads no date from "%s"', (text) => expect(parseHttpDate(text)).toBeUndefined());
