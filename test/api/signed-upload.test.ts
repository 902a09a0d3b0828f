import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { type LibraryService, picture, problem, startLibrary } from '../library.ts';

const SECRET = 'test-secret-at-least-16-chars-long';
let service: LibraryService;

beforeAll(async () => {
  service = await startLibrary({ API_SECRET: SECRET, SIGNATURE_MAX_EXPIRES_IN: '600' });
});
afterAll(() => service.close());

const nowSeconds = () => Math.floor(Date.now() / 1000);
const hmac = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');

/** Uploads without a key. Fields may also follow the file. */
async function upload(fields: Record<string, string>, { last = false, headers = {} as Record<string, string> } = {}) {
  const form = new FormData();
  const addFile = () => form.append('files', new Blob([picture() as Uint8Array<ArrayBuffer>]), 'x.png');
  if (last) addFile();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (!last) addFile();
  const response = await fetch(`${service.url}/upload`, { method: 'POST', body: form, headers });
  return { status: response.status, body: (await response.json()) as { files?: { path: string }[] } };
}

const signed = (folder: string, expires = nowSeconds() + 60, length = 64) => ({
  folder,
  expires: String(expires),
  signature: hmac(`${folder}:${expires}`).slice(0, length),
});

describe('POST /upload/sign', () => {
  test.each<[unknown, string, number]>([
    [{ folder: 'photos' }, 'photos', 300],
    [{ folder: '/photos//2026/' }, 'photos/2026', 300],
    [{}, '', 300],
    [undefined, '', 300],
    [{ expiresIn: 60 }, '', 60],
    [{ expiresIn: 0 }, '', 1],
    [{ expiresIn: -5 }, '', 1],
    [{ expiresIn: 1.9 }, '', 1],
    [{ expiresIn: 99999 }, '', 600],
  ])('%j signs %j for %i seconds', async (body, folder, seconds) => {
    const before = nowSeconds();
    const answer = await service.call('POST', '/upload/sign', body);
    const { expires } = answer.json() as { expires: number };
    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({
      success: true,
      signature: hmac(`${folder}:${expires}`).slice(0, 16),
      expires: expect.any(Number),
      folder,
    });
    expect(expires - before - seconds).toBeGreaterThanOrEqual(0);
    expect(expires - nowSeconds() - seconds).toBeLessThanOrEqual(0);
  });

  test.each<[unknown, string]>([
    [{ folder: 5 }, 'Bad request'],
    [{ expiresIn: '60' }, 'Bad request'],
    [[], 'Bad request'],
    [{ folder: '../photos' }, 'Invalid path'],
  ])('%j is 400', async (body, error) => {
    const answer = await service.call('POST', '/upload/sign', body);
    expect([answer.status, answer.json()]).toEqual([400, problem(error)]);
  });

  test('the vector of the specification', () => {
    expect(hmac('photos:1795213157').slice(0, 16)).toBe('615bddea32020bc0');
  });
});

describe('a presigned upload', () => {
  test('needs no key, with either length of signature and fields in any order', async () => {
    for (const length of [16, 64]) {
      for (const last of [false, true]) {
        const { status, body } = await upload(signed('photos', undefined, length), { last });
        expect([status, body.files?.[0]?.path]).toEqual([200, expect.stringMatching(/^photos\/x( \(\d\))?\.png$/)]);
      }
    }
  });

  test('takes what POST /upload/sign gave, and nothing else than its folder', async () => {
    const answer = (await service.call('POST', '/upload/sign', { folder: 'one/two' })).json();
    const fields = { signature: String(answer.signature), expires: String(answer.expires), folder: 'one/two' };
    expect((await upload(fields)).body.files?.[0]?.path).toBe('one/two/x.png');
    expect((await upload({ ...fields, folder: '/one/two/' })).status).toBe(200);
    for (const folder of ['one', 'one/two/three', '', 'one/two/../three']) {
      expect(await upload({ ...fields, folder }), folder).toEqual({
        status: 401,
        body: { success: false, error: 'Invalid presigned upload signature', code: 'wrong_signature' },
      });
    }
    const named = await upload({ ...fields, names: '../../three/y.png' });
    expect(named.body.files?.[0]?.path).toBe('one/two/three/y.png');
  });

  test('into the root', async () => {
    const { folder, ...fields } = signed('');
    expect([folder, (await upload(fields)).status]).toEqual(['', 200]);
  });

  test('is refused when it has expired', async () => {
    expect(await upload(signed('photos', nowSeconds() - 1))).toEqual({
      status: 401,
      body: { success: false, error: 'Presigned upload URL has expired', code: 'signature_expired' },
    });
  });

  test.each<[string, Record<string, string>, number]>([
    ['a wrong signature', { ...signed('p'), signature: '0'.repeat(16) }, 401],
    ['another expiry', { ...signed('p'), expires: String(nowSeconds() + 500) }, 401],
    ['upper case', { ...signed('p'), signature: signed('p').signature.toUpperCase() }, 401],
    ['another length', { ...signed('p'), signature: signed('p').signature.slice(0, 20) }, 400],
    ['no hexadecimal', { ...signed('p'), signature: 'z'.repeat(16) }, 400],
    ['no expiry', { folder: 'p', signature: signed('p').signature }, 400],
    ['an expiry that is no number', { ...signed('p'), expires: 'soon' }, 400],
  ])('is refused with %s', async (_what, fields, status) => {
    const { status: received, body } = await upload(fields);
    expect(received).toBe(status);
    expect(body).toEqual(
      status === 400
        ? { error: 'Bad request', code: 'malformed_signature', message: expect.any(String) }
        : { success: false, error: 'Invalid presigned upload signature', code: 'wrong_signature' },
    );
    expect((await service.files()).filter((file) => file.startsWith('p/'))).toEqual([]);
  });

  test('without a signature is 401, and with a bad key the signature does not help', async () => {
    const none = await upload({ folder: 'p' });
    expect(none).toEqual({
      status: 401,
      body: { error: 'Unauthorized', code: 'unauthorized', message: expect.any(String) },
    });
    for (const headers of [{ 'x-api-key': 'wrong' }, { authorization: 'Bearer wrong' }]) {
      expect((await upload(signed('p'), { headers })).status).toBe(401);
    }
    expect((await upload(signed('ok'), { headers: { authorization: 'Basic cHJveHk6eA==' } })).status).toBe(200);
  });
});

describe('without API_SECRET', () => {
  test('signing and presigned uploads are 500', async () => {
    const plain = await startLibrary();
    try {
      const answer = await plain.call('POST', '/upload/sign', {});
      expect([answer.status, answer.json()]).toEqual([500, problem('API_SECRET is not configured')]);
      const body = `--x\r\nContent-Disposition: form-data; name="signature"\r\n\r\n${'0'.repeat(16)}\r\n--x--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const upload = await ask(plain.url, '/upload', { method: 'POST', body, headers });
      expect([upload.status, upload.json()]).toEqual([500, problem('API_SECRET is not configured')]);
    } finally {
      await plain.close();
    }
  });
});
