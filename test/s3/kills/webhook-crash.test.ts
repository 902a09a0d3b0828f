import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { path } from '../../contracts/blob-store/steps.ts';
import { ask, fixture } from '../../http.ts';
import { type ServiceProcess, startServiceProcess } from '../../process/service-process.ts';
import { type PurgeTarget, startPurgeTarget } from '../../purge-target.ts';
import { describeOnS3, environmentOf, newBucket, newS3Store, type TestStore } from '../bucket.ts';
import { type S3Proxy, startProxy } from '../proxy.ts';

const API_KEY = 'k'.repeat(40);
const headers = { 'x-api-key': API_KEY, 'content-type': 'application/json' };

describeOnS3('a folder in a bucket', () => {
  let data: string;
  let receiver: PurgeTarget;
  let proxy: S3Proxy;
  let bucket: TestStore;
  let environment: Record<string, string>;
  const running: ServiceProcess[] = [];
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'darkroom-webhook-'));
    receiver = await startPurgeTarget();
    const settings = await newBucket();
    proxy = await startProxy(settings.endpoint ?? '');
    bucket = await newS3Store(settings);
    environment = {
      ...environmentOf({ ...settings, endpoint: proxy.endpoint }),
      DATA_DIR: data,
      API_KEY,
      RENDER_WORKERS: '1',
      CATALOG_DESCRIBE: 'false',
      OUTGOING_PRIVATE_NETWORKS: '127.0.0.1',
    };
  });
  const start = async () => {
    const service = await startServiceProcess(environment);
    running.push(service);
    return service;
  };
  afterAll(async () => {
    await Promise.all(running.map((service) => service.end('SIGKILL')));
    await Promise.all([receiver?.close(), proxy?.close(), bucket?.close()]);
    if (data) await rm(data, { recursive: true, force: true });
  });

  const told = () =>
    receiver.received
      .map(({ body }) => JSON.parse(body))
      .map(({ type, data: { from, path: to, etag } }) => [type, from, to, etag && 'etag'].filter(Boolean).join(' '))
      .sort();

  async function fill(service: ServiceProcess, folder: string): Promise<void> {
    const form = new FormData();
    form.append('folder', folder);
    for (const name of ['a.png', 'b.png', 'c.png'])
      form.append('files', new Blob([fixture('flag-alpha.png') as Uint8Array<ArrayBuffer>]), name);
    const sent = await fetch(`${service.url}/upload`, {
      method: 'POST',
      body: form,
      headers: { 'x-api-key': API_KEY },
    });
    expect(sent.status).toBe(200);
  }

  /** Ends the service when the store has removed this file, before the response arrives. */
  function killAtRemoval(service: ServiceProcess, file: string): void {
    const removeOne = async () => {
      await bucket.store.remove(path(file));
      service.child.kill('SIGKILL');
    };
    proxy.fault = (request) => {
      if (request !== 'DELETE-MANY') return undefined;
      void removeOne();
      return 'silence';
    };
  }

  /**
   * Deletes a folder of three files; the service ends after the first.
   * @returns the next service
   */
  async function deleteInPart(folder: string, query: string): Promise<ServiceProcess> {
    const first = await start();
    await fill(first, folder);
    await expect.poll(() => told().filter((one) => one.includes(`${folder}/`)).length).toBe(3);
    receiver.received.length = 0;
    killAtRemoval(first, `${folder}/b.png`);
    const remove = ask(first.url, `/storage/${folder}?${query}`, { method: 'DELETE', headers });
    await Promise.all([remove.catch(() => undefined), first.exited]);
    proxy.fault = undefined;
    return start();
  }

  test('that was moved in part when the service was killed is told of file by file: what has moved, and what was copied', async () => {
    const first = await start();
    await fill(first, 'tour');
    const hook = JSON.stringify({ url: receiver.url, events: ['file.stored', 'file.moved', 'file.deleted'] });
    expect((await ask(first.url, '/webhooks', { method: 'POST', headers, body: hook })).status).toBe(200);

    // All were copied, and the store has removed one of the old ones when the service ends.
    killAtRemoval(first, 'tour/b.png');
    const rename = { method: 'PATCH', headers, body: JSON.stringify({ name: 'trip' }) };
    await Promise.all([ask(first.url, '/storage/tour', rename).catch(() => undefined), first.exited]);
    proxy.fault = undefined;
    proxy.requests.length = 0;

    const second = await start();
    const expected = [
      'file.moved tour/b.png trip/b.png etag',
      'file.stored trip/a.png etag',
      'file.stored trip/c.png etag',
    ];
    await expect.poll(told).toEqual(expected);
    // An earlier full comparison would treat the copies as external files, and the missing ones as removed.
    const looks = proxy.requests.filter((request) =>
      ['HEAD originals/tour/b.png', 'LIST originals/'].includes(request),
    );
    expect(looks[0]).toBe('HEAD originals/tour/b.png');
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(told()).toEqual(expected);
  });

  test('that was removed in part when the service was killed is told of file by file, and what is left stays', async () => {
    const second = await deleteInPart('old', 'recursive=true');
    await expect.poll(told).toEqual(['file.deleted old/b.png']);
    const listed = await ask(second.url, '/storage?path=old', { headers });
    expect(JSON.parse(listed.body.toString()).files.map(({ name }: { name: string }) => name)).toEqual([
      'a.png',
      'c.png',
    ]);
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(told()).toEqual(['file.deleted old/b.png']);
  });

  test('that went into the trash in part when the service was killed is told of file by file', async () => {
    const second = await deleteInPart('worn', 'trash=true&recursive=true');
    await expect.poll(told).toEqual(['file.deleted worn/b.png']);
    expect(JSON.parse(receiver.received[0]?.body ?? '').data).toMatchObject({ trash: true });
    const kept = await ask(second.url, '/trash', { headers });
    expect(JSON.parse(kept.body.toString()).items).toMatchObject([{ path: 'worn', kind: 'folder' }]);
    expect(await second.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(told()).toEqual(['file.deleted worn/b.png']);
  });
});
