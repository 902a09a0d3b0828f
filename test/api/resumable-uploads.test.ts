import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signUpload } from '../../src/http/bodies/presigned.ts';
import { ask } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';
import { answerIn, metadata, pathOf, TUS, tusAt, uploadWithClient } from '../tus.ts';

const MEGABYTE = 1024 * 1024;
/** The same on all nodes that share a database. */
const SECRET = { API_SECRET: 'test-secret-at-least-16-chars-long' };

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary({
    ...SECRET,
    MAX_FILE_SIZE_MB: '2',
    UPLOAD_TEMP_MAX_MB: '8',
    UPLOAD_RESUMABLE_MAX: '4',
    UPLOAD_RESUMABLE_MAX_PER_CLIENT: '3',
    TRUSTED_PROXIES: '127.0.0.1',
    CORS_ORIGIN: 'https://site.example',
  });
});
afterAll(() => service.close());
afterEach(async () => {
  await service.services.resumable.sweep(Number.POSITIVE_INFINITY);
  await service.clear();
});

const tus = (credentials?: Record<string, string>) => tusAt(service.url, credentials);
const endpoint = () => `${service.url}/upload/resumable`;
const onDisk = () => readdir(join(service.data, 'uploads'));
/** Returns the bytes of an upload that are on disk. */
const arrived = async (path: string) => (await stat(join(service.data, 'uploads', basename(path), 'bytes'))).size;
const offsetOf = async (path: string) => Number((await tus().call('HEAD', path)).headers['upload-offset']);

/** Begins an upload of these bytes, and sends some of them. */
async function begin(bytes: Buffer, sent = 0, fields: Record<string, string> = { filename: 'a.png' }): Promise<string> {
  const path = pathOf(await tus().begin(bytes.length, fields));
  if (sent > 0) expect((await tus().patch(path, 0, bytes.subarray(0, sent))).status).toBe(204);
  return path;
}

describe('a client of tus', () => {
  test.each([
    ['in parts', { chunkSize: 500 }],
    ['at once, with the request that begins it', { uploadDataDuringCreation: true }],
    ['by POST alone', { overridePatchMethod: true }],
  ])('uploads %s, with the result of POST /upload', async (_how, options) => {
    const fields = { filename: 'a b.png', filetype: 'image/png', folder: 'tour', transformations: 'w_20,f_png' };
    const { url } = await uploadWithClient(picture('x'), { endpoint: endpoint(), metadata: fields, ...options });
    const path = new URL(url ?? '').pathname;
    const form = new FormData();
    form.append('folder', 'tour');
    form.append('transformations', 'w_20,f_png');
    form.append('files', new Blob([picture('x') as Uint8Array<ArrayBuffer>], { type: 'image/png' }), 'a b.png');
    const { files } = (await (await service.authorized('/upload', { method: 'POST', body: form })).json()) as {
      files: object[];
    };
    const result = await tus().call('GET', path);
    expect([result.status, result.json()]).toEqual([
      200,
      {
        success: true,
        files: [
          {
            ...files[0],
            filename: 'a b.png',
            path: 'tour/a b.png',
            url: '/t/tour/a%20b.png',
            prewarmedUrls: ['/t/w_20,f_png/tour/a%20b.png'],
          },
        ],
        errors: [],
      },
    ]);
    expect((await ask(service.url, '/t/tour/a%20b.png')).body).toEqual(picture('x'));
    const { headers } = await tus().call('HEAD', path);
    expect(headers).toMatchObject({ 'upload-offset': `${picture('x').length}`, 'cache-control': 'no-store' });
  });

  test('uploads to every spelling of the address', async () => {
    for (const at of ['/upload/resumable/', '/api/upload/resumable', '/api/upload/resumable/']) {
      const { url } = await uploadWithClient(picture(), {
        endpoint: service.url + at,
        metadata: { filename: 'a.png' },
      });
      expect(url).toMatch(new RegExp(`^${service.url}${at.replace(/\/$/, '')}/[\\w-]{32}$`));
    }
  });

  test('sees why a file is refused, as with POST /upload', async () => {
    const fields = { filename: 'a.jpg' };
    const failed = await uploadWithClient(picture(), { endpoint: endpoint(), metadata: fields }).catch(answerIn);
    const form = new FormData();
    form.append('files', new Blob([picture() as Uint8Array<ArrayBuffer>]), 'a.jpg');
    const usual = await service.authorized('/upload', { method: 'POST', body: form });
    expect(failed).toEqual({ status: 400, ...((await usual.json()) as object) });
    expect(await service.files()).toEqual([]);
  });

  test('goes on where the connection broke', async () => {
    const bytes = picture('y'.repeat(5000));
    const path = await begin(bytes);
    const broken = tus().stall(path, 0, bytes.subarray(0, 3000));
    await expect.poll(() => arrived(path)).toBe(3000);
    broken.leave();
    const sent: number[] = [];
    await uploadWithClient(bytes, {
      uploadUrl: service.url + path,
      onProgress: (count) => void sent.push(count),
    });
    expect(sent[0]).toBe(3000);
    expect((await ask(service.url, '/t/a.png')).body).toEqual(bytes);
  });
});

