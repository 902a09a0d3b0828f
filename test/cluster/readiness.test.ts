import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { describeOnPostgres } from '../postgres/database.ts';
import { PostgresServer } from '../postgres/server.ts';
import { describeOnS3, environmentOf, newBucket } from '../s3/bucket.ts';
import { type S3Proxy, startProxy } from '../s3/proxy.ts';
import { startService, type TestService } from '../service.ts';

const PHOTO = fixture('portrait-face.jpg');

let server: PostgresServer;
let proxy: S3Proxy;
let service: TestService;

async function readiness() {
  const { status, body } = await ask(service.url, '/readyz');
  return { status, ...JSON.parse(body.toString()).checks };
}
const get = async (path: string) => (await ask(service.url, path)).status;

describeOnPostgres('a node whose PostgreSQL or bucket is down', () => {
  describeOnS3('is not taken out of the balancer', () => {
    beforeAll(async () => {
      server = await PostgresServer.start();
      const settings = await newBucket({ timeoutMs: 5000 });
      proxy = await startProxy(settings.endpoint ?? '');
      const storage = environmentOf({ ...settings, endpoint: proxy.endpoint });
      service = await startService({ ...storage, DATABASE_URL: server.url() });
      expect((await service.upload({ 'photo.jpg': PHOTO })).status).toBe(200);
      expect(await get('/t/w_50,f_png/photo.jpg')).toBe(200);
    });
    afterAll(async () => {
      await service.close();
      await proxy.close();
      await server.close();
    });

    test('/readyz says yes, and beside it what fails; pictures are served, cold ones too', async () => {
      const ready = { status: 200, render: 'ok' };
      await expect.poll(readiness).toEqual({ ...ready, database: 'ok', storage: 'ok' });
      await server.kill();
      await expect.poll(readiness).toEqual({ ...ready, database: expect.not.stringMatching('ok'), storage: 'ok' });
      expect([await get('/t/w_50,f_png/photo.jpg'), await get('/t/w_51,f_png/photo.jpg')]).toEqual([200, 200]);
      proxy.setDown(true);
      await expect
        .poll(readiness)
        .toEqual({ ...ready, database: expect.not.stringMatching('ok'), storage: expect.not.stringMatching('ok') });
      expect([await get('/t/w_50,f_png/photo.jpg'), await get('/t/w_52,f_png/photo.jpg')]).toEqual([200, 200]);
      proxy.setDown(false);
      await server.start();
      await expect.poll(readiness).toEqual({ ...ready, database: 'ok', storage: 'ok' });
      expect(await get('/t/w_53,f_png/photo.jpg')).toBe(200);
    });
  });
});
