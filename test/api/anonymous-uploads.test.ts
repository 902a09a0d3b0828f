import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { signUpload } from '../../src/http/bodies/presigned.ts';
import type { Answer } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';
import { beginUpload, type SlowUpload } from '../slow-upload.ts';
import { pathOf, tusAt } from '../tus.ts';

const MEGABYTE = 1024 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SETTINGS = {
  API_SECRET: 'test-secret-at-least-16-chars-long',
  MAX_FILE_SIZE_MB: '4',
  UPLOAD_TEMP_MAX_MB: '24',
  UPLOAD_RESUMABLE_MAX: '10',
  TRUSTED_PROXIES: '127.0.0.1',
};
/** Returns an image of exactly this many bytes. */
const ofSize = (bytes: number) => Buffer.concat([picture(), Buffer.alloc(bytes)]).subarray(0, bytes);

let service: LibraryService;
beforeAll(async () => {
  service = await startLibrary(SETTINGS);
});
afterAll(() => service.close());
afterEach(async () => {
  await service.services.resumable.sweep(Number.POSITIVE_INFINITY);
  await service.clear();
});

function presigned(folder = 'photos'): Record<string, string> {
  const { signature, expires } = signUpload(service.services.config, folder, 60);
  return { filename: 'a.png', folder, expires: String(expires), signature };
}

const anonymous = (address: string, at = service) => tusAt(at.url, { 'x-forwarded-for': address });
const withKey = (address: string, at = service) => tusAt(at.url, { 'x-api-key': TEST_KEY, 'x-forwarded-for': address });
const begin = (address: string, length: number) => anonymous(address).begin(length, presigned());
const beginWithKey = (length: number, address = '192.0.2.200') =>
  withKey(address).begin(length, { filename: 'key.png' });

/** Begins a presigned upload and sends its first bytes. */
async function send(address: string, length: number, sent: number): Promise<string> {
  const begun = await begin(address, length);
  expect(begun.status).toBe(201);
  const path = pathOf(begun);
  expect((await anonymous(address).patch(path, 0, ofSize(length).subarray(0, sent))).status).toBe(204);
  return path;
}

const expiryOf = ({ headers }: Answer) => Date.parse(String(headers['upload-expires']));
const headOf = (path: string) => anonymous('192.0.2.1').call('HEAD', path);

describe('the room of resumable uploads', () => {
  test('is not taken by announced lengths: a file of full size still fits beside them', async () => {
    for (let n = 1; n <= 9; n++) expect((await begin(`192.0.2.${n}`, 4 * MEGABYTE)).status).toBe(201);
    const begun = await beginWithKey(4 * MEGABYTE);
    expect(begun.status).toBe(201);
    const { status } = await withKey('192.0.2.200').patch(pathOf(begun), 0, ofSize(4 * MEGABYTE));
    expect(status).toBe(204);
    expect(await service.files()).toEqual(['key.png']);
  });

  test('is denied to a file that does not fit beside the bytes that are there', async () => {
    await send('192.0.2.1', 4 * MEGABYTE, 3.4 * MEGABYTE);
    await send('192.0.2.2', 4 * MEGABYTE, 3.4 * MEGABYTE);
    const refused = await begin('192.0.2.3', 4 * MEGABYTE);
    expect([refused.status, refused.headers['retry-after'], refused.json().code]).toEqual([503, '60', 'overloaded']);
    expect(refused.json().message).toContain('UPLOAD_TEMP_MAX_MB');
    expect((await begin('192.0.2.3', MEGABYTE)).status).toBe(201);
  });

  test('has room for a file of full size that only keys can use', async () => {
    await send('192.0.2.1', 4 * MEGABYTE, 3.4 * MEGABYTE);
    await send('192.0.2.2', 4 * MEGABYTE, 3.4 * MEGABYTE);
    expect((await begin('192.0.2.3', 2 * MEGABYTE)).status).toBe(503);
    expect((await beginWithKey(4 * MEGABYTE)).status).toBe(201);
  });

  test('is at most half taken by one client without a key', async () => {
    await send('192.0.2.1', 4 * MEGABYTE, 3 * MEGABYTE);
    const refused = await begin('192.0.2.1', 4 * MEGABYTE);
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '60']);
    expect(refused.json().message).toContain('one client');
    expect((await begin('192.0.2.2', 4 * MEGABYTE)).status).toBe(201);
    expect((await beginWithKey(4 * MEGABYTE, '192.0.2.1')).status).toBe(201);
  });

  test('that runs out ends a PATCH with 503: what has arrived stays, and goes on when there is room', async () => {
    const key = withKey('192.0.2.200');
    const bytes = ofSize(4 * MEGABYTE);
    const paths = [];
    for (let n = 0; n < 4; n++) paths.push(pathOf(await beginWithKey(bytes.length)));
    const [first = '', second = '', third = '', last = ''] = paths;
    for (const [path, megabytes] of [
      [first, 3.9],
      [second, 3.9],
      [third, 2],
    ] as const) {
      expect((await key.patch(path, 0, bytes.subarray(0, megabytes * MEGABYTE))).status).toBe(204);
    }
    const full = await key.patch(last, 0, bytes);
    expect([full.status, full.headers['retry-after'], full.json().code]).toEqual([503, '60', 'overloaded']);
    const there = Number((await key.call('HEAD', last)).headers['upload-offset']);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(bytes.length);
    const stored = await stat(join(service.data, 'uploads', basename(last), 'bytes'));
    expect(stored.size).toBe(there);
    expect((await key.call('DELETE', first)).status).toBe(204);
    expect((await key.patch(last, there, bytes.subarray(there))).status).toBe(204);
    expect((await key.call('GET', last)).status).toBe(200);
  });

  test('is given so that uploads that do not fit together still end, one after the other', async () => {
    const bytes = ofSize(4 * MEGABYTE);
    const key = withKey('192.0.2.200');
    const paths = [];
    for (let n = 0; n < 6; n++) paths.push(pathOf(await beginWithKey(bytes.length)));
    const waiting = new Map(paths.map((path) => [path, 0]));
    for (let round = 0; waiting.size > 0 && round < 50; round++) {
      for (const [path, offset] of waiting) {
        const end = offset + 0.5 * MEGABYTE;
        const { status } = await key.patch(path, offset, bytes.subarray(offset, end));
        if (status === 503) waiting.set(path, Number((await key.call('HEAD', path)).headers['upload-offset']));
        else if (end < bytes.length) waiting.set(path, end);
        else waiting.delete(path);
      }
    }
    expect(waiting.size).toBe(0);
    expect(await service.files()).toHaveLength(6);
  });
});