describe('before anything is kept', () => {
  const good = { ...TUS, 'upload-length': 10, 'upload-metadata': metadata({ filename: 'a.png' }) };
  const about = (fields: Record<string, string>) => ({ 'upload-metadata': metadata(fields) });
  const MB2 = 2 * MEGABYTE;

  test.each<[string, Record<string, string | number | undefined>, number, string]>([
    ['no version', { 'tus-resumable': undefined }, 412, 'unsupported_tus_version'],
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'unsupported_tus_version'],
    ['no length', { 'upload-length': undefined }, 400, 'validation_failed'],
    ['no number', { 'upload-length': '1e3' }, 400, 'validation_failed'],
    ['a length that comes later', { 'upload-defer-length': '1' }, 400, 'validation_failed'],
    ['a part of a file', { 'upload-concat': 'partial' }, 400, 'validation_failed'],
    ['a file over the limit', { 'upload-length': MB2 + 1 }, 413, 'payload_too_large'],
    ['broken metadata', { 'upload-metadata': 'filename a,b c d' }, 400, 'validation_failed'],
    ['a name twice', { 'upload-metadata': 'filename YQ==,filename YQ==' }, 400, 'validation_failed'],
    ['no name', { 'upload-metadata': undefined }, 400, 'missing_input'],
    ['a name of nothing', about({ filename: '..' }), 400, 'invalid_name'],
    ['a type that is not accepted', about({ filename: 'a.exe' }), 400, 'unsupported_type'],
    ['another declared type', about({ filename: 'a.png', filetype: 'image/jpeg' }), 400, 'type_mismatch'],
    ['a blank folder', about({ filename: 'a.png', folder: ' ' }), 400, 'invalid_name'],
    ['no transformation', about({ filename: 'a.png', transformations: 'shoe' }), 400, 'invalid_transformation'],
    ['a body of another type', { 'content-type': 'image/png', 'content-length': 3 }, 400, 'malformed_body'],
  ])('%s is refused', async (_what, headers, status, code) => {
    const given = Object.entries({ ...good, ...headers }).filter(([, value]) => value !== undefined);
    const answer = await ask(service.url, '/upload/resumable', {
      method: 'POST',
      headers: { 'x-api-key': TEST_KEY, ...Object.fromEntries(given) },
      ...(headers['content-length'] && { body: 'abc' }),
    });
    expect([answer.status, answer.json().code]).toEqual([status, code]);
    expect(answer.headers).toMatchObject({
      'tus-resumable': '1.0.0',
      ...(status === 412 && { 'tus-version': '1.0.0' }),
    });
    expect(await onDisk()).toEqual([]);
  });

  test('an empty file is refused with the answer that begins it', async () => {
    const answer = await tus().begin(0, { filename: 'a.png' });
    expect([answer.status, answer.json()]).toMatchObject([400, { success: false, code: 'type_mismatch' }]);
  });

  test('what there is of the protocol is told to whoever asks', async () => {
    const { status, headers } = await ask(service.url, '/upload/resumable', { method: 'OPTIONS' });
    expect([status, headers]).toMatchObject([
      204,
      {
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,expiration',
        'tus-max-size': String(MB2),
      },
    ]);
  });
});

