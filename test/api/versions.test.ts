import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { ask, fixture } from '../http.ts';
import { isoTime, type LibraryService, picture, problem, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';

let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({
    VERSIONS_KEEP: '2',
    VERSIONS_DAYS: '1',
    MAX_FILE_SIZE_MB: '1',
    MAX_REQUEST_SIZE_MB: '2',
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.clear();
  await service.store('trips/a.png');
});

const DAY_MS = 24 * 60 * 60 * 1000;
const PATH = '/storage/trips/a.png';
const put = (mark: string, path = PATH) => service.call('PUT', path, picture(mark));
const putWith = (headers: Record<string, string>, mark = 'new', path = PATH) =>
  ask(service.url, path, { method: 'PUT', headers: { 'x-api-key': TEST_KEY, ...headers }, body: picture(mark) });
const bytes = async (path = 'trips/a.png') => (await service.call('GET', `/t/${path}`)).body;
interface Version {
  id: string;
  size: number;
  createdAt: string;
}
const get = async <T>(path: string) => (await service.call('GET', path)).json() as T;
const versions = async (path = PATH) => (await get<{ versions: Version[] }>(`${path}/versions`)).versions;
const onlyVersion = async () => {
  const [version, ...more] = await versions();
  expect(more).toEqual([]);
  if (!version) throw new Error('Expected a version.');
  return version;
};
const etag = async () => (await service.services.originals.store.stat(parsePath('trips/a.png')))?.etag ?? '';
const expectAnswer: LibraryService['expectAnswer'] = (...expected) => service.expectAnswer(...expected);
const kept = () => Array.fromAsync(service.services.versions.retained());

describe('PUT /storage/{path}', () => {
  test('puts new bytes under the same URL and answers with their size and version', async () => {
    const answer = await put('new');
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      success: true,
      path: 'trips/a.png',
      size: picture('new').length,
      version: await etag(),
    });
    expect(await bytes()).toEqual(picture('new'));
    expect(await service.files()).toEqual(['trips/a.png']);
  });

  test('takes effect for variants at once, in hot answers too', async () => {
    const url = '/t/w_10,f_png/trips/a.png';
    for (let times = 0; times < 3; times++) await service.call('GET', url);
    const before = await service.call('GET', url);
    expect(before.headers['x-cache']).toBe('hit');
    await put('new');
    const after = await service.call('GET', url);
    expect(after.headers['x-cache']).toBe('miss');
    expect(after.headers.etag).not.toBe(before.headers.etag);
  });

  test('keeps the bytes before as a version', async () => {
    expect(await versions()).toEqual([]);
    await put('new');
    const version = await onlyVersion();
    expect(version).toEqual({
      id: expect.any(String),
      size: picture('trips/a.png').length,
      createdAt: isoTime,
      width: null,
      height: null,
    });
    const download = await service.call('GET', `${PATH}/versions/${version.id}`);
    expect(download.status).toBe(200);
    expect(download.body).toEqual(picture('trips/a.png'));
    expect(download.headers).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': expect.stringMatching(/^attachment;/),
      'cache-control': 'private, no-store',
    });
    // Pages of other sites read it only if CORS_ORIGIN permits them.
    expect(download.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('honours If-Match', async () => {
    const expected = await etag();
    const refused = await putWith({ 'if-match': '"another"' });
    expect([refused.status, refused.json()]).toEqual([412, problem('Precondition failed', 'precondition_failed')]);
    expect(await bytes()).toEqual(picture('trips/a.png'));
    expect(await versions()).toEqual([]);
    expect((await putWith({ 'if-match': `"${expected}"` })).status).toBe(200);
    expect((await putWith({ 'if-match': `"${expected}"` })).status).toBe(412);
    expect((await putWith({ 'if-match': '*' })).status).toBe(200);
  });

  test('of a missing file is 404, of a folder 400, and nothing is stored', async () => {
    expect((await put('x', '/storage/none.png')).json()).toEqual(problem('Not found', 'file_not_found'));
    expect((await put('x', '/storage/none.png')).status).toBe(404);
    expect((await put('x', '/storage/trips')).json()).toEqual(problem('Bad request', 'is_a_folder'));
    expect((await put('x', '/storage/')).status).toBe(400);
    expect(await service.files()).toEqual(['trips/a.png']);
  });

  test('of another kind of file is 400', async () => {
    const refusal = (received: string | null, extension: string | null) => ({
      ...problem('Bad request', 'type_mismatch'),
      details: { expected: 'image/png', received, extension },
    });
    await expectAnswer('PUT', PATH, fixture('orientation-1.jpg'), 400, refusal('image/jpeg', 'jpg'));
    for (const body of ['no picture', '']) await expectAnswer('PUT', PATH, body, 400, refusal(null, null));
    const declared = await putWith({ 'content-type': 'image/jpeg' });
    expect([declared.status, declared.json().code]).toEqual([400, 'type_mismatch']);
    expect((await putWith({ 'content-type': 'image/png' })).status).toBe(200);
    expect((await putWith({ 'content-type': 'application/octet-stream' })).status).toBe(200);
  });

  test('has the limits of an upload', async () => {
    const large = Buffer.concat([picture(), Buffer.alloc(1024 * 1024)]);
    await expectAnswer('PUT', PATH, large, 400, problem('Bad request', 'file_too_large'));
    const huge = Buffer.concat([picture(), Buffer.alloc(3 * 1024 * 1024)]);
    await expectAnswer('PUT', PATH, huge, 413, problem('Payload too large'));
    expect(await bytes()).toEqual(picture('trips/a.png'));
    expect(await versions()).toEqual([]);
  });

  test('replaces a file whose name is that of an endpoint, or `versions`', async () => {
    await service.store('stats/versions/b.png', 'versions/c.png');
    expect((await put('b2', '/storage/stats/versions/b.png')).status).toBe(200);
    expect(await bytes('stats/versions/b.png')).toEqual(picture('b2'));
    expect(await versions('/storage/versions/c.png')).toEqual([]);
    expect((await service.call('GET', '/storage/versions/c.png/metadata')).status).toBe(200);
    expect((await service.call('PUT', '/storage/stats', picture())).status).toBe(400);
  });

  test('counts the difference in size', async () => {
    const size = async () => (await get<{ storage: { size: number; fileCount: number } }>('/storage/stats')).storage;
    const before = await size();
    await put('a mark that is longer than the one before');
    const difference = picture('a mark that is longer than the one before').length - picture('trips/a.png').length;
    expect(await size()).toEqual({ size: before.size + difference, fileCount: before.fileCount });
  });
});