describe('the number of open resumable uploads', () => {
  test('has a tenth that only keys can use', async () => {
    for (let n = 1; n <= 9; n++) expect((await begin(`192.0.2.${n}`, 100)).status).toBe(201);
    const refused = await begin('192.0.2.10', 100);
    expect([refused.status, refused.json().message]).toEqual([503, expect.stringContaining('UPLOAD_RESUMABLE_MAX')]);
    expect((await beginWithKey(100)).status).toBe(201);
    expect((await beginWithKey(100)).status).toBe(503);
  });

  test('of an address counts those with a key and those without by themselves', async () => {
    const own = await startLibrary({ ...SETTINGS, UPLOAD_RESUMABLE_MAX_PER_CLIENT: '1' });
    try {
      expect((await anonymous('192.0.2.1', own).begin(100, presigned())).status).toBe(201);
      expect((await anonymous('192.0.2.1', own).begin(100, presigned())).status).toBe(429);
      expect((await withKey('192.0.2.1', own).begin(100, { filename: 'a.png' })).status).toBe(201);
    } finally {
      await own.close();
    }
  });
});

test('results of one client do not displace those of others', async () => {
  const one = await send('192.0.2.1', picture().length, picture().length);
  const mine = await beginWithKey(picture().length);
  await withKey('192.0.2.200').patch(pathOf(mine), 0, picture());
  for (let n = 0; n < 12; n++) await send('192.0.2.66', picture().length, picture().length);
  expect((await anonymous('192.0.2.1').call('GET', one)).status).toBe(200);
  expect((await withKey('192.0.2.200').call('GET', pathOf(mine))).status).toBe(200);
});

