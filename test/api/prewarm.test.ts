import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UploadedFile, UploadResult } from '../../src/library/upload.ts';
import { ask, fixture } from '../http.ts';
import { type LibraryService, picture, startLibrary } from '../library.ts';
import { TEST_KEY } from '../service.ts';

let service: LibraryService;
const WAV = Buffer.concat([Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(28)]);

beforeAll(async () => {
  service = await startLibrary();
});
afterAll(() => service.close());
beforeEach(() => service.clear());

async function upload(transformations: string[], files: [name: string, bytes: Uint8Array][] = [['x.png', picture()]]) {
  const form = new FormData();
  for (const text of transformations) form.append('transformations', text);
  for (const [name, bytes] of files) form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const response = await service.authorized('/upload', { method: 'POST', body: form });
  const body = (await response.json()) as UploadResult & { error?: string; code?: string; message?: string };
  return { status: response.status, ...body };
}

async function uploadOne(
  transformations: string[],
  name?: string,
  bytes: Uint8Array = picture(),
): Promise<UploadedFile> {
  const { status, files } = await upload(transformations, name === undefined ? undefined : [[name, bytes]]);
  expect(status).toBe(200);
  return files[0] as UploadedFile;
}

const visit = (url: string, accept?: string) =>
  ask(service.url, url, accept === undefined ? {} : { headers: { accept } });

