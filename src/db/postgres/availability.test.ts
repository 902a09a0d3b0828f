import type { Pool } from 'pg';
import { afterEach, expect, test } from 'vitest';
import type { Availability } from '../../availability.ts';
import { createLog } from '../../log.ts';
import { createAvailability } from './availability.ts';
import { guardPool } from './pool.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const UNAVAILABLE = { status: 503, code: 'database_unavailable', headers: { 'Retry-After': '2' } };

const lines: string[] = [];
const log = createLog({ level: 'info', format: 'json' }, { write: (line) => void lines.push(line) });
const opened: Availability[] = [];

afterEach(() => {
  for (const availability of opened.splice(0)) availability.close();
  lines.length = 0;
});

/** Creates a pool whose connections fail, and a server whose verification fails while `failure` is set. */
function createServer(connectFailure: Error, failure?: Error) {
  const server = { failure, attempts: 0, verifications: 0 };
  const availability = createAvailability(async () => {
    server.verifications++;
    if (server.failure) throw server.failure;
  }, log);
  opened.push(availability);
  const connect = async () => {
    server.attempts++;
    throw connectFailure;
  };
  const pool = guardPool({ options: {}, connect } as unknown as Pool, availability);
  return { server, availability, pool };
}

const levels = () => lines.map((line) => JSON.parse(line).level);

test('a server that refuses connections is unavailable: no request connects until a probe succeeds', async () => {
  const { server, availability, pool } = createServer(refused, refused);
  for (let n = 0; n < 3; n++) await expect(pool.connect()).rejects.toMatchObject(UNAVAILABLE);
  expect(availability.isAvailable).toBe(false);
  expect(server.attempts).toBe(1);
  server.failure = undefined;
  await expect.poll(() => availability.isAvailable).toBe(true);
  expect(levels()).toEqual([40, 30]);
});

test('a timeout next to answers means an exhausted pool, and a wrong password that the server is there', async () => {
  const busy = createServer(new Error('timeout exceeded when trying to connect'));
  busy.availability.answered();
  await expect(busy.pool.connect()).rejects.toMatchObject(UNAVAILABLE);
  expect(busy.availability.isAvailable).toBe(true);
  const wrong = createServer(Object.assign(new Error('password authentication failed'), { code: '28P01' }));
  await expect(wrong.pool.connect()).rejects.toMatchObject(UNAVAILABLE);
  expect(wrong.availability.isAvailable).toBe(true);
});

test('a database that has become unusable is logged as an error, once, and not used', async () => {
  const newer = new Error('Cannot open the database: a newer version has changed its tables.');
  const { server, availability } = createServer(refused, newer);
  availability.open(refused);
  await expect.poll(() => server.verifications).toBeGreaterThan(1);
  expect(levels()).toEqual([40, 50]);
  expect(availability.isAvailable).toBe(false);
});

test('a verification that takes long is not started twice', async () => {
  const held = Promise.withResolvers<void>();
  let verifications = 0;
  const availability = createAvailability(() => {
    verifications++;
    return held.promise;
  }, log);
  opened.push(availability);
  availability.open(refused);
  await availability.suspect();
  await availability.suspect();
  expect(verifications).toBe(1);
  held.resolve();
  await expect.poll(() => availability.isAvailable).toBe(true);
});
