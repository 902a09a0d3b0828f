import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createKeyring, type Keyring } from '../src/auth/keyring.ts';
import { openDatabase } from '../src/db/open.ts';
import { createAddressReader } from '../src/http/admission/client-address.ts';
import { createRateLimiter } from '../src/http/admission/rate-limit.ts';
import type { Benchmark } from './tools/benchmark.ts';

const KEYS = 10_000;
const PAGE = 100;

/** Verifying a key, listing many keys by pages, and counting a request. */
export const access: Benchmark = {
  name: 'access',
  async run({ quick }) {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-access-'));
    const database = await openDatabase({ file: join(folder, 'darkroom.db') });
    try {
      const keyring = createKeyring({ database });
      const key = await fill(keyring);
      const rounds = quick ? 1000 : 20_000;
      const good = await time(rounds, () => keyring.verify(key));
      const unknown = await time(rounds, () => keyring.verify('x'.repeat(64)));
      const page = await time(rounds / 100, (n) => keyring.list({ limit: PAGE, offset: (n * PAGE) % KEYS }));
      const everything = await time(3, () => keyring.list());
      const [count, heldMegabytes] = await countRequests(rounds);
      return [
        `| with ${KEYS} keys | microseconds |`,
        '|---|---|',
        `| verify a good key (goal: under 1000) | ${good.toFixed(1)} |`,
        `| refuse an unknown key | ${unknown.toFixed(1)} |`,
        `| list a page of ${PAGE} | ${page.toFixed(0)} |`,
        `| list all ${KEYS} at once | ${everything.toFixed(0)} |`,
        `| count a request for the rate limit | ${count.toFixed(2)} |`,
        '',
        `A million addresses leave ${heldMegabytes.toFixed(0)} MB in the rate limiter.`,
      ].join('\n');
    } finally {
      await database.close();
      await rm(folder, { recursive: true });
    }
  },
};

/** @returns one of the keys */
async function fill(keyring: Keyring): Promise<string> {
  let last = '';
  for (let n = 0; n < KEYS; n++) last = (await keyring.create({ name: `key ${n}` })).key;
  return last;
}

/** Microseconds for one, of as many in a row. */
async function time(rounds: number, act: (n: number) => unknown): Promise<number> {
  const start = process.hrtime.bigint();
  for (let n = 0; n < rounds; n++) await act(n);
  return Number(process.hrtime.bigint() - start) / rounds / 1000;
}

async function countRequests(rounds: number): Promise<[microseconds: number, megabytes: number]> {
  const readAddress = createAddressReader([]);
  const limiter = createRateLimiter({ max: 1e9, windowMs: 60_000, readAddress });
  const from = (remoteAddress: string) =>
    ({ method: 'GET', url: '/t/w_400/a.jpg', socket: { remoteAddress }, headers: {} }) as never;
  const one = from('203.0.113.7');
  const cost = await time(rounds, () => limiter.count(one));
  const before = heldBytes();
  for (let n = 0; n < 1e6; n++) limiter.count(from(`${n >> 16}.${(n >> 8) & 255}.${n & 255}.1`));
  return [cost, Math.max(0, heldBytes() - before) / 1e6];
}

/** The heap without what is only waiting to be collected. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
