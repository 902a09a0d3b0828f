import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bucket, type BucketSettings, createBucket } from '../../src/storage/s3/bucket.ts';
import { ask } from '../http.ts';
import { PostgresServer } from '../postgres/server.ts';
import { environmentOf, newBucket } from '../s3/bucket.ts';
import { startService, type TestService } from '../service.ts';
import { ADMIN, call, PHOTO, upload } from '../spaces/asking.ts';
import { describeOnBoth, type Installation, type Node, newInstallation } from './nodes.ts';

const PATIENCE = { timeout: 30_000 };

describeOnBoth('of three nodes', () => {
  let installation: Installation;
  let nodes: Node[];
  beforeAll(async () => {
    installation = await newInstallation({ USAGE_FLUSH_MS: '1000' });
    nodes = await Promise.all([installation.start(), installation.start(), installation.start()]);
    expect((await call(first(), 'POST', '/spaces', { id: 'acme' })).status).toBe(200);
    expect((await upload(first(), '/b/acme', 'a.png')).status).toBe(200);
  });
  afterAll(() => installation.close());

  const first = () => nodes[0] as Node;
  const change = async (rules: object) => {
    expect((await call(first(), 'PATCH', '/spaces/acme', rules)).status).toBe(200);
  };
  /** Expects these statuses on all nodes, on those that did not change anything as soon as they have heard of it. */
  async function expectEverywhere(path: string, status: number, headers: Record<string, string> = {}): Promise<void> {
    expect((await ask(first().url, path, { headers })).status).toBe(status);
    const others = () => Promise.all(nodes.slice(1).map(async ({ url }) => (await ask(url, path, { headers })).status));
    await expect.poll(others, PATIENCE).toEqual([status, status]);
  }

  test('a new space is one of all nodes', async () => {
    await expectEverywhere('/b/acme/t/w_20/a.png', 200);
  });

  test('a changed rule applies on all nodes, also to responses that they repeat', async () => {
    for (let round = 0; round < 2; round++) await expectEverywhere('/b/acme/t/a.png', 200);
    await change({ originals: 'protected' });
    await expectEverywhere('/b/acme/t/a.png', 401);
    await expectEverywhere('/t/acme/a.png', 401);
    await change({ originals: null });
    await expectEverywhere('/b/acme/t/a.png', 200);
  });

  test('a disabled space is disabled on all nodes', async () => {
    await change({ enabled: false });
    await expectEverywhere('/b/acme/t/w_20/a.png', 403);
    await change({ enabled: true });
    await expectEverywhere('/b/acme/t/w_20/a.png', 200);
  });

  test('a host leads to its space on all nodes', async () => {
    await change({ hosts: ['media.acme.test'] });
    await expectEverywhere('/t/w_20/a.png', 200, { host: 'media.acme.test' });
    await change({ hosts: [] });
    await expectEverywhere('/t/w_20/a.png', 404, { host: 'media.acme.test' });
  });

  test('a role applies on all nodes at once, and so does its end', async () => {
    const invited = await call(first(), 'POST', '/b/acme/members/invitations', { role: 'viewer' });
    const token = String(invited.data.url).split('token=')[1];
    const account = { token, name: 'Eve', email: 'eve@example.com', password: 'a long enough password' };
    const accept = await call(nodes[1] as Node, 'POST', '/api/auth/invitation/accept', account, {});
    const cookie = String(accept.headers['set-cookie']?.[0]?.split(';')[0]);
    const userId = (accept.data.user as { id: string }).id;
    const statuses = (path: string) =>
      Promise.all(nodes.map(async ({ url }) => (await ask(url, path, { headers: { cookie } })).status));
    expect(await statuses('/b/acme/storage')).toEqual([200, 200, 200]);
    expect(await statuses('/b/acme/members')).toEqual([403, 403, 403]);
    expect((await call(first(), 'PATCH', `/b/acme/members/${userId}`, { role: 'admin' })).status).toBe(200);
    expect(await statuses('/b/acme/members')).toEqual([200, 200, 200]);
    expect((await call(first(), 'DELETE', `/b/acme/members/${userId}`)).status).toBe(200);
    expect(await statuses('/b/acme/storage')).toEqual([401, 401, 401]);
  });

  test('a quota applies on all nodes', async () => {
    await change({ quota: { bytes: PHOTO.length + 10 } });
    for (const [n, node] of nodes.entries())
      await expect
        .poll(async () => (await upload(node, '/b/acme', `more-${n}.png`)).code, PATIENCE)
        .toBe('quota_exceeded');
    await change({ quota: null });
  });

  test('the transfer of all nodes counts', async () => {
    const used = async (node: Node) =>
      ((await call(node, 'GET', '/b/acme/usage')).data.quota as { usedTransfer: number }).usedTransfer;
    const before = await used(first());
    const { body } = await ask(first().url, '/b/acme/t/w_21/a.png');
    await expect.poll(() => used(nodes[2] as Node), PATIENCE).toBeGreaterThanOrEqual(before + body.length);
    await change({ quota: { transferPerMonth: before + body.length } });
    await expectEverywhere('/b/acme/t/w_21/a.png', 429);
    await change({ quota: null });
  });

  test('no space is made while a node runs that does not know spaces', async () => {
    const older = new Client({ connectionString: installation.databaseUrl, application_name: 'darkroom session' });
    await older.connect();
    const refused = await call(first(), 'POST', '/spaces', { id: 'late' });
    expect([refused.status, refused.data.code]).toEqual([409, 'older_node_running']);
    expect(refused.data.message).toContain('Update all nodes first');
    await older.end();
    await expect.poll(async () => (await call(first(), 'POST', '/spaces', { id: 'late' })).status, PATIENCE).toBe(200);
  });
});

