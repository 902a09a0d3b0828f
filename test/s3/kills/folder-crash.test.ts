import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify } from '../../fuzz/killed/verdict.ts';
import { trashItems } from '../../fuzz/killed/visitor.ts';
import { ask, fixture } from '../../http.ts';
import { type ServiceProcess, startServiceProcess } from '../../process/service-process.ts';
import { TEST_KEY } from '../../service.ts';
import { describeOnS3, environmentOf, newBucket } from '../bucket.ts';
import { type S3Proxy, startProxy } from '../proxy.ts';

const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };

type Act = (service: ServiceProcess) => Promise<unknown>;

describeOnS3('a folder in a bucket that was created when the service was killed', () => {
  let data: string;
  let proxy: S3Proxy;
  /** Reaches the bucket through the proxy. */
  let environment: Record<string, string>;
  let direct: Record<string, string>;
  const running: ServiceProcess[] = [];
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'darkroom-folder-'));
    const settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    // Without a full comparison: recovery alone has to find it.
    const common = { DATA_DIR: data, API_KEY: TEST_KEY, CATALOG_DESCRIBE: 'false', CATALOG_SCAN_INTERVAL_MIN: '0' };
    environment = { ...environmentOf({ ...settings, endpoint: proxy.endpoint }), ...common };
    direct = { ...environmentOf(settings), ...common };
    const service = await start();
    for (const folder of ['old', 'new-4']) for (const name of ['a.png', 'b.png']) await upload(folder, name)(service);
    await call('DELETE', '/storage/new-4/a.png?trash=true')(service);
    await call('DELETE', '/storage/new-4?recursive=true')(service);
    await service.end('SIGTERM');
  });
  afterAll(async () => {
    await Promise.all(running.map((service) => service.end('SIGKILL')));
    await proxy?.close();
    if (data) await rm(data, { recursive: true, force: true });
  });

  async function start(): Promise<ServiceProcess> {
    const service = await startServiceProcess(environment);
    running.push(service);
    return service;
  }

  const call =
    (method: string, path: string, body?: object): Act =>
    ({ url }) =>
      ask(url, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });

  const upload =
    (folder: string, name: string): Act =>
    async ({ url }) => {
      const form = new FormData();
      form.append('folder', folder);
      form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), name);
      const sent = await fetch(`${url}/upload`, { method: 'POST', body: form, headers: { 'x-api-key': TEST_KEY } });
      expect(sent.status).toBe(200);
    };

  const restore: Act = async (service) => {
    const [item] = await trashItems(service.url);
    return call('POST', `/trash/${item?.id}/restore`)(service);
  };

  /** Ends the service at the first request that would store this, after everything before it. */
  function killAt(service: ServiceProcess, key: string): void {
    proxy.fault = (request) => {
      if (request !== `PUT originals/${key}`) return undefined;
      service.child.kill('SIGKILL');
      return 'silence';
    };
  }

  const ACTS: Record<string, { act: Act; at: string; folder: string }> = {
    'for an upload': { act: upload('new-1', 'a.png'), at: 'new-1/a.png', folder: 'new-1' },
    'for a copy': {
      act: call('POST', '/storage/old/a.png/copy', { destination: 'new-2' }),
      at: 'new-2/a.png',
      folder: 'new-2',
    },
    'for a move': {
      act: call('POST', '/storage/old/a.png/move', { destination: 'new-3' }),
      at: 'new-3/a.png',
      folder: 'new-3',
    },
    'for a restoration': { act: restore, at: 'new-4/a.png', folder: 'new-4' },
    'for a folder that is moved': {
      act: call('POST', '/storage/old/move', { destination: 'new-5' }),
      at: 'new-5/old/a.png',
      folder: 'new-5',
    },
  };

  test.each(Object.entries(ACTS))('%s is catalogued', async (_what, { act, at, folder }) => {
    const first = await start();
    killAt(first, at);
    await Promise.all([act(first).catch(() => undefined), first.exited]);
    proxy.fault = undefined;
    const second = await start();
    const paths = async () => {
      const { folders } = JSON.parse((await ask(second.url, '/storage', { headers })).body.toString());
      return folders.map(({ path }: { path: string }) => path);
    };
    await expect.poll(paths, { timeout: 20_000 }).toContain(folder);
    expect(await verify(direct)).toEqual([]);
    await second.end('SIGTERM');
  });
});
