import { expect, test } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import type { StoragePath } from '../../src/path.ts';
import { ask } from '../http.ts';
import { startPlace } from '../old-place.ts';
import { startService } from '../service.ts';
import { call } from './asking.ts';

test('an error of a previous host names the path in the space, and that of the library there', async () => {
  const old = await startPlace();
  old.answers['/logo.png'] = (_, response) => response.writeHead(500).end();
  const service = await startService({ ORIGINS: `customers/acme=${old.url}` });
  await call(service, 'POST', '/spaces', { id: 'acme', folder: 'customers/acme', hosts: ['media.acme.test'] });
  const errorAt = async (url: string, headers: Record<string, string> = {}) => {
    const answer = await ask(service.url, url, { headers });
    expect([answer.status, answer.json().code]).toEqual([503, 'origin_unavailable']);
    expect(answer.headers['retry-after']).toBe('5');
    return answer.json().message as string;
  };
  // The error of one request is that of those who wait for the same file.
  const messages = await Promise.all([
    errorAt('/b/acme/t/w_20/logo.png'),
    errorAt('/t/w_20/logo.png', { host: 'media.acme.test' }),
    errorAt('/t/w_20/customers/acme/logo.png'),
    errorAt('/b/acme/t/w_20/logo.png'),
  ]);
  const inner = '"logo.png" cannot be fetched from where it was at the moment.';
  expect(messages).toEqual([inner, inner, inner.replace('logo', 'customers/acme/logo'), inner]);
  expect(await errorAt('/b/acme/t/w_20/logo.png')).toBe(inner);
  await service.close();
  old.close();
});

test('the number of jobs that run is that of the space', async () => {
  const service = await startService();
  const { queue, database } = service.services;
  for (const [space, name] of [
    ['acme', 'a.mp4'],
    ['globex', 'b.mp4'],
    ['globex', 'c.mp4'],
  ] as const) {
    await call(service, 'POST', '/spaces', { id: space });
    const path = `${space}/${name}` as StoragePath;
    const job = { path, variantKey: name, transformation: 'w_20', version: 'e', priority: 2, space };
    await queue.enqueue({ ...job, client: TRUSTED });
  }
  await database.db.updateTable('job').set({ status: 'running' }).execute();
  const runningIn = async (space: string) =>
    (await call(service, 'GET', `/b/${space}/queue/worker/stats`)).data.processingCount;
  expect([await runningIn('acme'), await runningIn('globex')]).toEqual([1, 2]);
  await service.close();
});
