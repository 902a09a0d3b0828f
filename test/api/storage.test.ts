import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type LibraryService, picture, problem, startLibrary } from '../library.ts';

let service: LibraryService;
const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const size = (path: string) => picture(path).length;

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: 'test-secret-at-least-16-chars-long' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('a.png', 'trips/rome/b.png', 'trips/c.png');
});

async function expectAnswer(method: string, path: string, body: unknown, status: number, answer: unknown) {
  const response = await service.call(method, path, body);
  expect({ status: response.status, body: response.json() }).toEqual({ status, body: answer });
}

const unauthorized = { error: 'Unauthorized', message: expect.any(String) };

describe('every endpoint needs a key with its permission', () => {
  test.each<[string, string, string]>([
    ['GET', '/storage', 'read'],
    ['GET', '/storage/folders', 'read'],
    ['GET', '/storage/folder-summaries', 'read'],
    ['GET', '/storage/stats', 'read'],
    ['GET', '/storage/a.png/metadata', 'read'],
    ['POST', '/download-zip', 'read'],
    ['POST', '/upload/sign', 'upload'],
    ['POST', '/upload/createfolder', 'upload'],
    ['POST', '/storage/stats/recalculate', 'manage'],
    ['POST', '/storage/cache/clear', 'manage'],
    ['PATCH', '/storage/a.png', 'manage'],
    ['DELETE', '/storage/a.png', 'manage'],
    ['POST', '/storage/a.png/move', 'manage'],
    ['POST', '/storage/a.png/copy', 'manage'],
    ['DELETE', '/invalidate/a.png', 'manage'],
  ])('%s %s: 401 without, 403 with a key that lacks "%s"', async (method, path, permission) => {
    const nobody = await ask(service.url, path, { method });
    expect([nobody.status, nobody.json(), nobody.headers['www-authenticate']]).toEqual([401, unauthorized, 'Bearer']);
    const permissions = (['read', 'upload', 'manage', 'admin'] as const).filter((one) => one !== permission);
    const { key } = await service.services.keyring.create({ permissions });
    const refused = await ask(service.url, path, { method, headers: { 'x-api-key': key } });
    expect([refused.status, refused.json()]).toEqual([
      403,
      { error: 'Forbidden', message: expect.stringContaining(`"${permission}"`) },
    ]);
    expect(await service.files()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
  });
});

describe('GET /storage/{path}/metadata', () => {
  test('describes a file', () =>
    expectAnswer('GET', '/storage/trips/rome/b.png/metadata', undefined, 200, {
      size: size('trips/rome/b.png'),
      createdAt: isoTime,
      updatedAt: isoTime,
    }));

  test.each<[string, number, string]>([
    ['/storage/trips/metadata', 400, 'Bad request'],
    ['/storage/metadata', 400, 'Bad request'],
    ['/storage/none.png/metadata', 404, 'Not found'],
    ['/storage/a.png/b.png/metadata', 404, 'Not found'],
    ['/storage/a.png', 404, 'Unknown endpoint'],
  ])('%s is %i', (path, status, error) => expectAnswer('GET', path, undefined, status, problem(error)));
});

describe('PATCH /storage/{path}', () => {
  test('renames a file, and its variants and old name are gone', async () => {
    const before = await service.call('GET', '/t/w_10,f_png/a.png');
    await expectAnswer('PATCH', '/storage/a.png', { name: 'd, "é".png' }, 200, { success: true, path: 'd, "é".png' });
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).status).toBe(404);
    const after = await service.call('GET', `/t/w_10,f_png/${encodeURIComponent('d, "é".png')}`);
    expect([after.status, after.headers['x-cache']]).toEqual([200, 'miss']);
    expect(after.body.equals(before.body)).toBe(true);
  });

  test('renames a folder with all that is in it', async () => {
    await expectAnswer('PATCH', '/storage/trips', { name: 'my travels' }, 200, { success: true, path: 'my travels' });
    expect(await service.files()).toEqual(['a.png', 'my travels/c.png', 'my travels/rome/b.png']);
  });

  test('to the name it has changes nothing', () =>
    expectAnswer('PATCH', '/storage/trips/c.png', { name: 'c.png' }, 200, { success: true, path: 'trips/c.png' }));

  test.each<[string, unknown, number, string]>([
    ['/storage/a.png', undefined, 400, 'Bad request'],
    ['/storage/a.png', {}, 400, 'Bad request'],
    ['/storage/a.png', { name: 5 }, 400, 'Bad request'],
    ['/storage/a.png', { name: '' }, 400, 'Bad request'],
    ['/storage/', { name: 'x' }, 400, 'Bad request'],
    ['/storage/none.png', { name: 'x.png' }, 404, 'Not found'],
    ['/storage/a.png', { name: 'trips' }, 409, 'Conflict'],
    ['/storage/trips', { name: 'a.png' }, 409, 'Conflict'],
  ])('%s with %j is %i', (path, body, status, error) => expectAnswer('PATCH', path, body, status, problem(error)));

  test('onto a name that is taken is 409, and nothing is overwritten', async () => {
    await service.store('z.png');
    await expectAnswer('PATCH', '/storage/a.png', { name: 'z.png' }, 409, problem('Conflict'));
    expect((await service.call('GET', '/t/z.png')).body.equals(picture('z.png'))).toBe(true);
  });

  test('of two that race for one name one wins and no file is lost', async () => {
    await service.store('z.png');
    const answers = await Promise.all(
      ['a.png', 'z.png'].map((path) => service.call('PATCH', `/storage/${path}`, { name: 'won.png' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await service.files()).toHaveLength(4);
  });
});

describe('POST /storage/{path}/move', () => {
  test.each<[string, unknown, string]>([
    ['/storage/a.png/move', { destination: 'trips' }, 'trips/a.png'],
    ['/storage/a.png/move', { destination: '/new//nested/' }, 'new/nested/a.png'],
    ['/storage/trips/c.png/move', {}, 'c.png'],
    ['/storage/trips/c.png/move', { destination: '' }, 'c.png'],
    ['/storage/trips/c.png/move', undefined, 'c.png'],
    ['/storage/trips/rome/move', { destination: '' }, 'rome'],
    ['/storage/trips/rome/move', { destination: 'other' }, 'other/rome'],
  ])('%s to %j gives %s', async (path, body, to) => {
    await expectAnswer('POST', path, body, 200, { success: true, path: to });
    expect(await service.files()).toHaveLength(3);
    expect((await service.files()).some((file) => file === to || file.startsWith(`${to}/`))).toBe(true);
  });

  test('a clash gets a number: before the extension of a file, after the name of a folder', async () => {
    await service.store('trips/a.png', 'v1.0/x.png', 'trips/v1.0/y.png');
    await expectAnswer('POST', '/storage/a.png/move', { destination: 'trips' }, 200, {
      success: true,
      path: 'trips/a (1).png',
    });
    await expectAnswer('POST', '/storage/v1.0/move', { destination: 'trips' }, 200, {
      success: true,
      path: 'trips/v1.0 (1)',
    });
  });

  test.each<[string, unknown, number, string]>([
    ['/storage/a.png/move', {}, 400, 'Bad request'],
    ['/storage/trips/c.png/move', { destination: 'trips' }, 400, 'Bad request'],
    ['/storage/trips/move', { destination: 'trips' }, 400, 'Bad request'],
    ['/storage/trips/move', { destination: 'trips/rome' }, 400, 'Bad request'],
    ['/storage/trips/move', { destination: 'a.png' }, 400, 'Bad request'],
    ['/storage/trips/c.png/move', { destination: 'a.png/deep' }, 400, 'Bad request'],
    ['/storage/a.png/move', { destination: 7 }, 400, 'Bad request'],
    ['/storage/move', { destination: 'trips' }, 400, 'Bad request'],
    ['/storage/none.png/move', { destination: 'trips' }, 404, 'Not found'],
    ['/storage/a.png/transmogrify', {}, 404, 'Unknown endpoint'],
  ])('%s to %j is %i', async (path, body, status, error) => {
    await expectAnswer('POST', path, body, status, problem(error));
    expect(await service.files()).toEqual(['a.png', 'trips/c.png', 'trips/rome/b.png']);
  });
});

describe('POST /storage/{path}/copy', () => {
  test('names copies by the field: a free name is kept, then "copy", then numbers', async () => {
    for (const path of ['a copy.png', 'a copy (1).png', 'a copy (2).png']) {
      await expectAnswer('POST', '/storage/a.png/copy', undefined, 200, { success: true, path });
    }
    for (const path of ['trips/a.png', 'trips/a copy.png']) {
      await expectAnswer('POST', '/storage/a.png/copy', { destination: 'trips' }, 200, { success: true, path });
    }
    await expectAnswer('POST', '/storage/trips/c.png/copy', { destination: '' }, 200, {
      success: true,
      path: 'trips/c copy.png',
    });
    await expectAnswer('POST', '/storage/trips/c.png/copy', { destination: '/' }, 200, {
      success: true,
      path: 'c.png',
    });
    expect((await service.call('GET', '/t/trips/a.png')).body.equals(picture('a.png'))).toBe(true);
  });

  test.each<[string, unknown, number, string]>([
    ['/storage/trips/copy', {}, 404, 'Not found'],
    ['/storage/none.png/copy', {}, 404, 'Not found'],
    ['/storage/copy', {}, 400, 'Bad request'],
    ['/storage/trips/c.png/copy', { destination: 'a.png' }, 400, 'Bad request'],
  ])('%s to %j is %i', (path, body, status, error) => expectAnswer('POST', path, body, status, problem(error)));
});

describe('DELETE /storage/{path}', () => {
  const details = { jobsDeleted: 0, localCacheFilesDeleted: 0, cloudCacheFilesDeleted: 0, errors: [] };

  test("removes a file with its variants, and nobody else's", async () => {
    for (const url of ['/t/w_10,f_png/a.png', '/t/w_20,f_png/a.png', '/t/w_10,f_png/trips/c.png'])
      await service.call('GET', url);
    await expectAnswer('DELETE', '/storage/a.png', undefined, 200, {
      success: true,
      message: expect.any(String),
      details: { ...details, localCacheFilesDeleted: 2 },
    });
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).status).toBe(404);
    expect((await service.call('GET', '/t/w_10,f_png/trips/c.png')).headers['x-cache']).toBe('hit');
    await expectAnswer('DELETE', '/storage/a.png', undefined, 404, problem('Not found'));
  });

  test('removes the jobs of a file', async () => {
    const { originals, queue } = service.services;
    const path = 'a.png' as never;
    await queue.enqueue({ path, variantKey: 'k', transformation: 'w_1', version: 'v', priority: 2 });
    const answer = await service.call('DELETE', '/storage/a.png');
    expect(answer.json()).toMatchObject({ details: { ...details, jobsDeleted: 1 } });
    expect(await originals.stat(path)).toBeUndefined();
  });

  test('of a folder needs recursive=true', async () => {
    for (const query of ['', '?recursive=false']) {
      await expectAnswer('DELETE', `/storage/trips${query}`, undefined, 400, problem('Bad request'));
    }
    await expectAnswer('DELETE', '/storage/trips?recursive=maybe', undefined, 400, problem('Bad request'));
    await service.call('GET', '/t/w_10,f_png/trips/rome/b.png');
    await expectAnswer('DELETE', '/storage/trips?recursive=true', undefined, 200, {
      success: true,
      message: expect.any(String),
      details: { ...details, localCacheFilesDeleted: 1 },
    });
    expect(await service.files()).toEqual(['a.png']);
    await expectAnswer('DELETE', '/storage/trips?recursive=true', undefined, 404, problem('Not found'));
  });

  test('never removes the root', async () => {
    for (const path of ['/storage/', '/storage/?recursive=true', '/storage//?recursive=true']) {
      await expectAnswer('DELETE', path, undefined, 400, problem('Bad request'));
    }
    expect(await service.files()).toHaveLength(3);
  });

  test('and a new file of the same name shows nothing of the old', async () => {
    await service.call('GET', '/t/w_10,f_png/a.png');
    await service.call('DELETE', '/storage/a.png');
    await service.store('a.png');
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });
});