describe('prewarming', () => {
  test('without f renders every format that a visitor can be given', async () => {
    const { prewarmedUrls } = await uploadOne(['w_40']);
    expect(prewarmedUrls).toEqual(['/t/w_40/x.png']);
    const chrome = 'image/avif,image/webp,image/apng,image/*,*/*;q=0.8';
    const formats = [
      [chrome, 'image/avif'],
      ['image/webp,*/*', 'image/webp'],
      ['*/*', 'image/png'],
      [undefined, 'image/png'],
    ];
    for (const [accept, type] of formats) {
      const answer = await visit(prewarmedUrls[0] ?? '', accept);
      expect([answer.status, answer.headers['x-cache'], answer.headers['content-type']]).toEqual([200, 'hit', type]);
    }
  });

  test('with f renders that format only', async () => {
    const { prewarmedUrls } = await uploadOne(['w_40,f_webp']);
    const answer = await visit(prewarmedUrls[0] ?? '');
    expect([answer.headers['x-cache'], answer.headers['content-type']]).toEqual(['hit', 'image/webp']);
    expect((await service.services.variants.stats()).fileCount).toBe(1);
  });

  test('finds its variant under any spelling of the same transformation', async () => {
    await uploadOne(['f_webp,w_40,c_fill,q_85']);
    expect((await visit('/t/w_40,f_webp/x.png')).headers['x-cache']).toBe('hit');
  });

  test.each<[string, string[], string[]]>([
    ['repeated fields', ['w_10,f_png', 'w_20,f_png'], ['w_10,f_png', 'w_20,f_png']],
    ['a JSON array', ['["w_10,f_png", "w_20,f_png"]'], ['w_10,f_png', 'w_20,f_png']],
    ['lines', ['w_10,f_png\nw_20,f_png\r\n\n'], ['w_10,f_png', 'w_20,f_png']],
    ['semicolons', ['w_10,f_png; w_20,f_png;'], ['w_10,f_png', 'w_20,f_png']],
    ['all at once', ['["w_10,f_png"]', 'w_20,f_png;w_30,f_png'], ['w_10,f_png', 'w_20,f_png', 'w_30,f_png']],
    ['URL parts', ['/w_10,f_png', 't/w_20,f_png', '/t/w_30,f_png/'], ['w_10,f_png', 'w_20,f_png', 'w_30,f_png']],
    ['repetitions', ['w_10,f_png', '/t/w_10,f_png'], ['w_10,f_png']],
    ['colons', ['ar_1:1,w_10,b_rgb:ff0000,f_png'], ['ar_1:1,w_10,b_rgb:ff0000,f_png']],
    ['nothing', ['', ' ; \n', '[]'], []],
  ])('reads %s', async (_what, fields, segments) => {
    const file = await uploadOne(fields);
    expect(file.prewarmedUrls).toEqual(segments.map((segment) => `/t/${segment}/x.png`));
    for (const url of file.prewarmedUrls) expect((await visit(url)).headers['x-cache']).toBe('hit');
  });

  test('takes transformations[] as well', async () => {
    const form = new FormData();
    form.append('transformations[]', 'w_10,f_png');
    form.append('files', new Blob([picture() as Uint8Array<ArrayBuffer>]), 'x.png');
    const response = await service.authorized('/upload', { method: 'POST', body: form });
    expect(((await response.json()) as UploadResult).files[0]?.prewarmedUrls).toHaveLength(1);
  });

  test.each<[string, string[]]>([
    ['more than 20', Array.from({ length: 21 }, (_, n) => `w_${n + 1}`)],
    ['more than 20 in one text', [Array.from({ length: 21 }, (_, n) => `w_${n + 1}`).join(';')]],
    ['what is no transformation', ['w_10', 'holiday']],
    ['two segments', ['w_10/h_10']],
    ['a value out of range', ['w_0']],
    ['a value over the limit', ['w_99999']],
    ['a video format of an image', ['f_mp4']],
    ['JSON that is no list', ['["w_10", 5]']],
    ['broken JSON', ['["w_10"']],
  ])('%s is 400 and nothing is stored', async (_what, transformations) => {
    const { status, error, code, message, ...rest } = await upload(transformations);
    expect({ status, error, code, message, rest }).toEqual({
      status: 400,
      error: expect.any(String),
      code: expect.any(String),
      message: expect.any(String),
      rest: {},
    });
    expect(await service.files()).toEqual([]);
  });

  test('20 are fine', async () => {
    const file = await uploadOne([Array.from({ length: 20 }, (_, n) => `w_${n + 1},f_png`).join('\n')]);
    expect([file.prewarmedUrls.length, file.prewarmErrors]).toEqual([20, []]);
  });

  test('a failure is noted and fails nothing else', async () => {
    const truncated =
      fixture('not-an-image.jpg').length > 3 ? fixture('not-an-image.jpg') : fixture('corrupt-header.jpg');
    const broken = Buffer.concat([fixture('concert.jpg').subarray(0, 200), truncated]);
    const { status, success, files } = await upload(
      ['w_20,f_png'],
      [
        ['broken.jpg', broken],
        ['good.png', picture()],
        ['sound.wav', WAV],
      ],
    );
    expect([status, success]).toEqual([200, true]);
    expect(files.map(({ prewarmedUrls, prewarmErrors }) => [prewarmedUrls.length, prewarmErrors.length])).toEqual([
      [0, 1],
      [1, 0],
      [0, 1],
    ]);
    for (const { prewarmErrors } of files) {
      for (const error of prewarmErrors) expect(error).toMatch(/^w_20,f_png: /);
    }
  });

  test('the variants are under the name that the file was given', async () => {
    await uploadOne(['w_10,f_png'], 'same, "one".png', picture('1'));
    const second = await uploadOne(['w_10,f_png'], 'same, "one".png', picture('2'));
    expect(second.prewarmedUrls).toEqual([`/t/w_10,f_png/${encodeURIComponent('same, "one" (1).png')}`]);
    expect((await visit(second.prewarmedUrls[0] ?? '')).headers['x-cache']).toBe('hit');
  });

  test('a HEIC is prewarmed as the JPEG that is kept of it', async () => {
    const { path, prewarmedUrls } = await uploadOne(['w_10,f_webp'], 'still.heic', fixture('still.heic'));
    expect([path, prewarmedUrls]).toEqual(['still.jpg', ['/t/w_10,f_webp/still.jpg']]);
    expect((await visit(prewarmedUrls[0] ?? '')).headers['x-cache']).toBe('hit');
  });

  test('transcodes are queued for later, frames are made now', async () => {
    const transformations = ['w_64', 'so_0,w_32,f_jpeg'];
    const { prewarmErrors, queueErrors, ...file } = await uploadOne(transformations, 'v.mp4', fixture('schizo_90.mp4'));
    expect([prewarmErrors, queueErrors]).toEqual([[], []]);
    expect(file.queuedTransformationUrls).toEqual(['/t/w_64/v.mp4']);
    expect(file.prewarmedUrls).toEqual(['/t/so_0,w_32,f_jpeg/v.mp4']);
    expect((await visit(file.prewarmedUrls[0] ?? '')).headers['x-cache']).toBe('hit');
    const { jobs } = await service.services.queue.jobs.list({ limit: 10, offset: 0 } as never);
    expect(jobs.map(({ path, priority }) => [path, priority])).toEqual([['v.mp4', 3]]);
    expect(
      (await ask(service.url, '/storage/v.mp4', { method: 'DELETE', headers: { 'x-api-key': TEST_KEY } })).json(),
    ).toMatchObject({
      details: { jobsDeleted: 1 },
    });
  });
});