describe('versions', () => {
  test('are the newest VERSIONS_KEEP, and not listed among the files', async () => {
    for (const mark of ['1', '2', '3', '4']) await put(mark);
    const list = await versions();
    expect(list).toHaveLength(2);
    const contents = await Promise.all(
      list.map(async ({ id }) => (await service.call('GET', `${PATH}/versions/${id}`)).body),
    );
    expect(contents).toEqual([picture('3'), picture('2')]);
    expect((await get<{ files: unknown }>('/storage?path=trips')).files).toHaveLength(1);
    expect(await kept()).toHaveLength(2);
  });

  test('are brought back: the present bytes become a version in turn', async () => {
    await put('new');
    const { id } = await onlyVersion();
    await expectAnswer('POST', `${PATH}/versions/${id}/restore`, undefined, 200, {
      success: true,
      path: 'trips/a.png',
      size: picture('trips/a.png').length,
      version: expect.any(String),
    });
    expect(await bytes()).toEqual(picture('trips/a.png'));
    const version = await onlyVersion();
    expect(version.id).not.toBe(id);
    expect((await service.call('GET', `${PATH}/versions/${version.id}`)).body).toEqual(picture('new'));
    expect((await service.call('GET', `${PATH}/versions/${id}`)).status).toBe(404);
  });

  test('are deleted for good one by one', async () => {
    for (const mark of ['1', '2']) await put(mark);
    const [newest, oldest] = await versions();
    await expectAnswer('DELETE', `${PATH}/versions/${newest?.id}`, undefined, 200, {
      success: true,
      message: `Deleted the version "${newest?.id}" of "trips/a.png".`,
    });
    expect(await versions()).toEqual([oldest]);
    expect(await kept()).toEqual([oldest?.id]);
    expect(await bytes()).toEqual(picture('2'));
    const unknown = problem('Version not found', 'version_not_found');
    await expectAnswer('DELETE', `${PATH}/versions/${newest?.id}`, undefined, 404, unknown);
    await expectAnswer('DELETE', `/storage/none.png/versions/${newest?.id}`, undefined, 404, problem('Not found'));
  });

  test('are not what is deleted where a folder of that name lies', async () => {
    const folder = `trips/versions/${randomUUID()}`;
    await service.store(`${folder}/b.png`);
    await expectAnswer('DELETE', `/storage/${folder}`, undefined, 400, problem('Bad request', 'is_a_folder'));
    expect((await service.call('DELETE', `/storage/${folder}?recursive=true`)).status).toBe(200);
    expect(await service.files()).toEqual(['trips/a.png']);
  });

  test('are read in parts and checked by their ETag', async () => {
    await put('new');
    const { id } = await onlyVersion();
    const headers = { 'x-api-key': TEST_KEY };
    const part = await ask(service.url, `${PATH}/versions/${id}`, { headers: { ...headers, range: 'bytes=1-3' } });
    expect([part.status, part.body.toString()]).toEqual([206, 'PNG']);
    const same = await ask(service.url, `${PATH}/versions/${id}`, {
      headers: { ...headers, 'if-none-match': part.headers.etag as string },
    });
    expect(same.status).toBe(304);
  });

  test('of a missing file are 404, of a folder 400, unknown ones 404, and what is no id 405', async () => {
    const id = '00000000-0000-0000-0000-000000000000';
    await expectAnswer('GET', '/storage/none.png/versions', undefined, 404, problem('Not found', 'file_not_found'));
    await expectAnswer('GET', '/storage/trips/versions', undefined, 400, problem('Bad request', 'is_a_folder'));
    const unknown = problem('Version not found', 'version_not_found');
    await expectAnswer('GET', `${PATH}/versions/${id}`, undefined, 404, unknown);
    await expectAnswer('POST', `${PATH}/versions/${id}/restore`, undefined, 404, unknown);
    await expectAnswer('GET', `${PATH}/versions/x`, undefined, 405, problem('Method not allowed'));
  });

  test('are those of one file, not of another one', async () => {
    await service.store('b.png');
    await put('new');
    const { id } = await onlyVersion();
    expect((await service.call('GET', `/storage/b.png/versions/${id}`)).status).toBe(404);
    expect(await versions('/storage/b.png')).toEqual([]);
  });

  test('go for good with their file, and with its folder', async () => {
    await put('new');
    await service.call('DELETE', PATH);
    expect(await kept()).toEqual([]);
    await service.store('trips/a.png', 'trips/rome/b.png');
    await put('b2', '/storage/trips/rome/b.png');
    expect(await versions()).toEqual([]);
    expect(await kept()).toHaveLength(1);
    await service.call('DELETE', '/storage/trips?recursive=true');
    expect(await kept()).toEqual([]);
  });

  test('go after VERSIONS_DAYS', async () => {
    await put('new');
    const { sweep } = service.services;
    await sweep.run(Date.now() + 0.9 * DAY_MS);
    expect(await versions()).toHaveLength(1);
    await sweep.run(Date.now() + 1.1 * DAY_MS);
    expect(await versions()).toEqual([]);
    expect(await kept()).toEqual([]);
    expect(await bytes()).toEqual(picture('new'));
  });

  test('are not kept with VERSIONS_KEEP=0', async () => {
    const other = await startLibrary({ VERSIONS_KEEP: '0' });
    await other.store('a.png');
    expect((await other.call('PUT', '/storage/a.png', picture('new'))).status).toBe(200);
    expect((await other.call('GET', '/storage/a.png/versions')).json()).toEqual({ versions: [] });
    expect(await Array.fromAsync(other.services.versions.retained())).toEqual([]);
    await other.close();
  });
});
