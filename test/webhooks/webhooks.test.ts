import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { fixture } from '../http.ts';
import { filmJob } from '../job-queue.ts';
import { type PurgeTarget, type Received, startPurgeTarget, status } from '../purge-target.ts';
import { startService, type TestService } from '../service.ts';

const verifier = inject('verifier');
const PNG = fixture('flag-alpha.png');
const ALL = ['file.stored', 'file.moved', 'file.deleted', 'job.completed', 'job.error'];

type Verifier = new (secret: string) => { verify(body: string, headers: Record<string, string>): unknown };
interface Made {
  secret: string;
  webhook: { id: string; [field: string]: unknown };
}
interface Log {
  deliveries: { id: string; status: string; event: string; attempts: { responseStatus: number; error: string }[] }[];
  nextCursor: string | null;
}

describe.skipIf('missing' in verifier)('webhooks', () => {
  let Webhook: Verifier;
  let service: TestService;
  let receiver: PurgeTarget;
  beforeAll(async () => {
    const packages = join((verifier as { folder: string }).folder, 'node_modules', 'standardwebhooks', 'dist');
    ({ Webhook } = await import(pathToFileURL(join(packages, 'index.js')).href));
    receiver = await startPurgeTarget();
    service = await startService({ OUTGOING_PRIVATE_NETWORKS: '127.0.0.1', PUBLIC_URL: 'https://media.example' });
    await service.services.webhooks.start();
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
  });
  beforeEach(async () => {
    const { webhooks } = (await (await service.authorized('/webhooks')).json()) as { webhooks: { id: string }[] };
    for (const { id } of webhooks) await call('DELETE', `/webhooks/${id}`);
    receiver.received.length = 0;
    receiver.answer(status(204, {}, ''));
  });

  async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
    const given =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await service.authorized(path, { method, ...given });
    return { status: response.status, headers: response.headers, json: (await response.json()) as T };
  }

  async function create(more: Record<string, unknown> = {}): Promise<Made> {
    const { status, json } = await call<Made>('POST', '/webhooks', {
      url: `${receiver.url}/hook`,
      events: ALL,
      ...more,
    });
    expect([status, json]).toEqual([200, expect.anything()]);
    return json;
  }

  const log = async ({ webhook }: Made, query = '') =>
    (await call<Log>('GET', `/webhooks/${webhook.id}/deliveries${query}`)).json;
  const headersOf = ({ headers }: Received) => headers as Record<string, string>;
  const bodyOf = (one: Received | undefined) => JSON.parse(one?.body ?? '{}') as { type: string; data: unknown };
  const told = () => receiver.received.map(bodyOf).map(({ type, data }) => ({ type, data }));

  test('a request is a POST of JSON that the official verifier accepts, with the secret that is shown once', async () => {
    const made = await create();
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(JSON.stringify((await call('GET', '/webhooks')).json)).not.toContain(made.secret);
    await service.upload({ 'signed.png': PNG });
    const [request] = (await receiver.count(1)) as [Received];
    expect([request.method, request.path, request.headers['content-type']]).toEqual([
      'POST',
      '/hook',
      'application/json',
    ]);
    expect(new Webhook(made.secret).verify(request.body, headersOf(request))).toMatchObject({
      type: 'file.stored',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { kind: 'file', path: 'signed.png', size: PNG.length, type: 'image/png', restored: false },
    });
    expect(() => new Webhook(made.secret).verify(`${request.body} `, headersOf(request))).toThrow();
  });

  test('each change of a file or a folder is told of once, that into the trash and out of it too', async () => {
    await create();
    await service.upload({ 'a.png': PNG }, { folder: 'trips' });
    await call('POST', '/storage/trips/a.png/copy', { destination: 'other' });
    await call('PATCH', '/storage/other/a.png', { name: 'b.png' });
    await call('PATCH', '/storage/trips', { name: 'tours' });
    await call('DELETE', '/storage/other/b.png?trash=true');
    const { items } = (await call<{ items: { id: string }[] }>('GET', '/trash')).json;
    await call('POST', `/trash/${items[0]?.id}/restore`);
    await call('DELETE', '/storage/other/b.png');
    await call('DELETE', '/storage/tours?recursive=true');
    await receiver.count(8);
    const file = { kind: 'file', size: PNG.length, type: 'image/png', etag: expect.any(String) };
    const expected = [
      { type: 'file.stored', data: { ...file, path: 'trips/a.png', restored: false } },
      { type: 'file.stored', data: { ...file, path: 'other/a.png', restored: false } },
      { type: 'file.moved', data: { ...file, path: 'other/b.png', from: 'other/a.png' } },
      { type: 'file.moved', data: { kind: 'folder', path: 'tours', from: 'trips' } },
      { type: 'file.deleted', data: { kind: 'file', path: 'other/b.png', trash: true } },
      { type: 'file.stored', data: { ...file, path: 'other/b.png', restored: true } },
      { type: 'file.deleted', data: { kind: 'file', path: 'other/b.png', trash: false } },
      { type: 'file.deleted', data: { kind: 'folder', path: 'tours', trash: false } },
    ];
    for (const one of expected) expect(told()).toContainEqual(one);
    expect(told()).toHaveLength(8);
  });

  test('the end of a job is told of with the URL of its result, or with why there is none', async () => {
    await create();
    const { queue } = service.services;
    for (const name of ['good', 'bad']) await queue.enqueue(filmJob(name));
    for (const job of await queue.claim(2))
      await (job.variantKey === 'good' ? queue.complete(job) : queue.fail(job, 'no video', true));
    await receiver.count(2);
    const job = { job: expect.any(String), transformation: 'w_320' };
    const url = (name: string) => `https://media.example/t/w_320/films/${name}.mp4`;
    const good = { ...job, path: 'films/good.mp4', url: url('good') };
    expect(told()).toContainEqual({ type: 'job.completed', data: good });
    const bad = { ...job, path: 'films/bad.mp4', url: url('bad'), error: 'no video' };
    expect(told()).toContainEqual({ type: 'job.error', data: bad });
  });

  test('a webhook hears of what it wants alone: its events, its folder, while it is enabled', async () => {
    const made = await create({ events: ['file.stored'], folder: '/trips/' });
    expect(made.webhook).toMatchObject({ folder: 'trips', events: ['file.stored'], enabled: true, waiting: 0 });
    await service.upload({ 'outside.png': PNG });
    await service.upload({ 'in.png': PNG }, { folder: 'trips' });
    await call('DELETE', '/storage/trips/in.png');
    await call('PATCH', `/webhooks/${made.webhook.id}`, { enabled: false });
    await service.upload({ 'off.png': PNG }, { folder: 'trips' });
    await call('PATCH', `/webhooks/${made.webhook.id}`, { enabled: true, events: ['file.stored', 'file.deleted'] });
    await call('DELETE', '/storage/trips/off.png');
    await receiver.count(2);
    expect(told().map(({ data }) => (data as { path: string }).path)).toEqual(['trips/in.png', 'trips/off.png']);
  });

  test('a new secret signs at once, and the one before for a day as well', async () => {
    const made = await create();
    const { json } = await call<{ secret: string }>('POST', `/webhooks/${made.webhook.id}/rotate-secret`);
    expect(json.secret).not.toBe(made.secret);
    expect((await call('POST', `/webhooks/${made.webhook.id}/test`)).status).toBe(200);
    const [request] = (await receiver.count(1)) as [Received];
    for (const secret of [made.secret, json.secret])
      expect(new Webhook(secret).verify(request.body, headersOf(request))).toMatchObject({ type: 'webhook.test' });
    expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  test('what is refused is in the log, and is tried again; redirects are not followed', async () => {
    receiver.answer(status(302, { location: `${receiver.url}/elsewhere` }, 'over there'));
    const made = await create();
    await call('POST', `/webhooks/${made.webhook.id}/test`);
    await expect.poll(async () => (await log(made)).deliveries[0]?.status).toBe('failed');
    const [delivery] = (await log(made)).deliveries;
    const error = 'status 302, a redirect, which is not followed: over there';
    expect(delivery).toMatchObject({ event: 'webhook.test', attempts: [{ responseStatus: 302, error }] });
    expect(receiver.received).toHaveLength(1);

    receiver.answer(status(200));
    const again = `/webhooks/${made.webhook.id}/deliveries/${delivery?.id}/redeliver`;
    expect((await call('POST', again)).status).toBe(200);
    await expect.poll(async () => (await log(made)).deliveries[0]?.status).toBe('delivered');
    expect((await log(made)).deliveries[0]?.attempts.map(({ responseStatus }) => responseStatus)).toEqual([302, 200]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([delivery?.id, delivery?.id]);
  });

  test('410 disables a webhook, which says why, and refuses tests until it is enabled', async () => {
    receiver.answer(status(410, {}, ''));
    const made = await create();
    await service.upload({ 'gone.png': PNG });
    const read = async () => (await call<Made>('GET', `/webhooks/${made.webhook.id}`)).json.webhook;
    await expect.poll(async () => (await read()).enabled).toBe(false);
    expect((await read()).disabledReason).toContain('410');
    const refused = await call('POST', `/webhooks/${made.webhook.id}/test`);
    expect([refused.status, refused.json.code]).toEqual([409, 'webhook_conflict']);
    await call('PATCH', `/webhooks/${made.webhook.id}`, { enabled: true });
    expect(await read()).toMatchObject({ enabled: true, disabledReason: null });
  });

  test('the log comes in pages, the newest first, of one status or of all', async () => {
    const made = await create();
    for (let n = 1; n <= 3; n++) {
      await call('POST', `/webhooks/${made.webhook.id}/test`);
      await expect.poll(async () => (await log(made, '?status=delivered')).deliveries.length).toBe(n);
    }
    const first = await log(made, '?limit=2');
    const second = await log(made, `?limit=2&cursor=${first.nextCursor}`);
    const ids = [...first.deliveries, ...second.deliveries].map(({ id }) => id);
    expect([first.deliveries.length, new Set(ids).size, second.nextCursor]).toEqual([2, 3, null]);
    expect((await log(made, '?status=failed')).deliveries).toEqual([]);
    expect((await call('GET', `/webhooks/${made.webhook.id}/deliveries?cursor=x`)).json.code).toBe('invalid_cursor');
  });

  test.each([
    ['no URL', { url: 'example', events: ALL }, 'validation_failed', 'http or https'],
    ['a private address', { url: 'http://10.0.0.1/', events: ALL }, 'url_not_public', 'OUTGOING_PRIVATE_NETWORKS'],
    [
      'a name that leads nowhere',
      { url: 'https://nowhere.invalid/', events: ALL },
      'url_not_public',
      'nowhere.invalid',
    ],
    [
      'an event that there is not',
      { url: 'https://a.example', events: ['file.read'] },
      'validation_failed',
      'file.read',
    ],
    ['no event', { url: 'https://a.example', events: [] }, 'validation_failed', 'events'],
    ['a folder that is none', { url: 'http://127.0.0.1', events: ALL, folder: '../x' }, 'invalid_path', '..'],
  ])('a webhook with %s is refused, and it is said what was expected', async (_name, body, code, word) => {
    const { status, json } = await call('POST', '/webhooks', body);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.message).toContain(word);
  });

  test('there are twenty at most, and what is not there is 404', async () => {
    for (let n = 0; n < 20; n++) await create({ enabled: false });
    const refused = await call('POST', '/webhooks', { url: receiver.url, events: ALL });
    expect([refused.status, refused.json.code]).toEqual([409, 'webhook_conflict']);
    const unknown = await call('PATCH', '/webhooks/none', { enabled: false });
    expect([unknown.status, unknown.json.code]).toEqual([404, 'webhook_not_found']);
    const { webhooks } = (await call<{ webhooks: { id: string }[] }>('GET', '/webhooks')).json;
    const [{ id } = { id: '' }] = webhooks;
    await call('PATCH', `/webhooks/${id}`, { enabled: true });
    const missing = await call('POST', `/webhooks/${id}/deliveries/msg_none/redeliver`);
    expect([missing.status, missing.json.code]).toEqual([404, 'not_found']);
  });
});