describeOnBoth('spaces without PostgreSQL', () => {
  const OPEN = ['/b/acme/t/w_20/a.png', '/t/w_20/acme/a.png'];
  const CLOSED = [
    '/b/acme/t/inner/a.png',
    '/b/acme/t/w_20/inner/a.png',
    '/t/w_20/acme/inner/a.png',
    '/b/closed/t/w_20/a.png',
    '/t/w_20/closed/a.png',
  ];

  let server: PostgresServer;
  let settings: BucketSettings;
  let bucket: Bucket;
  let environment: Record<string, string>;
  let nodes: TestService[];
  beforeAll(async () => {
    server = await PostgresServer.start();
    settings = await newBucket();
    bucket = createBucket(settings);
    environment = { ...environmentOf(settings), DATABASE_URL: server.url() };
    nodes = [await startService(environment), await startService(environment)];
    for (const space of [
      { id: 'acme', privateFolders: ['inner'] },
      { id: 'closed', delivery: 'signed' },
    ]) {
      expect((await call(first(), 'POST', '/spaces', space)).status).toBe(200);
      await upload(first(), `/b/${space.id}`, 'a.png');
    }
    await upload(first(), '/b/acme', 'a.png', { fields: { folder: 'inner' } });
    await vi.waitUntil(async () => (await statuses(nodes[1], CLOSED)).every((status) => status === 401), PATIENCE);
    await server.kill();
    await vi.waitUntil(() => nodes.every(({ services }) => !services.cluster.stats().isConnected), PATIENCE);
  });
  afterAll(async () => {
    for (const node of nodes) await node.close();
    bucket.close();
    await server.close();
  });

  const first = () => nodes[0] as TestService;
  const statuses = (node: TestService | undefined, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await ask(node?.url ?? '', path)).status));

  async function expectRules(node: TestService): Promise<void> {
    expect(await statuses(node, OPEN)).toEqual(OPEN.map(() => 200));
    expect(await statuses(node, CLOSED)).toEqual(CLOSED.map(() => 401));
  }

  test('open files are delivered and closed ones are not, by nodes that run', async () => {
    for (const node of nodes) await expectRules(node);
    expect((await ask(first().url, '/b/acme/storage', { headers: ADMIN })).status).toBe(503);
  });

  test('nor by one that starts', async () => {
    const late = await startService(environment);
    nodes.push(late);
    await expectRules(late);
    expect(await statuses(late, ['/b/nothing/t/a.png'])).toEqual([404]);
  });

  test('no secret is in the bucket', async () => {
    const command = new GetObjectCommand({ Bucket: bucket.name, Key: `${bucket.prefix}access.json` });
    const text = await (await bucket.request(command)).Body?.transformToString();
    const spaces = JSON.parse(text ?? '') as object[];
    expect(spaces.map((space) => Object.keys(space).toSorted())).toEqual(
      spaces.map(() => ['folder', 'hosts', 'id', 'isEnabled', 'name', 'rules']),
    );
  });

  describe('a change of a node that reaches PostgreSQL', () => {
    test('is found by the others in the bucket, until they reach it again', async () => {
      const changed = [
        { id: 'acme', name: 'Acme', folder: 'acme', isEnabled: false, hosts: [], rules: {} },
        { id: 'closed', name: 'Closed', folder: 'closed', isEnabled: true, hosts: [], rules: {} },
      ];
      const object = { Bucket: bucket.name, Key: `${bucket.prefix}access.json`, Body: JSON.stringify(changed) };
      await bucket.request(new PutObjectCommand(object));
      for (const node of nodes) {
        await expect
          .poll(() => statuses(node, ['/b/acme/t/w_20/a.png', '/b/closed/t/w_20/a.png']), PATIENCE)
          .toEqual([403, 200]);
      }
      await server.start();
      for (const node of nodes)
        await expect
          .poll(() => statuses(node, [...OPEN, ...CLOSED]), PATIENCE)
          .toEqual([...OPEN.map(() => 200), ...CLOSED.map(() => 401)]);
    });
  });
});
