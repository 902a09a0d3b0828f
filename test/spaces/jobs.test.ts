import { afterAll, beforeAll, expect, test } from 'vitest';
import { TRUSTED } from '../../src/client.ts';
import type { StoragePath } from '../../src/path.ts';
import { startService, type TestService } from '../service.ts';
import { call } from './asking.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ PUBLIC_URL: 'https://media.example.com' });
  await call(service, 'POST', '/spaces', { id: 'acme', folder: 'customers/acme' });
});
afterAll(() => service.close());

/** Adds a job as a request for a transcode does. */
async function addJob(space: string, path: string, transformation: string): Promise<string> {
  const { job } = await service.services.queue.enqueue({
    path: path as StoragePath,
    variantKey: `${space} ${path} ${transformation}`,
    transformation,
    version: 'e',
    priority: 2,
    client: TRUSTED,
    space,
  });
  return job.id;
}

const read = async (id: string, prefix = '') => (await call(service, 'GET', `${prefix}/queue/jobs/${id}`)).data;

test('has a URL of its space with layers, in the library too', async () => {
  const id = await addJob('acme', 'customers/acme/film.mp4', 'w_320~l_logo.png');
  const url = 'https://media.example.com/b/acme/t/w_320~l_logo.png/film.mp4';
  expect(await read(id, '/b/acme')).toMatchObject({ filePath: 'film.mp4', url });
  expect(await read(id)).toMatchObject({ filePath: 'customers/acme/film.mp4', url });
  const { data } = await call(service, 'GET', '/queue/jobs');
  expect((data.jobs as object[])[0]).toMatchObject({ url });
});

test('a job of the library has a URL of the library', async () => {
  const id = await addJob('', 'customers/acme/film.mp4', 'w_320');
  expect(await read(id)).toMatchObject({ url: 'https://media.example.com/t/w_320/customers/acme/film.mp4' });
});

test('ends when its space is deleted, with the reason', async () => {
  await call(service, 'POST', '/spaces', { id: 'globex' });
  const id = await addJob('globex', 'globex/film.mp4', 'w_320');
  const other = await addJob('acme', 'customers/acme/other.mp4', 'w_320');
  expect((await call(service, 'DELETE', '/spaces/globex')).status).toBe(200);
  expect(await read(id)).toMatchObject({
    status: 'error',
    error: 'The space "globex" was deleted.',
    url: 'https://media.example.com/t/w_320/globex/film.mp4',
  });
  expect(await read(other)).toMatchObject({ status: 'pending' });
});
