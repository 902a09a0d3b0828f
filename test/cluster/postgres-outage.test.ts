import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { createDatabase } from '../postgres/create.ts';
import { PostgresServer } from '../postgres/server.ts';
import { type ServiceProcess, spawnService, startServiceProcess } from '../process/service-process.ts';
import { environmentOf, newBucket } from '../s3/bucket.ts';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { describeOnBoth } from './nodes.ts';

const PHOTO = fixture('portrait-face.jpg');
const CACHED = '/t/w_50,f_png/photo.jpg';
const UNAVAILABLE = { status: 503, code: 'database_unavailable', retryAfter: expect.any(String) };

let server: PostgresServer;
let environment: Record<string, string>;
let node: TestService;
let uploads = 0;
let widths = 100;

interface Asked {
  url: string;
}

async function upload({ url }: Asked, key = TEST_KEY) {
  const form = new FormData();
  form.append('files', new Blob([PHOTO as Uint8Array<ArrayBuffer>]), `upload-${uploads++}.jpg`);
  return outcome(await fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': key } }));
}

async function outcome(response: Response) {
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
}

const askKey = ({ url }: Asked) => fetch(`${url}/api-keys/list`, { headers: { 'x-api-key': TEST_KEY } }).then(outcome);

/** Requests images: a cached one, the original, and five that were not requested before. */
async function pictures({ url }: Asked): Promise<number[]> {
  const cold = Array.from({ length: 5 }, () => `/t/w_${widths++},f_webp/photo.jpg`);
  const answers = await Promise.all([CACHED, '/t/photo.jpg', ...cold].map((path) => ask(url, path)));
  return answers.map(({ status }) => status);
}
const ALL_SERVED = Array(7).fill(200);

async function readiness({ url }: Asked) {
  const { status, body } = await ask(url, '/readyz');
  return { status, database: JSON.parse(body.toString()).checks.database };
}

async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(text);
  await client.end();
}

describeOnBoth('a service whose PostgreSQL is away', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    environment = environmentOf(await newBucket());
    node = await startService({ ...environment, DATABASE_URL: server.url() });
    expect((await node.upload({ 'photo.jpg': PHOTO })).status).toBe(200);
    expect((await ask(node.url, CACHED)).status).toBe(200);
    await node.services.variants.settled();
  });
  afterAll(async () => {
    await node.close();
    await server.close();
  });

  const outages = {
    killed: { begin: () => server.kill(), end: () => server.start() },
    'stopped in order': { begin: () => server.stop(), end: () => server.start() },
    frozen: { begin: () => server.signal('SIGSTOP'), end: () => server.signal('SIGCONT') },
  };

  test.each(Object.entries(outages))(
    'serves every picture while it is %s, refuses what needs it, and recovers by itself',
    async (_, { begin, end }) => {
      await begin();
      const before = await Promise.all([pictures(node), upload(node)]);
      expect(before).toEqual([ALL_SERVED, UNAVAILABLE]);
      await expect
        .poll(() => readiness(node))
        .toEqual({ status: 200, database: expect.not.stringMatching(/ok|unknown/) });
      const refused = await Promise.all([upload(node), upload(node), askKey(node), pictures(node)]);
      expect(refused).toEqual([UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, ALL_SERVED]);
      await end();
      await expect.poll(async () => (await upload(node)).status).toBe(200);
      await expect.poll(() => readiness(node)).toEqual({ status: 200, database: 'ok' });
      await expect.poll(() => node.services.cluster.stats().isConnected).toBe(true);
      expect((await askKey(node)).status).toBe(200);
    },
  );
});

describeOnBoth('a service that starts while its PostgreSQL is away', () => {
  let folder: string;
  let early: ServiceProcess;
  let unlucky: TestService;
  let changed: string;
  beforeAll(async () => {
    server = await PostgresServer.start();
    environment = environmentOf(await newBucket());
    node = await startService({ ...environment, DATABASE_URL: server.url() });
    expect((await node.upload({ 'photo.jpg': PHOTO })).status).toBe(200);
    await node.close();
    changed = await createDatabase(server.url(), 'postgres');
    await query(changed, "insert into kysely_migration values ('900-everything-else', '2030-01-01')");
    await query(changed, "update setting set value = '900' where name = 'schema.compatible_from'");
    const empty = await createDatabase(server.url());
    await server.stop();
    folder = await mkdtemp(join(tmpdir(), 'darkroom-node-'));
    [early, unlucky] = await Promise.all([
      startServiceProcess({ ...environment, DATABASE_URL: empty, DATA_DIR: folder }),
      startService({ ...environment, DATABASE_URL: changed }),
    ]);
  });
  afterAll(async () => {
    await early.end('SIGKILL');
    await unlucky.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('delivers pictures, and joins when it is there: makes the tables, and prints key and token', async () => {
    expect(await pictures(early)).toEqual(ALL_SERVED);
    expect(await upload(early)).toEqual(UNAVAILABLE);
    expect(await askKey(early)).toEqual(UNAVAILABLE);
    const session = { cookie: 'darkroom.session_token=a.b' };
    expect(await outcome(await fetch(`${early.url}/storage/stats`, { headers: session }))).toEqual(UNAVAILABLE);
    await expect
      .poll(() => readiness(early))
      .toEqual({ status: 200, database: expect.not.stringMatching(/ok|unknown/) });
    expect(early.stdout()).not.toMatch(/API Key|Setup token/);

    await server.start();
    await expect.poll(early.stdout).toMatch(/API Key: \S+\n.*Setup token: \S+\n/s);
    const key = /API Key: (\S+)\n/.exec(early.stdout())?.[1];
    expect((await upload(early, key)).status).toBe(200);
    expect(await readiness(early)).toMatchObject({ status: 200 });
    expect(early.stdout() + early.stderr()).not.toContain(new URL(server.url()).password);
  });

  test('does not use tables that it does not know, says so, and joins when they can be used', async () => {
    expect(await pictures(unlucky)).toEqual(ALL_SERVED);
    expect(await upload(unlucky)).toEqual(UNAVAILABLE);
    await query(changed, "delete from kysely_migration where name = '900-everything-else'");
    await expect.poll(async () => (await upload(unlucky)).status).toBe(200);
  });

  test('does not start when it is there and refuses', async () => {
    const wrong = new URL(server.url());
    wrong.password = 'wrong-horse';
    const service = spawnService({ ...environment, DATABASE_URL: wrong.href, DATA_DIR: folder });
    expect(await service.exited).toMatchObject({ code: 1 });
    expect(service.stderr()).toContain('the user or the password is wrong');
    expect(service.stderr()).not.toContain('wrong-horse');
  });
});
