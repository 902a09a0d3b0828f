import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { evaluateConditions } from './conditional.ts';

const ETAG = '"abc"';
const MODIFIED = 'Sun, 06 Nov 1994 08:49:37 GMT';
const EARLIER = 'Sun, 06 Nov 1994 08:49:36 GMT';
const LATER = 'Sun, 06 Nov 1994 08:49:38 GMT';
// HTTP dates have whole seconds; files do not.
const file = { size: 1000, etag: ETAG, modifiedAt: new Date(Date.parse(MODIFIED) + 789) };

function evaluate(headers: Record<string, string>, method = 'GET', size = file.size) {
  return evaluateConditions({ method, headers } as unknown as IncomingMessage, { ...file, size });
}

function statusOf(headers: Record<string, string>, method?: string): number {
  try {
    const wanted = evaluate(headers, method);
    return wanted === 'not modified' ? 304 : wanted === 'whole' ? 200 : 206;
  } catch (error) {
    return (error as { status: number }).status;
  }
}

test('without any condition everything is sent', () => {
  expect(evaluate({})).toBe('whole');
});

describe('If-None-Match', () => {
  test.each([
    [ETAG, 304],
    [`W/${ETAG}`, 304],
    ['*', 304],
    [` ${ETAG} `, 304],
    [`"x", ${ETAG}`, 304],
    [`"x",W/${ETAG},"y"`, 304],
    ['"x"', 200],
    ['abc', 200],
    ['"ABC"', 200],
    ['"abc', 200],
    ['', 200],
    ['"x,abc"', 200],
    [`"a,b", ${ETAG}`, 304],
  ])('%s is %i', (value, status) => {
    expect(statusOf({ 'if-none-match': value })).toBe(status);
    expect(statusOf({ 'if-none-match': value }, 'HEAD')).toBe(status);
  });

  test('makes If-Modified-Since count for nothing', () => {
    expect(statusOf({ 'if-none-match': '"x"', 'if-modified-since': LATER })).toBe(200);
    expect(statusOf({ 'if-none-match': ETAG, 'if-modified-since': EARLIER })).toBe(304);
  });

  test('comes before Range', () => {
    expect(statusOf({ 'if-none-match': ETAG, range: 'bytes=0-1' })).toBe(304);
    expect(statusOf({ 'if-none-match': '"x"', range: 'bytes=0-1' })).toBe(206);
    expect(statusOf({ 'if-none-match': ETAG, range: 'bytes=5000-' })).toBe(304);
  });
});

describe('If-Modified-Since', () => {
  test.each([
    [EARLIER, 200],
    [MODIFIED, 304],
    [LATER, 304],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 304],
    ['Sun Nov  6 08:49:37 1994', 304],
    ['yesterday', 200],
    ['2030', 200],
    ['12345', 200],
    ['2030-01-01T00:00:00Z', 200],
    ['', 200],
  ])('%s is %i', (value, status) => {
    expect(statusOf({ 'if-modified-since': value })).toBe(status);
  });
});

describe('If-Match', () => {
  test.each([
    [ETAG, 200],
    ['*', 200],
    [`"x", ${ETAG}`, 200],
    ['"x"', 412],
    // Strong comparison: a weak tag never matches.
    [`W/${ETAG}`, 412],
    ['', 412],
  ])('%s is %i', (value, status) => {
    expect(statusOf({ 'if-match': value })).toBe(status);
  });

  test('comes before If-None-Match', () => {
    expect(statusOf({ 'if-match': '"x"', 'if-none-match': ETAG })).toBe(412);
    expect(statusOf({ 'if-match': ETAG, 'if-none-match': ETAG })).toBe(304);
  });

  test('makes If-Unmodified-Since count for nothing', () => {
    expect(statusOf({ 'if-match': ETAG, 'if-unmodified-since': EARLIER })).toBe(200);
  });

  test('that fails tells the ETag there is', () => {
    expect(() => evaluate({ 'if-match': '"x"' })).toThrow(ETAG);
  });
});

describe('If-Unmodified-Since', () => {
  test.each([
    [EARLIER, 412],
    [MODIFIED, 200],
    [LATER, 200],
    ['never', 200],
    ['1990', 200],
    ['12345', 200],
    ['1990-01-01T00:00:00Z', 200],
  ])('%s is %i', (value, status) => {
    expect(statusOf({ 'if-unmodified-since': value })).toBe(status);
  });
});

describe('Range', () => {
  test.each([
    ['bytes=0-99', 0, 99],
    ['bytes=0-0', 0, 0],
    ['bytes=999-999', 999, 999],
    ['bytes=500-', 500, 999],
    ['bytes=-100', 900, 999],
    ['bytes=-5000', 0, 999],
    ['bytes=0-5000', 0, 999],
    ['bytes=10-20,5000-', 10, 20],
  ])('%s is 206 with %i to %i', (range, start, end) => {
    expect(evaluate({ range })).toMatchObject({ start, end });
  });

  test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])('%s is 416 and tells the size', (range) => {
    const unsatisfiable = { status: 416, headers: { 'Content-Range': 'bytes */1000' } };
    expect(() => evaluate({ range })).toThrow(expect.objectContaining(unsatisfiable));
  });

  test('any part of an empty file is 416', () => {
    expect(() => evaluate({ range: 'bytes=0-' }, 'GET', 0)).toThrow(expect.objectContaining({ status: 416 }));
  });

  test.each(['bytes=0-1,500-501', 'items=0-5', 'bytes', 'bytes=', 'bytes=a-b', 'bytes=9-5', ''])(
    '"%s" is answered with the whole',
    (range) => {
      expect(evaluate({ range })).toBe('whole');
    },
  );

  test('means nothing for HEAD', () => {
    expect(evaluate({ range: 'bytes=0-1' }, 'HEAD')).toBe('whole');
    expect(evaluate({ range: 'bytes=5000-' }, 'HEAD')).toBe('whole');
  });
});

describe('If-Range', () => {
  test.each([
    [ETAG, 206],
    [MODIFIED, 206],
    ['"x"', 200],
    [`W/${ETAG}`, 200],
    [EARLIER, 200],
    [LATER, 200],
    ['', 200],
  ])('%s is %i', (value, status) => {
    expect(statusOf({ 'if-range': value, range: 'bytes=0-1' })).toBe(status);
  });

  test('that does not match makes an impossible range count for nothing', () => {
    expect(statusOf({ 'if-range': '"x"', range: 'bytes=5000-' })).toBe(200);
  });

  test('without Range means nothing', () => {
    expect(statusOf({ 'if-range': ETAG })).toBe(200);
  });
});
