import { expect, test } from 'vitest';
import type { HttpProblem } from '../errors.ts';
import { SignInTries } from './sign-in-tries.ts';

test('a client may try three times in ten seconds, and others are not held back by it', async () => {
  let now = 7;
  const tries = new SignInTries({ now: () => now });
  const wait = async (client: string) => {
    try {
      await tries.count(client);
      return 0;
    } catch (error) {
      const { status, headers } = error as HttpProblem;
      expect(status).toBe(429);
      return Number(headers['Retry-After']);
    }
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map(() => wait('one')))).toEqual([0, 0, 0, 10, 10]);
  expect(await wait('another')).toBe(0);
  now += 8500;
  expect(await wait('one')).toBe(2);
  now += 1500;
  expect(await Promise.all([1, 2, 3, 4].map(() => wait('one')))).toEqual([0, 0, 0, 10]);
});

test('several nodes count the tries of a client together', async () => {
  const used = new Map<string, number>();
  const shared = {
    async add(counted: { client: string; count: number }[]) {
      return counted.map(({ client, count }) => {
        used.set(client, (used.get(client) ?? 0) + count);
        return { count: used.get(client) ?? 0, leftMs: 4500 };
      });
    },
  };
  const nodes = Array.from({ length: 4 }, () => new SignInTries({ shared }));
  const results = [];
  for (const node of nodes)
    results.push(await node.count('one').catch((error: HttpProblem) => error.headers['Retry-After']));
  expect(results).toEqual([undefined, undefined, undefined, '5']);
});
