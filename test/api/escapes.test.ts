import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LibraryService, startLibrary } from '../library.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: 'test-secret-at-least-16-chars-long' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('a.png', 'trips/rome/b.png', 'trips/c.png');
});

describe('a path that would escape changes nothing and is 4xx', () => {
  const paths = [
    '..',
    '../outside.png',
    'trips/../../outside.png',
    '%2e%2e',
    '%2e%2e%2foutside.png',
    '%2e%2e/outside.png',
    '..%5coutside.png',
    'trips%2fc.png',
    'trips%5cc.png',
    'a%00.png',
    './a.png',
    'link/secret.png',
    'secret-link.png',
    '%ff.png',
    '%ZZ.png',
    `${'x'.repeat(256)}.png`,
    `${'é'.repeat(130)}.png`,
    `${'d/'.repeat(600)}x.png`,
  ];

  beforeEach(async () => {
    await mkdir(join(service.data, 'outside'), { recursive: true });
    await writeFile(join(service.data, 'outside/secret.png'), 'secret');
    await writeFile(join(service.data, 'outside.png'), 'secret');
    const link = (target: string, name: string) =>
      symlink(join(service.data, target), join(service.originals, name)).catch(() => undefined);
    await link('outside', 'link');
    await link('outside/secret.png', 'secret-link.png');
  });

  const requests: [string, (path: string) => string, unknown][] = [
    ['GET', (path) => `/storage/${path}/metadata`, undefined],
    ['PATCH', (path) => `/storage/${path}`, { name: 'new.png' }],
    ['POST', (path) => `/storage/${path}/move`, { destination: 'new' }],
    ['POST', (path) => `/storage/${path}/copy`, { destination: 'new' }],
    ['DELETE', (path) => `/storage/${path}`, undefined],
    ['DELETE', (path) => `/storage/${path}?recursive=true`, undefined],
    ['GET', (path) => `/download/${path}`, undefined],
    ['GET', (path) => `/download-folder/${path}`, undefined],
    ['GET', (path) => `/t/${path}`, undefined],
  ];

  test.each(requests)('%s %s', async (method, url, body) => {
    for (const path of paths) {
      const answer = await service.call(method, url(path), body);
      expect([400, 404], `${method} ${url(path)}`).toContain(answer.status);
      expect(answer.body.toString()).not.toMatch(/secret"|originals|darkroom-test/);
    }
    expect(await service.files()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
  });

  const texts = ['..', '../new', 'a/../../new', 'back\\slash', 'nul\u0000', './x', 'x'.repeat(256), 'd/'.repeat(600)];
  const bodies: [string, string, (text: string) => unknown][] = [
    ['PATCH', '/storage/a.png', (name) => ({ name })],
    ['POST', '/storage/a.png/move', (destination) => ({ destination })],
    ['POST', '/storage/a.png/copy', (destination) => ({ destination })],
    ['POST', '/upload/sign', (folder) => ({ folder })],
    ['POST', '/download-zip', (path) => ({ paths: [path] })],
    ['POST', '/download-zip', (path) => ({ items: [{ path, kind: 'folder' }] })],
  ];

  test.each(bodies)('%s %s in the body', async (method, url, body) => {
    for (const text of texts) {
      const answer = await service.call(method, url, body(text));
      expect([answer.status, answer.json()], `${url} ${text.slice(0, 20)}`).toEqual([400, expect.anything()]);
    }
    expect(await service.files()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
  });

  test('in queries', async () => {
    for (const text of texts.map(encodeURIComponent)) {
      expect((await service.call('GET', `/storage?path=${text}`)).status).toBe(400);
      expect((await service.call('GET', `/storage/folder-summaries?paths=${text}`)).status).toBe(400);
    }
  });

  test('a name with separators is no name', async () => {
    for (const name of ['a/b.png', '/a.png', 'a\\b.png', '..', '.']) {
      expect((await service.call('PATCH', '/storage/a.png', { name })).status).toBe(400);
    }
  });

  test('a destination behind a link to the outside is refused', async () => {
    for (const action of ['move', 'copy']) {
      const answer = await service.call('POST', `/storage/a.png/${action}`, { destination: 'link' });
      expect(answer.status).toBe(400);
    }
    expect(await service.files()).toHaveLength(3);
  });
});
