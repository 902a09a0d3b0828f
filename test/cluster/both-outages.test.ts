import { afterEach, beforeEach, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { PostgresServer } from '../postgres/server.ts';
import { environmentOf, newBucket } from '../s3/bucket.ts';
import { type Fault, type S3Proxy, startProxy } from '../s3/proxy.ts';
import { startService, type TestService } from '../service.ts';
import { describeOnBoth } from './nodes.ts';

const PHOTO = fixture('portrait-face.jpg');
const VARIANT = '/t/w_50,f_png/photo.jpg';

let server: PostgresServer;
let proxy: S3Proxy;
let nodes: TestService[];

beforeEach(async () => {
  server = await PostgresServer.start();
  const settings = await newBucket({ timeoutMs: 5000 });
  proxy = await startProxy(settings.endpoint ?? '');
  // Every request reads the version of its original.
  const environment = {
    ...environmentOf({ ...settings, endpoint: proxy.endpoint }),
    DATABASE_URL: server.url(),
    ORIGINAL_CHECK_INTERVAL_MS: '0',
  };
  nodes = [await startService(environment), await startService(environment)];
});
afterEach(async () => {
  fail(undefined);
  for (const node of nodes) await node.close();
  await proxy.close();
  await server.close();
});

function fail(fault: Fault | 'refused' | undefined): void {
  proxy.setDown(fault === 'refused');
  proxy.fault = fault === undefined || fault === 'refused' ? undefined : () => fault;
}

const statuses = () => Promise.all(nodes.map(async ({ url }) => (await ask(url, VARIANT)).status));
const areConnected = () => nodes.map(({ services }) => services.cluster.stats().isConnected);

async function storeAndServe(): Promise<void> {
  expect((await nodes[0]?.upload({ 'photo.jpg': PHOTO }))?.status).toBe(200);
  expect(await statuses()).toEqual([200, 200]);
  for (const { services } of nodes) await services.variants.settled();
}

describeOnBoth('nodes that lose PostgreSQL, and then the bucket', () => {
  test.each<Fault | 'refused'>(['refused', 'silence', { status: 500, code: 'InternalError' }])(
    'serve the variants that they have served before: %j',
    async (fault) => {
      await storeAndServe();
      await server.kill();
      await expect.poll(areConnected).toEqual([false, false]);
      expect(await statuses()).toEqual([200, 200]);
      fail(fault);
      expect(await statuses()).toEqual([200, 200]);
      expect(await statuses()).toEqual([200, 200]);
    },
  );

  test.each<Fault | 'refused'>(['refused', 'silence', { status: 500, code: 'InternalError' }])(
    'serve them also when PostgreSQL has come back meanwhile: %j',
    async (fault) => {
      await storeAndServe();
      await server.kill();
      await expect.poll(areConnected).toEqual([false, false]);
      expect(await statuses()).toEqual([200, 200]);
      await server.start();
      await expect.poll(areConnected).toEqual([true, true]);
      fail(fault);
      expect(await statuses()).toEqual([200, 200]);
      expect(await statuses()).toEqual([200, 200]);
    },
  );

  test('serve what they have served after a change, though the message about the change comes later', async () => {
    const [one, two] = nodes as [TestService, TestService];
    await storeAndServe();
    const path = parsePath('photo.jpg');
    const { etag } = (await one.services.originals.stat(path)) ?? {};
    await server.kill();
    await expect.poll(areConnected).toEqual([false, false]);
    const heard = Promise.withResolvers<void>();
    two.services.cluster.bus.subscribe(({ kind }) => kind === 'original' && heard.resolve());
    await server.start();
    await expect.poll(areConnected).toEqual([true, true]);
    // The message of the upload, which the first node could not send before it reconnected, later than that of the
    // second.
    await one.services.cluster.bus.publish({ kind: 'original', path, isFolder: false, etag });
    await heard.promise;
    fail('refused');
    expect(await statuses()).toEqual([200, 200]);
  });

  test('serve nothing of a change that they have not seen', async () => {
    const [one, two] = nodes as [TestService, TestService];
    await storeAndServe();
    const heard = Promise.withResolvers<void>();
    two.services.cluster.bus.subscribe(({ kind }) => kind === 'original' && heard.resolve());
    const changed = await one.authorized('/storage/photo.jpg', { method: 'PUT', body: fixture('orientation-1.jpg') });
    expect(changed.status).toBe(200);
    await heard.promise;
    fail('refused');
    expect((await ask(two.url, VARIANT)).status).toBe(503);
  });
});
