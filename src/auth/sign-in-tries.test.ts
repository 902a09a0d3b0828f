import { expect, test } from 'vitest';
import type { HttpProblem } from '../errors.ts';
import { SignInTries } from './sign-in-tries.ts';

test('a client may try three times in ten seconds, and others are not held back by it', () => {
  let now = 7;
  const tries = new SignInTries({ now: () => now });
  const wait = (client: string) => {
    try {
      tries.count(client);
      return 0;
    } catch (error) {
      const { status, headers } = error as HttpProblem;
      expect(status).toBe(429);
      return Number(headers['Retry-After']);
    }
  };
  expect([1, 2, 3, 4, 5].map(() => wait('one'))).toEqual([0, 0, 0, 10, 10]);
  expect(wait('another')).toBe(0);
  now += 8500;
  expect(wait('one')).toBe(2);
  now += 1500;
  expect([1, 2, 3, 4].map(() => wait('one'))).toEqual([0, 0, 0, 10]);
});
