import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { UploadResult } from '../../src/library/upload.ts';
import { ask, fixture } from '../http.ts';
import { startService, TEST_KEY } from '../service.ts';
import { blob, startUploads, type UploadService } from '../uploads.ts';

let service: UploadService;
const concert = fixture('concert.jpg');
const flag = fixture('flag-alpha.png');

beforeAll(async () => {
  service = await startUploads();
});
afterAll(() => service.close());
afterEach(async () => {
  expect(await readdir(service.services.temp), 'temporary files are gone').toEqual([]);
});

const upload: UploadService['send'] = (...sent) => service.send(...sent);
const uploadForm: UploadService['sendForm'] = (...sent) => service.sendForm(...sent);
const delivered: UploadService['delivered'] = (path) => service.delivered(path);

describe('an upload', () => {
  test('answers with the whole result and delivers the same bytes', async () => {
    const answer = await upload({ 'first.jpg': concert }, { folder: 'shape' });
    expect(answer).toEqual({
      status: 200,
      success: true,
      files: [
        {
          filename: 'first.jpg',
          path: 'shape/first.jpg',
          size: concert.length,
          url: '/t/shape/first.jpg',
          prewarmedUrls: [],
          prewarmErrors: [],
          queuedTransformationUrls: [],
          queueErrors: [],
        },
      ],
      errors: [],
    });
    const { url = '' } = answer.files[0] ?? {};
    expect((await ask(service.url, url)).body.equals(concert)).toBe(true);
  });

  test('below /api gives URLs without the prefix', async () => {
    const form = new FormData();
    form.append('files', blob(concert), 'prefix.jpg');
    const response = await service.authorized('/api/upload', { method: 'POST', body: form });
    expect(((await response.json()) as UploadResult).files[0]?.url).toBe('/t/prefix.jpg');
  });

  test('gives URLs below PUBLIC_URL where it is set; the host that a client names never gets into one', async () => {
    const elsewhere = await startService({ PUBLIC_URL: 'https://media.example.org/files/' });
    try {
      for (const [at, base] of [
        [service, ''],
        [elsewhere, 'https://media.example.org/files'],
      ] as const) {
        const form = new FormData();
        form.append('transformations', 'w_10,f_png');
        form.append('files', blob(concert), 'hosted.jpg');
        const body = new Response(form);
        const headers = {
          'x-api-key': TEST_KEY,
          'content-type': body.headers.get('content-type') ?? '',
          host: 'attacker.example',
          'x-forwarded-host': 'attacker.example',
        };
        const answer = await ask(at.url, '/upload', { method: 'POST', headers, body: await body.bytes() });
        expect(answer.json().files).toEqual([
          expect.objectContaining({ url: `${base}/t/hosted.jpg`, prewarmedUrls: [`${base}/t/w_10,f_png/hosted.jpg`] }),
        ]);
      }
    } finally {
      await elsewhere.close();
    }
  });

  test('of a file that was asked for a moment ago and missing is delivered at once', async () => {
    expect((await ask(service.url, '/t/w_10,f_png/awaited.jpg')).status).toBe(404);
    await upload({ 'awaited.jpg': concert });
    expect((await ask(service.url, '/t/w_10,f_png/awaited.jpg')).status).toBe(200);
  });

  test('never overwrites: a name that exists gets a number before the extension', async () => {
    for (const name of ['same.name.png', 'same.name (1).png', 'same.name (2).png']) {
      const { files } = await upload({ 'same.name.png': flag }, { folder: 'unique' });
      expect(files[0]).toMatchObject({ filename: name, path: `unique/${name}` });
    }
    const twice = await uploadForm((form) => {
      form.append('folder', 'unique');
      form.append('files', blob(flag), 'twice.png');
      form.append('files', blob(flag), 'twice.png');
    });
    expect(twice.files.map(({ filename }) => filename)).toEqual(['twice.png', 'twice (1).png']);
  });

  test('20 at once under one name are 20 files', async () => {
    const pictures = Array.from({ length: 20 }, (_, n) => Buffer.concat([flag, Buffer.alloc(n + 1, n)]));
    const answers = await Promise.all(pictures.map((bytes) => upload({ 'race.png': bytes }, { folder: 'race' })));
    const paths = answers.map(({ files }) => files[0]?.path ?? '');
    expect(new Set(paths).size).toBe(20);
    for (const [index, path] of paths.entries())
      expect((await delivered(path)).equals(pictures[index] ?? flag), path).toBe(true);
  });

  test("takes the names in the order of the files; an empty one keeps the file's own", async () => {
    const { status, files } = await uploadForm((form) => {
      for (const name of ['one.png', '', 'deeper/three.png']) form.append('names', name);
      for (const name of ['a.png', 'b.png', 'c.png', 'd.png']) form.append('files', blob(flag), name);
      form.append('folder', 'names/nested');
    });
    expect(status).toBe(200);
    expect(files.map(({ path }) => path)).toEqual([
      'names/nested/one.png',
      'names/nested/b.png',
      'names/nested/deeper/three.png',
      'names/nested/d.png',
    ]);
  });

  test.each([
    ['a,b&c@d.png', 'a,b&c@d.png'],
    ['with space and (1).png', 'with space and (1).png'],
    ['no#question?no%25percent.png', 'noquestionno25percent.png'],
    ['line\nbreak\u0000\u007f.png', 'linebreak.png'],
    ['../../escape.png', 'escape.png'],
    ['..\\..\\windows\\escape.png', 'windows/escape.png'],
    ['/etc/./absolute.png', 'etc/absolute.png'],
    ['u\u0308ber 日本 😀.png', '\u00fcber 日本 😀.png'],
    ['..png', '..png'],
    ['UPPER.PNG', 'UPPER.PNG'],
  ])('of the name %j is stored as %j', async (name, path) => {
    const { status, files } = await upload({ 'x.png': flag }, { names: name, folder: 'cleaned' });
    expect([status, files[0]?.path]).toEqual([200, `cleaned/${path}`]);
    expect((await delivered(`cleaned/${path}`)).equals(flag)).toBe(true);
  });

  test.each([
    ['../../outside', 'outside/x.png'],
    ['/a//b/', 'a/b/x.png'],
    ['back\\slash', 'back/slash/x.png'],
    ['my folder_1, w_300', 'my folder_1, w_300/x.png'],
    ['per%cent#', 'percent/x.png'],
    ['/', 'x.png'],
    ['..', 'x (1).png'],
    ['', 'x (2).png'],
  ])('to the folder %j is stored at %j', async (folder, path) => {
    const { status, files } = await upload({ 'x.png': flag }, { folder });
    expect([status, files[0]?.path]).toEqual([200, path]);
  });

  test.each(['..', '/', '#?%', ' ', ' % ', ' /a.png', '.png', `${'x'.repeat(252)}.png`])(
    'of the name %j is refused',
    async (name) => {
      const { status, success, files, errors } = await upload({ 'x.png': flag }, { names: name });
      expect({ status, success, files }).toEqual({ status: 400, success: false, files: [] });
      expect(errors).toEqual([{ filename: name, error: expect.any(String), code: expect.any(String) }]);
    },
  );

  test('to a folder of spaces alone is refused as a whole: 400', async () => {
    const { status, error, message } = await upload({ 'x.png': flag }, { folder: 'a/ ' });
    expect([status, error, message]).toEqual([
      400,
      'Invalid path',
      'Expected names of more than spaces, received "a/ ".',
    ]);
    expect((await upload({ 'x.png': flag }, { folder: ' a ', names: ' b .png' })).files[0]?.path).toBe(' a / b .png');
  });

  test('in the place of a folder gets a number, and below a file is refused', async () => {
    await upload({ 'x.png': flag }, { folder: 'folder.png' });
    expect((await upload({ 'folder.png': flag })).files[0]?.path).toBe('folder (1).png');
    const below = await upload({ 'y.png': flag }, { folder: 'folder (1).png' });
    expect([below.status, below.files, below.errors.length]).toEqual([400, [], 1]);
  });

  test('ignores .DS_Store', async () => {
    const { status, success, files, errors } = await upload({ '.DS_Store': 'litter', 'kept.png': flag });
    expect([status, success, errors]).toEqual([200, true, []]);
    expect(files.map(({ path }) => path)).toEqual(['kept.png']);
  });
});
