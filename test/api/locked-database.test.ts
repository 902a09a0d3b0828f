import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, ask, askJson, fixture } from '../http.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
const CACHED = '/t/w_20,f_png/photo.jpg';

let service: TestService;
/** Connection of another process. */
let other: Database;
const begin = async (waitMs: number) => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, DATABASE_WAIT_MS: String(waitMs) });
  other = new Database(join(service.data, 'darkroom.db'));
  for (const name of ['photo.jpg', 'film.mp4']) {
    await writeFile(join(service.originals, name), fixture(name === 'photo.jpg' ? 'concert.jpg' : 'schizo_90.mp4'));
  }
  expect((await ask(service.url, CACHED)).status).toBe(200);
};
afterEach(async () => {
  other.close();
  await service.close();
});

const key = { 'x-api-key': TEST_KEY };
const get = (path: string, headers: Record<string, string> = {}) => ask(service.url, path, { headers });
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  askJson(service.url, 'POST', path, body, { 'x-forwarded-for': anotherAddress(), ...headers });

function expectUnavailable({ status, headers, json }: Answer): void {
  expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(json()).toEqual({ error: 'Service unavailable', code: 'database_unavailable', message: expect.any(String) });
}

test('while another process holds the database, deliveries go on beside writes that wait for it', async () => {
  await begin(60_000);
  other.exec('begin immediate');
  let isCreated = false;
  const creating = post('/api-keys/create', {}, key).finally(() => {
    isCreated = true;
  });
  for (const path of [
    '/t/photo.jpg',
    CACHED,
    '/t/w_21,f_png/photo.jpg',
    '/t/film.mp4',
    '/download/photo.jpg',
    '/health',
  ]) {
    expect((await get(path)).status, path).toBe(200);
  }
  for (const path of ['/storage', '/queue/jobs', '/api-keys/list'])
    expect((await get(path, key)).status, path).toBe(200);
  expect(isCreated).toBe(false);
  other.exec('commit');
  expect((await creating).status).toBe(200);
});

describe('while another process holds the database for too long', () => {
  beforeEach(() => begin(30));

  test('what has to be written is 503, and asked for again it is done', async () => {
    const account = { email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD };
    const asking: Record<string, () => Promise<Answer>> = {
      'a key': () => post('/api-keys/create', {}, key),
      'a transcode': () => get('/t/w_80/film.mp4'),
      'a sign-in': () => post('/api/auth/sign-in/email', account),
    };
    other.exec('begin immediate');
    for (const ask of Object.values(asking)) expectUnavailable(await ask());
    other.exec('commit');
    for (const [name, ask] of Object.entries(asking)) expect((await ask()).status, name).toBeLessThan(300);
  });

  test('a session stays good, also one that is due to be prolonged; it does not end without having ended', async () => {
    const cookie = await signIn(service, ADMIN);
    const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
    await service.services.database.db.updateTable('session').set({ expiresAt }).execute();
    other.exec('begin immediate');
    const read = await get('/storage', { cookie });
    expect([read.status, read.headers['set-cookie']]).toEqual([200, undefined]);
    const leaving = await post('/api/auth/sign-out', {}, { cookie, origin: service.url });
    expectUnavailable(leaving);
    expect(leaving.headers['set-cookie']).toBeUndefined();
    other.exec('commit');
    expect((await post('/api/auth/sign-out', {}, { cookie, origin: service.url })).status).toBe(200);
    expect((await get('/storage', { cookie })).status).toBe(401);
  });
});

describe('when the file of the database is gone', () => {
  beforeEach(async () => {
    await begin(2000);
    await rename(join(service.data, 'darkroom.db'), join(service.data, 'elsewhere.db'));
  });

  test('keys are made, changed and revoked no more, and nothing is acknowledged that would be lost', async () => {
    const [{ id = '' } = {}] = await service.services.keyring.list();
    expectUnavailable(await post('/api-keys/create', {}, key));
    const change = { method: 'PATCH', headers: { ...key, 'content-type': 'application/json' }, body: '{"name":"x"}' };
    expectUnavailable(await ask(service.url, `/api-keys/${id}`, change));
    expectUnavailable(await ask(service.url, `/api-keys/${id}`, { method: 'DELETE', headers: key }));
  });

  test('no transcode is promised, whether its job is new or not', async () => {
    for (let n = 0; n < 2; n++) expectUnavailable(await get('/t/w_80/film.mp4'));
  });

  test('no job is retried, cancelled or deleted with a yes', async () => {
    const { queue, database } = service.services;
    await get('/t/w_80/film.mp4');
    const [{ id = '' } = {}] = (await queue.jobs.list({ limit: 1, offset: 0 })).jobs;
    expectUnavailable(await post(`/queue/jobs/${id}/cancel`, {}, key));
    await database.db.updateTable('job').set({ status: 'error' }).execute();
    expectUnavailable(await post(`/queue/jobs/${id}/retry`, {}, key));
    expectUnavailable(await ask(service.url, `/queue/jobs/${id}`, { method: 'DELETE', headers: key }));
  });

  test('the health of the database is 503, and says why', async () => {
    const { status, json } = await get('/health/database', key);
    expect([status, json()]).toEqual([
      503,
      {
        status: 'error',
        error: 'The file of the database was deleted while the service runs.',
        code: 'database_unavailable',
        timestamp: expect.any(String),
        database: expect.objectContaining({ connected: true, file_error: expect.stringContaining('no longer there') }),
      },
    ]);
  });

  test('deliveries go on', async () => {
    for (const path of ['/t/photo.jpg', CACHED, '/t/w_22,f_png/photo.jpg']) expect((await get(path)).status).toBe(200);
  });
});
