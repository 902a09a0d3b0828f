import { describe, expect, test } from 'vitest';
import { changedLimits, readLimits } from './key-limits.ts';

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

const NONE = { remaining: null, rateLimit: null };

describe('the fields of limits', () => {
  test.each([
    [{ remaining: '', max: '', window: '60' }, NONE],
    [
      { remaining: '0', max: '', window: '' },
      { remaining: 0, rateLimit: null },
    ],
    [
      { remaining: ' 5 ', max: '10', window: '3600' },
      { remaining: 5, rateLimit: { max: 10, window: 3600 } },
    ],
    [
      { remaining: '', max: '10', window: '' },
      { remaining: null, rateLimit: { max: 10, window: 60 } },
    ],
  ])('%j are %j', (fields, limits) => {
    expect(readLimits(form(fields))).toEqual(limits);
  });

  test('send only what has changed', () => {
    const key = { remaining: 5, rateLimit: { max: 10, window: 60 } };
    expect(changedLimits(key, { ...key, rateLimit: { max: 10, window: 60 } })).toEqual({});
    expect(changedLimits(key, { ...key, remaining: 6 })).toEqual({ remaining: 6 });
    expect(changedLimits(key, { ...key, rateLimit: { max: 10, window: 90 } })).toEqual({
      rateLimit: { max: 10, window: 90 },
    });
    expect(changedLimits(key, NONE)).toEqual(NONE);
  });
});