describe('DELETE /invalidate/{path}', () => {
  const answer = (localCacheFilesDeleted: number) => ({
    success: true,
    message: expect.any(String),
    details: { localCacheFilesDeleted, cloudCacheFilesDeleted: 0 },
  });

  test('clears the variants and keeps the original', async () => {
    for (const url of ['/t/w_10,f_png/a.png', '/t/w_10,f_webp/a.png']) await service.call('GET', url);
    await expectAnswer('DELETE', '/invalidate/a.png', undefined, 200, answer(2));
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });

  test('of a folder clears those of all files in it', async () => {
    for (const path of ['a.png', 'trips/c.png', 'trips/rome/b.png']) await service.call('GET', `/t/w_10,f_png/${path}`);
    await expectAnswer('DELETE', '/invalidate/trips', undefined, 200, answer(2));
  });

  test('of a file that does not exist is 200 with zero counts; without a path 400', async () => {
    await expectAnswer('DELETE', '/invalidate/none.png', undefined, 200, answer(0));
    for (const path of ['/invalidate', '/invalidate/', '/invalidate//']) {
      await expectAnswer('DELETE', path, undefined, 400, problem('Bad request'));
    }
  });

  test('POST /storage/cache/clear clears every variant', async () => {
    await service.call('POST', '/storage/cache/clear');
    for (const path of ['a.png', 'trips/c.png']) await service.call('GET', `/t/w_10,f_png/${path}`);
    await expectAnswer('POST', '/storage/cache/clear', undefined, 200, answer(2));
    expect((await service.call('GET', '/t/w_10,f_png/a.png')).headers['x-cache']).toBe('miss');
  });
});

