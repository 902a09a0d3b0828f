import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import http, { type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, ask } from '../http.ts';
import { type LibraryService, picture, problem, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';
import { installUnzip, testWithUnzip } from '../unzip.ts';

let service: LibraryService;
let folder: string;

beforeAll(installUnzip);
beforeAll(async () => {
  service = await startLibrary();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-zip-'));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => service.clear());

const READ_ZIP = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
entries = {i.filename: archive.read(i).decode('latin1') for i in archive.infolist()}
print(json.dumps({'entries': entries, 'compressed': any(i.compress_type for i in archive.infolist())}))
`;

/** Returns the contents of an archive by Python's reader; `unzip -t` must accept it too. */
async function unzip(bytes: Buffer): Promise<Record<string, string>> {
  const file = join(folder, 'archive.zip');
  await writeFile(file, bytes);
  await testWithUnzip(file);
  const { entries, compressed } = JSON.parse(execFileSync('python3', ['-c', READ_ZIP, file], { encoding: 'utf8' }));
  expect(compressed).toBe(false);
  return entries;
}

const holding = (...paths: string[]) =>
  Object.fromEntries(paths.map((path) => [path, picture(path).toString('latin1')]));

function expectDownload(answer: Answer, disposition: string): void {
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-disposition': disposition,
    'cache-control': 'private, no-store',
    'content-length': String(answer.body.length),
    'x-content-type-options': 'nosniff',
  });
}

describe('GET /download/{path}', () => {
  test('sends the original as an attachment, to anybody', async () => {
    await service.store('trips/a.png');
    const answer = await ask(service.url, '/download/trips/a.png');
    expectDownload(answer, 'attachment; filename="a.png"');
    expect(answer.headers['content-type']).toBe('image/png');
    expect(answer.body.equals(picture('trips/a.png'))).toBe(true);
    const head = await ask(service.url, '/download/trips/a.png', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      String(answer.body.length),
      0,
    ]);
  });

  test.each([
    [
      'a "quoted", & é.png',
      `attachment; filename="a _quoted_, & _.png"; filename*=UTF-8''a%20%22quoted%22%2C%20%26%20%C3%A9.png`,
    ],
    ["it's (1)*.png", `attachment; filename="it's (1)*.png"`],
    ['日本.png', `attachment; filename="__.png"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.png`],
  ])('names %s as RFC 5987 has it', async (name, disposition) => {
    await service.store(name);
    expectDownload(await ask(service.url, `/download/${encodeURIComponent(name)}`), disposition);
  });

  test('answers ranges and conditions', async () => {
    await service.store('a.png');
    const whole = picture('a.png');
    const part = await ask(service.url, '/download/a.png', { headers: { range: 'bytes=2-5' } });
    expect([part.status, part.headers['content-range'], part.body]).toEqual([
      206,
      `bytes 2-5/${whole.length}`,
      whole.subarray(2, 6),
    ]);
    const beyond = await ask(service.url, '/download/a.png', { headers: { range: 'bytes=99999999-' } });
    expect([beyond.status, beyond.json()]).toEqual([416, problem('Range not satisfiable')]);
    const etag = part.headers.etag ?? '';
    expect((await ask(service.url, '/download/a.png', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test.each([
    ['/download/none.png', 404, 'File not found'],
    ['/download/trips', 404, 'File not found'],
    ['/download/', 400, 'Bad request'],
    ['/download', 400, 'Bad request'],
    ['/download/%2e%2e/x', 400, 'Invalid path'],
  ])('%s is %i', async (path, status, error) => {
    await service.store('trips/a.png');
    const answer = await ask(service.url, path);
    expect([answer.status, answer.json()]).toEqual([status, problem(error)]);
  });
});

describe('GET /download-folder/{path}', () => {
  test('sends all files of a folder, named relative to it', async () => {
    await service.store('trips 2026/a.png', 'trips 2026/rome/b, "c" é.png', 'other.png');
    const answer = await ask(service.url, '/download-folder/trips%202026');
    expectDownload(answer, 'attachment; filename="trips 2026.zip"');
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(await unzip(answer.body)).toEqual({
      'a.png': picture('trips 2026/a.png').toString('latin1'),
      'rome/b, "c" é.png': picture('trips 2026/rome/b, "c" é.png').toString('latin1'),
    });
    const head = await ask(service.url, '/download-folder/trips%202026', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
      200,
      answer.headers['content-length'],
      0,
    ]);
  });

  test.each([
    ['/download-folder/none', 404, 'Folder not found'],
    ['/download-folder/empty', 404, 'Folder not found'],
    ['/download-folder/a.png', 404, 'Folder not found'],
    ['/download-folder/', 400, 'Bad request'],
    ['/download-folder/%2e%2e%2fx', 400, 'Bad request'],
  ])('%s is %i', async (path, status, error) => {
    await service.store('a.png');
    await mkdir(join(service.originals, 'empty/deep'), { recursive: true });
    const answer = await ask(service.url, path);
    expect([answer.status, answer.json()]).toEqual([status, problem(error)]);
  });
});

describe('POST /download-zip', () => {
  const zip = (body: unknown) => service.call('POST', '/download-zip', body);

  test('sends the chosen files and folders under their full paths, each once, without those that are missing', async () => {
    await service.store('a.png', 'trips/b.png', 'trips/rome/c.png', 'x.png');
    const answer = await zip({
      items: [
        { path: 'trips', kind: 'folder' },
        { path: 'trips/b.png', kind: 'file' },
        { path: 'a.png' },
        { path: '/a.png' },
        { path: 'none.png' },
        { path: 'none', kind: 'folder' },
        { path: 'trips', kind: 'file' },
        { path: 'x.png', kind: 'folder' },
      ],
      paths: ['x.png'],
    });
    expectDownload(answer, 'attachment; filename="download.zip"');
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(await unzip(answer.body)).toEqual(holding('a.png', 'trips/b.png', 'trips/rome/c.png'));
  });

  test('takes paths, of files and folders', async () => {
    await service.store('a.png', 'trips/b.png', 'trips/rome/c.png');
    expect(await unzip((await zip({ paths: ['trips/rome', 'a.png'] })).body)).toEqual(
      holding('a.png', 'trips/rome/c.png'),
    );
  });

  test('takes 200 entries and names of every kind', async () => {
    const odd = ['c:drive.png', 'with\nbreak.png', '日本 😀.png', '-rf.png', "it's.png"];
    for (const name of odd) {
      await mkdir(service.originals, { recursive: true });
      await writeFile(join(service.originals, name), name);
    }
    const paths = [...odd, ...Array.from({ length: 195 }, (_, n) => `none-${n}`)];
    const entries = await unzip((await zip({ paths })).body);
    const expected = odd.map((name) => [
      name.startsWith('c:') ? `./${name}` : name,
      Buffer.from(name).toString('latin1'),
    ]);
    expect(entries).toEqual(Object.fromEntries(expected));
  });

  test.each<[unknown, number, string]>([
    [undefined, 400, 'Bad request'],
    [{}, 400, 'Bad request'],
    [{ items: [] }, 400, 'Bad request'],
    [{ items: [], paths: ['a.png'] }, 400, 'Bad request'],
    [{ paths: [] }, 400, 'Bad request'],
    [{ paths: 'a.png' }, 400, 'Bad request'],
    [{ paths: [''] }, 400, 'Bad request'],
    [{ items: ['a.png'] }, 400, 'Bad request'],
    [{ items: [{ path: 'a.png', kind: 'link' }] }, 400, 'Bad request'],
    [{ paths: ['../a.png'] }, 400, 'Invalid path'],
    [{ paths: ['none.png', 'none'] }, 404, 'No files found'],
  ])('of %j is %i', async (body, status, error) => {
    await service.store('a.png');
    const answer = await zip(body);
    expect([answer.status, answer.json()]).toEqual([status, problem(error)]);
  });

  test('of 201 entries is 400', async () => {
    const answer = await zip({ paths: Array.from({ length: 201 }, (_, n) => `${n}.png`) });
    expect([answer.status, answer.json()]).toEqual([400, problem('Bad request')]);
  });

  test('a file that changes its size on the way cuts the answer short of its length', async () => {
    await service.store('a.png', 'z.png');
    const { store } = service.services.originals;
    const open = store.open.bind(store);
    store.open = async (path, options) => {
      if (path === 'z.png') await truncate(join(service.originals, 'z.png'), 10);
      return open(path, options);
    };
    await expect(zip({ paths: ['a.png', 'z.png'] })).rejects.toThrow('aborted');
    store.open = async () => Promise.reject(new Error('gone'));
    await expect(zip({ paths: ['a.png'] })).rejects.toThrow();
    store.open = open;
    expect((await zip({ paths: ['a.png'] })).status).toBe(200);
  });
});

describe('a client that leaves while a folder is looked through', () => {
  const FILES = 200;
  const SEEN = 10;

  /**
   * Suspends the walk of a folder, and resumes it after the client has disconnected; returns its number of files then.
   */
  async function walkLeft(ask: (url: string) => http.ClientRequest): Promise<number> {
    const folder = join(service.originals, 'many');
    await mkdir(folder, { recursive: true });
    for (let n = 0; n < FILES; n++) await writeFile(join(folder, `${n}.png`), 'small');
    const { store } = service.services.originals;
    const walk = store.walk.bind(store);
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<number>();
    store.walk = async function* (folder) {
      let given = 0;
      try {
        for await (const entry of walk(folder)) {
          if (given === SEEN) {
            begun.resolve();
            await left.promise;
          }
          given++;
          yield entry;
        }
      } finally {
        ended.resolve(given);
      }
    };
    // The service's own view of the request.
    const watch = (message: unknown) => (message as { response: ServerResponse }).response.once('close', left.resolve);
    subscribe('http.server.request.start', watch);
    try {
      const request = ask(service.url).on('error', () => undefined);
      await begun.promise;
      request.destroy();
      return await ended.promise;
    } finally {
      unsubscribe('http.server.request.start', watch);
      store.walk = walk;
    }
  }

  const headers = { 'x-api-key': TEST_KEY, 'content-type': 'application/json' };
  test.each<[string, (url: string) => http.ClientRequest]>([
    [
      'HEAD /download-folder',
      (url) => http.request(`${url}/download-folder/many`, { method: 'HEAD', agent: false }).end(),
    ],
    ['GET /download-folder', (url) => http.get(`${url}/download-folder/many`, { agent: false })],
    [
      'POST /download-zip',
      (url) =>
        http
          .request(`${url}/download-zip`, { method: 'POST', headers, agent: false })
          .end(JSON.stringify({ paths: ['many', 'none', 'many'] })),
    ],
  ])('ends %s', async (_, ask) => {
    expect(await walkLeft(ask)).toBeLessThanOrEqual(SEEN + 1);
  });
});
