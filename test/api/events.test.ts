import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type JobEventData, jobEvent } from '../../src/jobs/events.ts';
import type { StoragePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { filmJob } from '../job-queue.ts';
import { type Listener, listen } from '../listener.ts';
import { startServiceProcess } from '../process/service-process.ts';
import { createSpace, TEST_KEY } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';
import { openStudio } from '../video-samples.ts';
import { sidesFilm, startVideoService, type VideoService } from '../videos.ts';

let service: VideoService;
let film: Buffer;
const listeners: Listener[] = [];

beforeAll(async () => {
  const studio = await openStudio();
  film = await sidesFilm(studio);
  await studio.close();
  service = await startVideoService({
    VIDEO_JOB_RETRY_MAX: '0',
    MAX_EVENT_CLIENTS_PER_ADDRESS: '2000',
    MAX_CONNECTIONS_PER_ADDRESS: '2000',
  });
  service.services.worker?.start();
});
afterAll(() => service.close());
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

const KEY = { 'x-api-key': TEST_KEY };

/** Listens with a key with `read`, unless other headers are given. */
function attend(url = service.url, headers: Record<string, string> = KEY, query = ''): Listener {
  const listener = listen(`${url}/queue/events${query}`, headers);
  listeners.push(listener);
  return listener;
}

const publish = (jobId: string, progress: number) =>
  service.services.events.publish(jobEvent.progress(jobId, progress));
const startedJob = (path: string): JobEventData => ({
  type: 'job:started',
  data: { jobId: 'a-job', filePath: path as StoragePath, status: 'running' },
});
const progressOf = ({ heard }: Listener) =>
  heard.filter(({ type }) => type === 'job:progress').map(({ data }) => data.progress);

/** Reads the raw beginning of a stream, until this many events have arrived. */
async function readRaw(
  url: string,
  headers: http.OutgoingHttpHeaders = {},
  events = 1,
): Promise<[http.IncomingMessage, string]> {
  const request = http.get(`${url}/queue/events`, { headers });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let body = '';
  for await (const chunk of response.setEncoding('utf8')) {
    body += chunk;
    if (body.split('\n\n').length > events) break;
  }
  return [response, body];
}

describe('the stream', () => {
  test('has the documented headers and form, and begins with the client’s id', async () => {
    const [{ statusCode, headers }, body] = await readRaw(service.url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    });
    expect(body).toMatch(/^id: \d+\nevent: connected\ndata: \{"clientId":"[0-9a-f-]{36}"\}\n\n$/);
    const [, other] = await readRaw(`${service.url}/api`);
    expect(other.split('data: ')[1]).not.toBe(body.split('data: ')[1]);
  });

  test('tells the life of a job, in order and with exactly the documented fields', async () => {
    const listener = attend();
    await listener.next('connected');
    await service.place('films/life.mp4', film);
    await ask(service.url, '/t/w_80/films/life.mp4');
    await listener.next('job:completed');
    const [jobId = ''] = await service.jobsOf('films/life.mp4');
    const about = { jobId, filePath: 'films/life.mp4' };
    const told = listener.heard.filter(({ type }) => type !== 'job:progress').map(({ type, data }) => [type, data]);
    expect(told.slice(1)).toEqual([
      ['job:created', { ...about, status: 'pending', priority: 2 }],
      ['job:started', { ...about, status: 'running' }],
      ['job:completed', { ...about, status: 'completed' }],
    ]);
    const types = listener.heard.map(({ type }) => type);
    const progress = listener.heard.filter(({ type }) => type === 'job:progress');
    expect(progress.length).toBeGreaterThan(0);
    expect(types.slice(3, -1)).toEqual(progress.map(({ type }) => type));
    for (const { data } of progress) expect(data).toEqual({ jobId, progress: expect.any(Number) });
    const values = progress.map(({ data }) => Number(data.progress));
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(values.every((value) => value >= 0 && value <= 100)).toBe(true);
    const ids = listener.heard.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

  test('tells why a job failed, and that a retry begins anew', async () => {
    const listener = attend();
    await listener.next('connected');
    await service.place('films/bad.mp4', '');
    await ask(service.url, '/t/w_80/films/bad.mp4');
    const { data } = await listener.next('job:error');
    const [jobId = ''] = await service.jobsOf('films/bad.mp4');
    expect(data).toEqual({ jobId, filePath: 'films/bad.mp4', status: 'error', error: 'The file is empty.' });
    await service.authorized(`/queue/jobs/${jobId}/retry`, { method: 'POST' });
    await listener.next('job:error');
    const types = listener.heard.map(({ type }) => type).slice(1);
    expect(types).toEqual([...types.slice(0, 3), ...types.slice(0, 3)]);
  });

  test('tells that a job was cancelled, and that jobs were deleted: one, all in a state, those of a file', async () => {
    await service.services.worker?.stop();
    const listener = attend();
    await listener.next('connected');
    for (const name of ['one', 'two', 'three', 'four']) await service.place(`films/gone/${name}.mp4`, film);
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      await ask(service.url, `/t/w_80/films/gone/${name}.mp4`);
      ids.push(...(await service.jobsOf(`films/gone/${name}.mp4`)));
    }
    const [one = '', two = '', three = '', four = ''] = ids;
    const told = async (type: string) => (await listener.next(type)).data;
    await service.authorized(`/queue/jobs/${one}/cancel`, { method: 'POST' });
    expect(await told('job:cancelled')).toEqual({ jobId: one });
    await service.authorized(`/queue/jobs/${two}`, { method: 'DELETE' });
    expect(await told('job:deleted')).toEqual({ jobId: two });
    await service.authorized('/queue/jobs?status=cancelled', { method: 'DELETE' });
    expect(await told('job:deleted')).toEqual({ jobId: one });
    await service.authorized('/storage/films/gone/three.mp4', { method: 'DELETE' });
    expect(await told('job:deleted')).toEqual({ jobId: three });
    await service.authorized('/storage/films/gone?recursive=true', { method: 'DELETE' });
    expect(await told('job:deleted')).toEqual({ jobId: four });
    service.services.worker?.start();
  });

  test('says priority 2 of every new job; the list of jobs has the true one', async () => {
    await service.services.worker?.stop();
    const listener = attend();
    await listener.next('connected');
    const wanted = filmJob('later', { transformation: 'w_80', priority: 3 });
    const { job } = await service.services.queue.enqueue(wanted);
    expect((await listener.next('job:created')).data.priority).toBe(2);
    expect(await (await service.authorized(`/queue/jobs/${job.id}`)).json()).toMatchObject({ priority: 3 });
    await service.services.queue.remove(job.id);
    service.services.worker?.start();
  });

  test('has a heartbeat with the time in milliseconds', async () => {
    const lively = await startVideoService({ EVENTS_HEARTBEAT_MS: '20' });
    const listener = attend(lively.url);
    const first = await listener.next('heartbeat');
    const second = await listener.next('heartbeat');
    expect(first.data).toEqual({ timestamp: expect.any(Number) });
    expect(Number(second.data.timestamp)).toBeGreaterThan(Number(first.data.timestamp));
    expect(Math.abs(Number(first.data.timestamp) - Date.now())).toBeLessThan(60_000);
    await lively.close();
  });
});

describe('without a key that may read', () => {
  const life = async (name: string, listener: Listener) => {
    await listener.next('connected');
    await service.place(name, name.includes('bad') ? '' : film);
    await ask(service.url, `/t/w_80/${name}`);
    await listener.next(name.includes('bad') ? 'job:error' : 'job:completed');
    const [jobId = ''] = await service.jobsOf(name);
    const told = listener.heard.filter(({ type }) => !['connected', 'job:progress', 'heartbeat'].includes(type));
    return { jobId, told: told.map(({ type, data }) => [type, data]) };
  };

  test('the stream has all events and fields, with the id of the job in the place of the path', async () => {
    const { jobId, told } = await life('films/private.mp4', attend(service.url, {}));
    const about = { jobId, filePath: jobId };
    expect(told).toEqual([
      ['job:created', { ...about, status: 'pending', priority: 2 }],
      ['job:started', { ...about, status: 'running' }],
      ['job:completed', { ...about, status: 'completed' }],
    ]);
  });

  test('the reason of a failure is not told, because it may name other files', async () => {
    const { jobId, told } = await life('films/private-bad.mp4', attend(service.url, {}));
    expect(told.at(-1)).toEqual(['job:error', { jobId, filePath: jobId, status: 'error', error: 'The job failed.' }]);
  });

  test('files are named that this connection has requested by their paths, and no others', async () => {
    const query = '?path=films/mine.mp4&path=%2Ffilms%2Fmine-bad.mp4';
    const first = attend(service.url, {}, query);
    const second = attend(service.url, {}, query);
    const mine = await life('films/mine.mp4', first);
    expect(new Set(mine.told.map(([, data]) => (data as { filePath: string }).filePath))).toEqual(
      new Set(['films/mine.mp4']),
    );
    const { told } = await life('films/mine-bad.mp4', second);
    expect(told.at(-1)?.[1]).toMatchObject({ filePath: 'films/mine-bad.mp4', error: 'The file is empty.' });
    const other = attend(service.url, {}, query);
    const { jobId, told: hidden } = await life('films/mine.mp4.mp4', other);
    expect(hidden[0]?.[1]).toMatchObject({ filePath: jobId });
  });

  test('past events obey the same', async () => {
    const name = 'films/past.mp4';
    await life(name, attend());
    const [jobId = ''] = await service.jobsOf(name);
    const replay = async (headers: Record<string, string>, query = '') => {
      const listener = attend(service.url, { ...headers, 'last-event-id': '1' }, query);
      for (;;) {
        const { data } = await listener.next('job:completed');
        if (data.jobId === jobId) return { data, text: JSON.stringify(listener.heard) };
      }
    };
    const anonymous = await replay({});
    expect(anonymous.data.filePath).toBe(jobId);
    expect(anonymous.text).not.toContain('films/');
    expect((await replay({}, `?path=${name}`)).data.filePath).toBe(name);
    expect((await replay(KEY)).data.filePath).toBe(name);
  });

  test.each([
    ['a wrong key', async () => 'wrong'],
    [
      'a key without "read"',
      async () => (await service.services.keyring.create({ permissions: ['upload', 'manage', 'admin'] })).key,
    ],
  ])('%s gives no names, and is no reason to refuse the stream', async (_, keyOf) => {
    const name = `films/${randomUUID()}.mp4`;
    const { jobId, told } = await life(name, attend(service.url, { 'x-api-key': await keyOf() }));
    expect(told[0]?.[1]).toMatchObject({ filePath: jobId });
  });

  test('a session is told the names', async () => {
    const admin = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough password' };
    const own = await startVideoService(admin);
    const listener = attend(own.url, { cookie: await signIn(own, admin) });
    await listener.next('connected');
    own.services.events.publish(startedJob('films/a.mp4'));
    expect((await listener.next('job:started')).data.filePath).toBe('films/a.mp4');
    await own.close();
  });

  test('PUBLIC_EVENTS=full names files to everyone', async () => {
    const trusting = await startVideoService({ PUBLIC_EVENTS: 'full' });
    const listener = attend(trusting.url, {});
    await listener.next('connected');
    trusting.services.events.publish(startedJob('films/a.mp4'));
    expect((await listener.next('job:started')).data.filePath).toBe('films/a.mp4');
    await trusting.close();
  });

  test.each([
    ['?path=../a.mp4', 'invalid_path'],
    ['?path=', 'invalid_path'],
    ['?path=a.mp4&path=/', 'invalid_path'],
    ['?path[a]=a.mp4&path=x%00', 'invalid_path'],
    [`?${'path=a.mp4&'.repeat(51)}`, 'too_many_items'],
  ])('%s is 400', async (query, code) => {
    const answer = await ask(service.url, `/queue/events${query}`);
    expect([answer.status, answer.json().code]).toEqual([400, code]);
  });
});

describe('a client that comes back', () => {
  test('gets what it missed, each event once and in order', async () => {
    const listener = attend();
    await listener.next('connected');
    publish('a', 1);
    await listener.next('job:progress');
    const reconnect = listener.breakConnection();
    publish('a', 2);
    publish('a', 3);
    reconnect();
    await listener.next('connected');
    publish('a', 4);
    while (progressOf(listener).length < 4) await listener.next('job:progress');
    expect(progressOf(listener)).toEqual([1, 2, 3, 4]);
    expect(listener.heard.filter(({ type }) => type === 'connected')).toHaveLength(2);
  });

  test('gets it even if it had heard of no job before', async () => {
    const listener = attend();
    await listener.next('connected');
    const reconnect = listener.breakConnection();
    publish('b', 1);
    reconnect();
    await listener.next('job:progress');
    expect(progressOf(listener)).toEqual([1]);
  });

  test('after long gets the last thousand events', async () => {
    for (let n = 0; n < 1500; n++) publish('c', n % 100);
    const [, body] = await readRaw(service.url, { 'last-event-id': '1' }, 1001);
    expect(body.match(/^event: .*$/gm)).toEqual([
      'event: connected',
      ...Array<string>(1000).fill('event: job:progress'),
    ]);
  });

  test('with an id that is none of ours gets what happens from now on', async () => {
    for (const id of ['abc', '-1', '9'.repeat(40), '']) {
      const [, body] = await readRaw(service.url, { 'last-event-id': id });
      expect(body.match(/^event: .*$/gm), id).toEqual(['event: connected']);
    }
  });
});

describe('many clients', () => {
  test('one that does not read is dropped, and the others hear everything', async () => {
    const { hostname, port } = new URL(service.url);
    const slow = connect(Number(port), hostname);
    slow.write(`GET /queue/events HTTP/1.1\r\nHost: x\r\nx-api-key: ${TEST_KEY}\r\n\r\n`);
    await once(slow, 'data');
    slow.pause();
    const fast = attend();
    await fast.next('connected');
    const error = 'x'.repeat(200_000);
    const long: JobEventData = {
      type: 'job:error',
      data: { jobId: 'd', filePath: 'd.mp4' as StoragePath, status: 'error', error },
    };
    const count = 200;
    for (let n = 0; n < count; n++) {
      service.services.events.publish(long);
      await fast.next('job:error');
    }
    // Data in the system's buffers still arrives, then the end.
    const received = (await text(slow)).length;
    expect(received).toBeLessThan(count * error.length);
    expect(fast.heard.filter(({ type }) => type === 'job:error')).toHaveLength(count);
  });

  test('a thousand that only listen all hear the same', async () => {
    const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
    const streams = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const request = http.get(`${service.url}/queue/events`, { agent });
        const [response] = (await once(request, 'response')) as [http.IncomingMessage];
        await once(response.setEncoding('utf8'), 'data');
        return { request, response };
      }),
    );
    const heard = streams.map(({ response }) => once(response, 'data') as Promise<[string]>);
    publish('everybody', 50);
    const texts = new Set((await Promise.all(heard)).map(([chunk]) => chunk));
    expect(texts.size).toBe(1);
    expect([...texts][0]).toContain('"everybody"');
    expect((await ask(service.url, '/health')).status).toBe(200);
    for (const { request } of streams) request.destroy();
  });

  test('are at most MAX_EVENT_CLIENTS; one more is 503 until another leaves', async () => {
    const small = await startVideoService({ MAX_EVENT_CLIENTS: '2' });
    const first = attend(small.url);
    const second = attend(small.url);
    await Promise.all([first.next('connected'), second.next('connected')]);
    const refused = await ask(small.url, '/queue/events');
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '30']);
    expect(refused.json()).toEqual({
      error: 'Service unavailable',
      code: 'queue_full',
      message: '2 clients listen already (MAX_EVENT_CLIENTS).',
    });
    first.close();
    let status = 503;
    // Until the service has noticed that the first one disconnected.
    while (status === 503) {
      const request = http.get(`${small.url}/queue/events`);
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      status = response.statusCode ?? 0;
      request.destroy();
    }
    expect(status).toBe(200);
    await small.close();
  });

  test('of the library and of all spaces are counted together', async () => {
    const small = await startVideoService({
      ...FROM_ANYWHERE,
      MAX_EVENT_CLIENTS: '4',
      MAX_EVENT_CLIENTS_PER_ADDRESS: '2',
    });
    for (const id of ['one', 'two']) await createSpace(small, id);
    const attendFrom = (address: string, prefix: string) =>
      attend(`${small.url}${prefix}`, { ...KEY, 'x-forwarded-for': address });
    const statusFrom = async (address: string, prefix: string) => {
      const headers = { ...KEY, 'x-forwarded-for': address };
      const request = http.get(`${small.url}${prefix}/queue/events`, { headers, agent: false });
      const [{ statusCode }] = (await once(request, 'response')) as [http.IncomingMessage];
      request.destroy();
      return statusCode;
    };
    const first = [attendFrom('198.51.100.1', '/b/one'), attendFrom('198.51.100.1', '/b/two')];
    await Promise.all(first.map((listener) => listener.next('connected')));
    for (const prefix of ['', '/b/one', '/b/two']) {
      expect(await statusFrom('198.51.100.1', prefix)).toBe(429);
    }
    const others = [attendFrom('198.51.100.2', ''), attendFrom('198.51.100.2', '/b/one')];
    await Promise.all(others.map((listener) => listener.next('connected')));
    for (const prefix of ['', '/b/one', '/b/two']) {
      expect(await statusFrom('198.51.100.3', prefix)).toBe(503);
    }
    await small.close();
  });

  test('without a key leave a tenth of MAX_EVENT_CLIENTS to those with one, who are counted separately', async () => {
    const small = await startVideoService({ MAX_EVENT_CLIENTS: '10', MAX_EVENT_CLIENTS_PER_ADDRESS: '9' });
    const attendAll = Array.from({ length: 9 }, () => attend(small.url, {}));
    await Promise.all(attendAll.map((listener) => listener.next('connected')));
    const own = await startVideoService({ MAX_EVENT_CLIENTS: '10', MAX_EVENT_CLIENTS_PER_ADDRESS: '10' });
    const others = Array.from({ length: 9 }, () => attend(own.url, {}));
    await Promise.all(others.map((listener) => listener.next('connected')));
    const refused = await ask(own.url, '/queue/events');
    expect([refused.status, refused.json().message]).toEqual([503, expect.stringContaining('nine tenths')]);
    for (const { url } of [small, own]) {
      const request = http.get(`${url}/queue/events`, { headers: { 'x-api-key': TEST_KEY }, agent: false });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      expect(response.statusCode).toBe(200);
      request.destroy();
    }
    await small.close();
    await own.close();
  });

  test('of one address are at most MAX_EVENT_CLIENTS_PER_ADDRESS; one more is 429, and other addresses are served', async () => {
    const proxied = await startVideoService({ ...FROM_ANYWHERE, MAX_EVENT_CLIENTS_PER_ADDRESS: '2' });
    const listenAs = async (address: string) => {
      const request = http.get(`${proxied.url}/queue/events`, {
        headers: { 'x-forwarded-for': address },
        agent: false,
      });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return { status: response.statusCode, response, leave: () => request.destroy() };
    };
    // Two of one IPv6 network, and two of an IPv4 address.
    const listening = [
      await listenAs('2001:db8:0:1::1'),
      await listenAs('2001:db8:0:1:ffff::2'),
      await listenAs('198.51.100.7'),
      await listenAs('198.51.100.7'),
    ];
    expect(listening.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const address of ['2001:db8:0:1::3', '198.51.100.7']) {
      const { status, response } = await listenAs(address);
      expect([status, response.headers['retry-after']]).toEqual([429, '30']);
      expect(JSON.parse(await text(response))).toEqual({
        error: 'Too many requests',
        code: 'too_many_listeners',
        message: '2 clients of this address listen already (MAX_EVENT_CLIENTS_PER_ADDRESS).',
        retryAfter: 30,
      });
    }
    listening.push(await listenAs('2001:db8:0:2::1'));
    listening[3]?.leave();
    await expect
      .poll(async () => {
        const again = await listenAs('198.51.100.7');
        listening.push(again);
        return again.status;
      })
      .toBe(200);
    for (const { leave } of listening) leave();
    await proxied.close();
  });

  test('do not keep the service from stopping', async () => {
    const data = await mkdtemp(join(tmpdir(), 'darkroom-events-'));
    const stopping = await startServiceProcess({ DATA_DIR: data, SHUTDOWN_TIMEOUT_MS: '3600000' });
    const request = http.get(`${stopping.url}/queue/events`);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const ended = text(response);
    expect(await stopping.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await ended).toContain('event: connected');
    await rm(data, { recursive: true });
  });
});

describe('where only signed URLs are delivered', () => {
  const settings = { DELIVERY_MODE: 'signed', API_SECRET: 'test-secret-at-least-16-chars-long' };

  test('a stream counts once for a key with a quota', async () => {
    const signed = await startVideoService(settings);
    const { keyring, database } = signed.services;
    const { id, key } = await keyring.create({ permissions: ['read'], remaining: 2 });
    const [{ statusCode }] = await readRaw(signed.url, { 'x-api-key': key });
    const row = await database.db.selectFrom('api_key').select('remaining').where('id', '=', id).executeTakeFirst();
    expect([statusCode, row?.remaining]).toEqual([200, 1]);
    await signed.close();
  });
});

test('a listener whose key cannot be checked while the database is away hears as one without a key', async () => {
  const broken = await startVideoService();
  await broken.services.database.close();
  // Without this, the id of the last event would be read from the database.
  const [{ statusCode }] = await readRaw(broken.url, { ...KEY, 'last-event-id': '0' });
  expect(statusCode).toBe(200);
  await broken.close();
});