describe('a presigned upload is given up', () => {
  test('minutes after it began, when less than a megabyte has come', async () => {
    const path = await send('192.0.2.1', 2 * MEGABYTE, 10);
    const key = pathOf(await beginWithKey(100));
    const expires = expiryOf(await headOf(path));
    expect(expires - Date.now()).toBeGreaterThan(4 * MINUTE_MS);
    expect(expires - Date.now()).toBeLessThanOrEqual(5 * MINUTE_MS);
    await service.services.resumable.sweep(expires - 5000);
    expect((await headOf(path)).status).toBe(200);
    await service.services.resumable.sweep(expires + 5000);
    expect((await headOf(path)).status).toBe(404);
    expect((await withKey('192.0.2.200').call('HEAD', key)).status).toBe(200);
  });

  test('an hour after its last megabyte, when it does not get any further', async () => {
    const path = await send('192.0.2.1', 3 * MEGABYTE, 1.5 * MEGABYTE);
    const expires = expiryOf(await headOf(path));
    expect(expires - Date.now()).toBeGreaterThan(59 * MINUTE_MS);
    expect(expires - Date.now()).toBeLessThanOrEqual(HOUR_MS);
    await service.services.resumable.sweep(expires - 5000);
    expect((await headOf(path)).status).toBe(200);
    await service.services.resumable.sweep(expires + 5000);
    expect((await headOf(path)).status).toBe(404);
  });

  test('but not while its bytes arrive', async () => {
    const path = pathOf(await begin('192.0.2.1', 2 * MEGABYTE));
    const receiving = anonymous('192.0.2.1').stall(path, 0, ofSize(100));
    const arrived = async () => (await stat(join(service.data, 'uploads', basename(path), 'bytes'))).size;
    await expect.poll(arrived).toBe(100);
    await service.services.resumable.sweep(Date.now() + HOUR_MS);
    receiving.leave();
    expect((await headOf(path)).headers['upload-offset']).toBe('100');
  });

  test('by the settings that say so, which survive a restart', async () => {
    const path = await send('192.0.2.1', 3 * MEGABYTE, 1.5 * MEGABYTE);
    const empty = pathOf(await begin('192.0.2.2', 3 * MEGABYTE));
    const next = await startLibrary({
      ...SETTINGS,
      DATA_DIR: service.data,
      UPLOAD_RESUMABLE_EMPTY_MINUTES: '2',
      UPLOAD_RESUMABLE_IDLE_MINUTES: '10',
    });
    try {
      const look = (of: string) => anonymous('192.0.2.1', next).call('HEAD', of);
      expect(expiryOf(await look(empty)) - Date.now()).toBeLessThanOrEqual(2 * MINUTE_MS);
      const minutes = (expiryOf(await look(path)) - Date.now()) / MINUTE_MS;
      expect(minutes).toBeGreaterThan(9);
      expect(minutes).toBeLessThanOrEqual(10);
      await next.services.resumable.sweep(Date.now() + 5 * MINUTE_MS);
      expect([(await look(empty)).status, (await look(path)).status]).toEqual([404, 200]);
    } finally {
      await next.close();
    }
  });
});

describe('forms without a key', () => {
  const begun: SlowUpload[] = [];
  afterEach(() => {
    for (const upload of begun.splice(0)) upload.leave();
  });

  function form(address: string, headers: Record<string, string> = {}): SlowUpload {
    const upload = beginUpload(service.url, { 'x-forwarded-for': address, ...headers });
    begun.push(upload);
    return upload;
  }

  function signed(address: string, megabytes: number): SlowUpload {
    const upload = form(address);
    const { filename: _name, ...fields } = presigned();
    for (const [name, value] of Object.entries(fields)) upload.field(name, value);
    fill(upload, megabytes);
    return upload;
  }

  function fill(upload: SlowUpload, megabytes: number): void {
    for (let left = megabytes; left > 0; left -= 4) {
      upload.file('a.png');
      upload.bytes(ofSize(Math.min(4, left) * MEGABYTE));
    }
  }

  /** Returns the bytes in temporary files. */
  async function kept(): Promise<number> {
    const { temp } = service.services;
    const found = (await readdir(temp)).map((file) => stat(join(temp, file)).catch(() => undefined));
    return (await Promise.all(found)).reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  test('leave room for a file of full size, or a tenth of UPLOAD_TEMP_MAX_MB, to keys', async () => {
    signed('192.0.2.1', 12);
    await expect.poll(kept, { timeout: 20_000 }).toBe(12 * MEGABYTE);
    const second = signed('192.0.2.2', 10);
    const { status, json, headers } = await second.answer;
    expect([status, headers['retry-after'], json.message]).toEqual([
      503,
      '10',
      expect.stringContaining('reserved for keys'),
    ]);
    const key = form('192.0.2.1', { 'x-api-key': TEST_KEY });
    fill(key, 8);
    key.end();
    expect((await key.answer).status).toBe(200);
  });

  test('of one client have UPLOAD_TEMP_MAX_MB_PER_CLIENT', async () => {
    const own = await startLibrary({ ...SETTINGS, UPLOAD_TEMP_MAX_MB_PER_CLIENT: '6' });
    try {
      const address = { 'x-forwarded-for': '192.0.2.1' };
      const upload = beginUpload(own.url, address);
      begun.push(upload);
      const { filename: _name, ...fields } = presigned();
      for (const [name, value] of Object.entries(fields)) upload.field(name, value);
      fill(upload, 8);
      const { status, json } = await upload.answer;
      expect([status, json.message]).toEqual([503, expect.stringContaining('UPLOAD_TEMP_MAX_MB_PER_CLIENT')]);
    } finally {
      await own.close();
    }
  });
});
