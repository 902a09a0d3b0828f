import { afterEach, expect, test } from 'vitest';
import { unavailable } from '../../errors.ts';
import { createLog } from '../../log.ts';
import { Presence } from './presence.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const lines: string[] = [];
const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
const open: Presence[] = [];

afterEach(() => {
  for (const presence of open.splice(0)) presence.close();
  lines.length = 0;
});

/** A server that comes back when the test says so. */
function createServer() {
  const server = { failure: refused as Error | undefined, looks: 0 };
  async function verify(): Promise<void> {
    server.looks++;
    if (server.failure) throw server.failure;
  }
  const presence = new Presence({ verify, recentMs: 60_000, log });
  open.push(presence);
  return { server, presence };
}

const isThere = (presence: Presence) => {
  try {
    presence.assertThere();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ status: 503, code: 'database_unavailable', headers: { 'Retry-After': '2' } });
    return false;
  }
};
const levels = () => lines.map((line) => JSON.parse(line).level);

test('a server that does not answer is not asked by requests any more, until a look finds it there', async () => {
  const { server, presence } = createServer();
  expect(isThere(presence)).toBe(true);
  presence.missed(refused);
  expect(isThere(presence)).toBe(false);
  await expect.poll(() => server.looks).toBeGreaterThan(1);
  expect(isThere(presence)).toBe(false);
  server.failure = undefined;
  await expect.poll(() => isThere(presence)).toBe(true);
  expect(levels()).toEqual([40, 30]);
});

test('a time-out beside answers means that too many have asked, and a refusal that the server is there', () => {
  const { presence } = createServer();
  presence.answered();
  presence.missed(new Error('timeout exceeded when trying to connect'));
  expect(isThere(presence)).toBe(true);
  const { presence: refusing } = createServer();
  refusing.missed(Object.assign(new Error('password authentication failed'), { code: '28P01' }));
  expect(isThere(refusing)).toBe(true);
});

test('work waits for the server in its order, and begins again when it loses the server', async () => {
  const { server, presence } = createServer();
  const done: string[] = [];
  await presence.whenAvailable(async () => void done.push('at once'));
  presence.leave(refused);
  let hasLost = false;
  await presence.whenAvailable(async () => {
    done.push('first');
    if (hasLost) return;
    hasLost = true;
    throw unavailable('lost', 'database_unavailable', 2, refused);
  });
  await presence.whenAvailable(async () => void done.push('second'));
  expect(done).toEqual(['at once']);
  server.failure = undefined;
  await expect.poll(() => done).toEqual(['at once', 'first', 'first', 'second']);
});

test('work that loses the server at once is taken up again, and what fails for another reason fails', async () => {
  const { server, presence } = createServer();
  server.failure = undefined;
  let attempts = 0;
  await presence.whenAvailable(async () => {
    if (attempts++ === 0) throw unavailable('lost', 'database_unavailable', 2, refused);
  });
  await expect.poll(() => attempts).toBe(2);
  await expect(presence.whenAvailable(() => Promise.reject(new Error('a mistake')))).rejects.toThrow('a mistake');
});

test('a database that has become unusable is reported as an error, once, and used by nobody', async () => {
  const { server, presence } = createServer();
  presence.leave(refused);
  server.failure = new Error('Cannot open the database: a newer version has changed its tables.');
  await expect.poll(levels).toEqual([40, 50]);
  expect(isThere(presence)).toBe(false);
});