describe('names that are also words of the endpoints', () => {
  test('folders with such names can be renamed, moved and deleted', async () => {
    const names = ['stats', 'folders', 'folder-summaries', 'move', 'copy', 'metadata'];
    for (const name of names) {
      await service.store(`${name}/x.png`);
      await expectAnswer('GET', `/storage/${name}/x.png/metadata`, undefined, 200, expect.anything());
      await expectAnswer('POST', `/storage/${name}/move`, { destination: 'deep' }, 200, {
        success: true,
        path: `deep/${name}`,
      });
      await expectAnswer('POST', `/storage/deep/${name}/move`, {}, 200, { success: true, path: name });
      await expectAnswer('PATCH', `/storage/${name}`, { name: `${name} 2` }, 200, { success: true, path: `${name} 2` });
      await expectAnswer('PATCH', `/storage/${encodeURIComponent(`${name} 2`)}`, { name }, 200, expect.anything());
      expect((await service.call('DELETE', `/storage/${name}?recursive=true`)).status).toBe(200);
    }
    await service.store('cache/clear/x.png');
    expect((await service.call('DELETE', '/storage/cache/clear?recursive=true')).status).toBe(200);
  });

  test('a wrong method is 405 with Allow', async () => {
    const answer = await service.call('PUT', '/storage/stats');
    expect([answer.status, answer.headers.allow, answer.json()]).toEqual([
      405,
      'GET, PATCH, DELETE',
      problem('Method not allowed'),
    ]);
  });
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
      symlink(join(service.data, target), join(service.data, 'originals', name)).catch(() => undefined);
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
      await expectAnswer('PATCH', '/storage/a.png', { name }, 400, {
        error: expect.any(String),
        message: expect.any(String),
      });
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
