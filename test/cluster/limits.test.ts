import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../http.ts';
import { picture } from '../library.ts';
import { newDatabase } from '../postgres/database.ts';
import { environmentOf, newBucket } from '../s3/bucket.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { describeOnBoth } from './nodes.ts';

const LIMIT = 100;
const WINDOW_S = 86_400;
const NODES = 4;
/** Allowance of a node for a client before it adds its counts to those of the others. */
const SHARE = LIMIT / 5;
/** A bucket needs time for the very first file. */
const TIMEOUT_MS = 60_000;

describeOnBoth('a visitor who asks four machines as fast as possible', () => {
  let nodes: TestService[];
  beforeAll(async () => {
    const storage = environmentOf(await newBucket());
    // No window ends in the middle of a test.
    const limit = {
      PUBLIC_RATE_LIMIT_MAX: String(LIMIT),
      PUBLIC_RATE_LIMIT_WINDOW_MS: String(WINDOW_S * 1000),
      ...FROM_ANYWHERE,
    };
    const environment = { ...storage, ...limit, DATABASE_URL: await newDatabase() };
    nodes = await Promise.all(Array.from({ length: NODES }, () => startService(environment)));
    expect((await nodes[0]?.upload({ 'photo.png': picture('photo') }))?.status).toBe(200);
  }, TIMEOUT_MS);
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  const asking = (address: string, times: number, path: string) =>
    Promise.all(
      nodes.flatMap(({ url }) =>
        Array.from({ length: times }, () => ask(url, path, { headers: { 'x-forwarded-for': address } })),
      ),
    );

  it.each([
    ['a picture', '/t/w_20,f_png/photo.png', 200],
    ['a picture that is not there', '/t/missing.png', 404],
  ])('for %s exceeds the limit by a fifth for each of them at most', async (_, path, status) => {
    const visitor = anotherAddress();
    const answers = await asking(visitor, 150, path);
    const passed = answers.filter((answer) => answer.status !== 429);
    expect(new Set(passed.map((answer) => answer.status))).toEqual(new Set([status]));
    expect(passed.length).toBeGreaterThanOrEqual(LIMIT);
    expect(passed.length).toBeLessThanOrEqual(LIMIT + NODES * SHARE);
    expect((await asking(visitor, 1, path)).map((answer) => answer.status)).toEqual([429, 429, 429, 429]);
    expect((await asking(anotherAddress(), 1, path)).map((answer) => answer.status)).toEqual(Array(4).fill(status));
  });

  it('is told by each of them how long to wait', async () => {
    const visitor = anotherAddress();
    await asking(visitor, 50, '/t/photo.png');
    // Nodes that spent their share early add their counts a moment later.
    const statuses = async () => (await asking(visitor, 1, '/t/photo.png')).map(({ status }) => status);
    await expect.poll(statuses).toEqual(Array(NODES).fill(429));
    for (const { status, headers, json } of await asking(visitor, 1, '/t/photo.png')) {
      const { retryAfter, ...body } = json();
      expect([status, body]).toEqual([
        429,
        { error: 'Too many requests', code: 'rate_limited', message: expect.stringContaining(`in ${retryAfter} s`) },
      ]);
      expect(Math.min(WINDOW_S, Math.max(1, Number(retryAfter)))).toBe(retryAfter);
      expect(headers).toMatchObject({
        'retry-after': String(retryAfter),
        'x-ratelimit-limit': String(LIMIT),
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
        'cache-control': 'no-store',
      });
    }
  });
});