describe('who may upload', () => {
  const presigned = (folder: string) => {
    const { signature, expires } = signUpload(service.services.config, folder, 60);
    return { filename: 'a.png', folder, expires: String(expires), signature };
  };

  test('a signature admits one without a key, and the id is enough to go on', async () => {
    const stranger = tus({});
    const begun = await stranger.begin(picture().length, presigned('photos'));
    expect((await stranger.patch(pathOf(begun), 0, picture())).status).toBe(204);
    expect((await stranger.call('GET', pathOf(begun))).json()).toMatchObject({ files: [{ path: 'photos/a.png' }] });
  });

  test('without a signature, with a wrong one and with an expired one it is 401', async () => {
    const { signature, ...rest } = presigned('photos');
    const refusals = [rest, { ...rest, signature, folder: 'other' }, { ...rest, signature, expires: '1' }];
    for (const fields of refusals) {
      const { status, json } = await tus({}).begin(9, fields as Record<string, string>);
      expect([status, json().error], JSON.stringify(fields)).toEqual([401, expect.any(String)]);
    }
    expect(await onDisk()).toEqual([]);
  });

  test('an upload that was begun with a key needs one to the end', async () => {
    const path = await begin(picture());
    for (const method of ['HEAD', 'GET', 'DELETE']) {
      expect((await tus({}).call(method, path)).status, method).toBe(401);
      expect((await tus({ 'x-api-key': 'wrong' }).call(method, path)).status, method).toBe(401);
    }
    expect((await tus({}).patch(path, 0, picture())).status).toBe(401);
    expect(await offsetOf(path)).toBe(0);
  });

  test('pages of the sites that may use keys, which then read what tus says in headers', async () => {
    const origin = 'https://site.example';
    const headers = { origin, 'access-control-request-method': 'PATCH' };
    const preflight = await ask(service.url, '/upload/resumable/x', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-methods']).toContain('PATCH');
    for (const name of ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset', 'Content-Type']) {
      expect(preflight.headers['access-control-allow-headers']).toContain(name);
    }
    const begun = await tus().begin(9, { filename: 'a.png' }, { origin });
    expect(begun.headers['access-control-allow-origin']).toBe(origin);
    expect(begun.headers['access-control-expose-headers']).toBe('*');
  });
});

describe('bytes', () => {
  test('are taken at the place where they belong, up to the announced length', async () => {
    const path = await begin(picture(), 10);
    const refused = async (offset: number, body: Buffer, headers = {}) => {
      const answer = await tus().patch(path, offset, body, headers);
      return [answer.status, answer.json().code];
    };
    expect(await refused(9, picture().subarray(9))).toEqual([409, 'offset_mismatch']);
    expect(await refused(11, picture().subarray(11))).toEqual([409, 'offset_mismatch']);
    expect(await refused(10, picture())).toEqual([413, 'payload_too_large']);
    const chunked = await refused(10, picture(), { 'transfer-encoding': 'chunked' });
    expect(chunked).toEqual([413, 'payload_too_large']);
    expect(await refused(10, Buffer.of(1), { 'content-type': 'image/png' })).toEqual([400, 'malformed_body']);
    expect(await refused(-1, Buffer.of(1))).toEqual([400, 'validation_failed']);
    const early = await tus().call('GET', path);
    expect([early.status, early.json().code]).toEqual([409, 'upload_incomplete']);
    const there = await offsetOf(path);
    expect((await tus().patch(path, there, picture().subarray(there))).status).toBe(204);
    expect((await ask(service.url, '/t/a.png')).body).toEqual(picture());
  });

  test('are taken from the newest request: one that hangs does not keep an upload', async () => {
    const path = await begin(picture());
    const hanging = tus().stall(path, 0, picture().subarray(0, 20));
    await expect.poll(() => arrived(path)).toBe(20);
    // A request for the result does not continue the upload.
    expect((await tus().call('GET', path)).status).toBe(409);
    hanging.write(picture().subarray(20, 30));
    await expect.poll(() => arrived(path)).toBe(30);
    expect((await tus().patch(path, 30, picture().subarray(30))).status).toBe(204);
    expect(await hanging.answer).toBe(423);
  });

  test('come to one file, however often the end is asked for at once', async () => {
    const bytes = picture('once');
    const path = await begin(bytes, 10);
    const rest = bytes.subarray(10);
    const answers = await Promise.all([
      ...[1, 2, 3].map(() => tus().patch(path, 10, rest)),
      ...[1, 2, 3].map(() => tus().call('HEAD', path)),
    ]);
    for (const { status } of answers) expect([200, 204, 409, 423]).toContain(status);
    const there = await offsetOf(path);
    if (there < bytes.length) await tus().patch(path, there, bytes.subarray(there));
    expect((await tus().patch(path, bytes.length, Buffer.of())).status).toBe(204);
    expect(await service.files()).toEqual(['a.png']);
    expect((await ask(service.url, '/t/a.png')).body).toEqual(bytes);
  });
});

describe('an upload ends', () => {
  test('by DELETE: nothing of it stays, and nobody knows it', async () => {
    const path = await begin(picture(), 10);
    expect((await tus().call('DELETE', path)).status).toBe(204);
    expect(await onDisk()).toEqual([]);
    for (const method of ['HEAD', 'GET', 'DELETE']) expect((await tus().call(method, path)).status).toBe(404);
    expect((await tus().patch(path, 10, picture())).json()).toMatchObject({ code: 'upload_not_found' });
  });

  test('by its end, and the file stays when its result is deleted', async () => {
    const path = await begin(picture(), picture().length);
    expect((await tus().call('DELETE', path)).status).toBe(204);
    expect([await service.files(), await onDisk()]).toEqual([['a.png'], []]);
  });

  test('when its time is over, of which each answer tells', async () => {
    const begun = await tus().begin(9, { filename: 'a.png' });
    const expires = Date.parse(String(begun.headers['upload-expires']));
    expect(expires - Date.now()).toBeGreaterThan(23 * 3_600_000);
    await service.services.resumable.sweep(expires - 5000);
    expect(await onDisk()).toHaveLength(1);
    await service.services.resumable.sweep(expires + 5000);
    expect(await onDisk()).toEqual([]);
    expect((await tus().call('HEAD', pathOf(begun))).status).toBe(404);
  });
});

describe('there are limits', () => {
  const from = (address: string) => tusAt(service.url, { 'x-api-key': TEST_KEY, 'x-forwarded-for': address });

  test('for open uploads of an address, and of all', async () => {
    const begun = [];
    for (let n = 0; n < 3; n++) begun.push(await from('192.0.2.1').begin(9, { filename: 'a.png' }));
    const fourth = await from('192.0.2.1').begin(9, { filename: 'a.png' });
    expect([fourth.status, fourth.json().code]).toEqual([429, 'too_many_uploads']);
    expect(fourth.json().message).toContain('UPLOAD_RESUMABLE_MAX_PER_CLIENT');
    expect((await from('192.0.2.2').begin(9, { filename: 'a.png' })).status).toBe(201);
    const fifth = await from('192.0.2.3').begin(9, { filename: 'a.png' });
    expect([fifth.status, fifth.headers['retry-after'], fifth.json().code]).toEqual([503, '60', 'overloaded']);
    await tus().call('DELETE', pathOf(begun[0] ?? fifth));
    expect((await from('192.0.2.3').begin(9, { filename: 'a.png' })).status).toBe(201);
  });

  test('for the room that their bytes take, which other uploads have no more', async () => {
    const bytes = picture('x'.repeat(2 * MEGABYTE)).subarray(0, 2 * MEGABYTE);
    const begun = [await begin(bytes, 1.9 * MEGABYTE), await begin(bytes, 1.9 * MEGABYTE)];
    const third = await tus().begin(2 * MEGABYTE, { filename: 'a.png' });
    expect([third.status, third.json().message]).toEqual([503, expect.stringContaining('UPLOAD_TEMP_MAX_MB')]);
    const files = Array.from({ length: 3 }, (_, n) => [`${n}.png`, picture('x'.repeat(1.9 * MEGABYTE))] as const);
    expect((await service.upload(Object.fromEntries(files))).status).toBe(503);
    for (const path of begun) await tus().call('DELETE', path);
    expect((await service.upload(Object.fromEntries(files))).status).toBe(200);
  });

  test('for the time that bytes take, and what has come stays', async () => {
    const slow = await startLibrary({
      ...SECRET,
      DATA_DIR: service.data,
      UPLOAD_GRACE_MS: '1000',
      UPLOAD_MIN_RATE_KB: '1000000',
    });
    const path = pathOf(await tusAt(slow.url).begin(picture().length, { filename: 'a.png' }));
    const hanging = tusAt(slow.url).stall(path, 0, picture().subarray(0, 20));
    expect(await hanging.answer).toBe(408);
    const { headers } = await tusAt(slow.url).call('HEAD', path);
    expect(headers['upload-offset']).toBe('20');
    await slow.close();
  });
});

test('uploads survive a restart, with the room that their bytes take', async () => {
  const bytes = picture('again');
  const own = { ...SECRET, MAX_FILE_SIZE_MB: '2', UPLOAD_TEMP_MAX_MB: '2' };
  const path = await begin(bytes, 10);
  await begin(picture('x'.repeat(2 * MEGABYTE)).subarray(0, 2 * MEGABYTE), 1.9 * MEGABYTE);
  const next = await startLibrary({ DATA_DIR: service.data, ...own });
  expect((await tusAt(next.url).begin(MEGABYTE, { filename: 'c.png' })).status).toBe(503);
  const { headers } = await tusAt(next.url).call('HEAD', path);
  expect(headers).toMatchObject({ 'upload-offset': '10', 'upload-metadata': metadata({ filename: 'a.png' }) });
  expect((await tusAt(next.url).patch(path, 10, bytes.subarray(10))).status).toBe(204);
  await next.close();
  expect((await ask(service.url, '/t/a.png')).body).toEqual(bytes);
});
