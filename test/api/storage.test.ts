import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';

let service: LibraryService;
const size = (path: string) => picture(path).length;

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: 'test-secret-at-least-16-chars-long' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('a.png', 'trips/rome/b.png', 'trips/c.png');
});

const expectAnswer: LibraryService['expectAnswer'] = (...expected) => service.expectAnswer(...expected);

const unauthorized = { error: 'Unauthorized', code: 'unauthorized', message: expect.any(String) };

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
      { error: 'Forbidden', code: 'missing_permission', message: expect.stringContaining(`"${permission}"`) },
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
    ['/storage/a.png', 405, 'Method not allowed'],
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
    ['/storage/a.png', { name: '   ' }, 400, 'Invalid path'],
    ['/storage/trips', { name: ' ' }, 400, 'Invalid path'],
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
    ['/storage/a.png/move', { destination: 'trips/ /deep' }, 400, 'Invalid path'],
    ['/storage/move', { destination: 'trips' }, 400, 'Bad request'],
    ['/storage/none.png/move', { destination: 'trips' }, 404, 'Not found'],
    ['/storage/a.png/transmogrify', {}, 405, 'Method not allowed'],
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
    ['/storage/trips/c.png/copy', { destination: '  ' }, 400, 'Invalid path'],
  ])('%s to %j is %i', (path, body, status, error) => expectAnswer('POST', path, body, status, problem(error)));
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

  const ID = '01890000-0000-7000-8000-000000000000';
  test.each([
    ['GET', 'a.png', 'PATCH, DELETE, PUT'],
    ['HEAD', 'a.png', 'PATCH, DELETE, PUT'],
    ['POST', 'a.png', 'PATCH, DELETE, PUT'],
    ['OPTIONS', 'a.png', 'PATCH, DELETE, PUT'],
    ['POST', 'folder/a.png/resize', 'PATCH, DELETE, PUT'],
    ['GET', 'folder/a.png/move', 'POST, PATCH, DELETE, PUT'],
    ['GET', 'a.png/copy', 'POST, PATCH, DELETE, PUT'],
    ['POST', 'a.png/metadata', 'GET, HEAD, PATCH, DELETE, PUT'],
    ['POST', 'a.png/versions', 'GET, HEAD, PATCH, DELETE, PUT'],
    ['POST', `a.png/versions/${ID}`, 'GET, HEAD, PATCH, DELETE, PUT'],
    ['GET', `a.png/versions/${ID}/restore`, 'POST, PATCH, DELETE, PUT'],
    ['GET', 'a.png/versions/latest', 'PATCH, DELETE, PUT'],
  ])('%s /storage/%s is 405, and Allow names the methods of that path', async (method, path, allow) => {
    for (const prefix of ['', '/api']) {
      const answer = await service.call(method, `${prefix}/storage/${path}`);
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      if (method !== 'HEAD') expect(answer.json()).toEqual(problem('Method not allowed'));
    }
  });

  test.each([
    ['an image', 'image/png', picture('x')],
    ['a form', 'multipart/form-data; boundary=b', '--b--'],
    ['JSON that is none', 'application/json', '{'],
    ['JSON that does not fit', 'application/json', '{"destination":7}'],
    ['JSON of 2 MB', 'application/json', JSON.stringify('x'.repeat(2 ** 21))],
  ])('a wrong method with %s is 405, whatever the body is', async (_, type, body) => {
    const headers = { 'x-api-key': TEST_KEY, 'content-type': type };
    for (const path of ['/storage/a.png', '/t/a.png', '/download/a.png', '/assets/a.png', '/queue/stats']) {
      const answer = await ask(service.url, path, { method: 'POST', headers, body });
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.headers.allow).not.toContain('POST');
    }
  });

  test('a stranger is not told which methods a path has', async () => {
    expect((await ask(service.url, '/storage/a.png')).status).toBe(401);
  });

  test('a wrong method is 405 with Allow', async () => {
    const answer = await service.call('POST', '/storage/stats');
    expect([answer.status, answer.headers.allow, answer.json()]).toEqual([
      405,
      'GET, HEAD, PATCH, DELETE, PUT',
      problem('Method not allowed'),
    ]);
  });
});
