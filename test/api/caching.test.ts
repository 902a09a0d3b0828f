import { appendFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asking, ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
const get = (path: string, headers?: Asking['headers'], method = 'GET') =>
  ask(service.url, path, { method, ...(headers && { headers }) });

const file = (name: string) => join(service.originals, name);

beforeAll(async () => {
  // Every change on disk is noticed immediately.
  service = await startService({ ORIGINAL_CHECK_INTERVAL_MS: '0' });
  for (const name of ['concert.jpg', 'flag-alpha.png', 'truncated.jpg', 'not-an-image.jpg', 'corrupt-header.jpg']) {
    await service.place(name, fixture(name));
  }
});
afterAll(() => service.close());

describe('negotiation', () => {
  const choices: [string | undefined, string, string][] = [
    [undefined, 'image/jpeg', 'image/png'],
    ['*/*', 'image/jpeg', 'image/png'],
    ['image/*,*/*;q=0.8', 'image/jpeg', 'image/png'],
    ['image/avif,image/webp,image/*', 'image/avif', 'image/avif'],
    ['image/webp,*/*', 'image/webp', 'image/webp'],
    ['image/avif;q=0.5,image/webp;q=0.9', 'image/webp', 'image/webp'],
    ['image/avif;q=0,image/webp;q=0', 'image/jpeg', 'image/png'],
    ['image/avif;q=0.4, image/webp;q=0.4', 'image/avif', 'image/avif'],
  ];
  test.each(choices)('Accept: %s gives %s, with alpha %s, and Vary: Accept', async (accept, opaque, transparent) => {
    const headers = accept === undefined ? {} : { accept };
    for (const segment of ['w_20', 'w_20,f_auto']) {
      for (const [name, type] of [
        ['concert.jpg', opaque],
        ['flag-alpha.png', transparent],
      ] as const) {
        const answer = await get(`/t/${segment}/${name}`, headers);
        expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([200, type, 'Accept']);
      }
    }
  });

  test('an explicit format does not vary', async () => {
    const answer = await get('/t/w_20,f_png/concert.jpg', { accept: 'image/avif' });
    expect([answer.headers['content-type'], answer.headers.vary]).toEqual(['image/png', undefined]);
  });
});

describe('the cache', () => {
  test('the first answer is a miss and the next ones are hits, with equal bytes', async () => {
    const miss = await get('/t/w_30,f_png/concert.jpg');
    const hit = await get('/t/w_30,f_png/concert.jpg');
    const hot = await get('/t/w_30,f_png/concert.jpg');
    expect([miss, hit, hot].map(({ headers }) => headers['x-cache'])).toEqual(['miss', 'hit', 'hit']);
    expect(hit.body.equals(miss.body) && hot.body.equals(miss.body)).toBe(true);
  });

  test.each([
    ['w_40,h_30', ['h_30,w_40', 'w_40,,h_30,', 'w_040,h_30', 'w_7,w_40,h_30', 'c_fill,w_40,h_30']],
    [
      'w_40,h_31',
      [
        'q_85,w_40,h_31',
        'w_40,h_31,g_center',
        'w_40,h_31,g_c,c_lfill',
        'a_0,h_31,a_auto,w_40,f_auto',
        'a_360,w_40,h_31',
      ],
    ],
    ['w_40,h_32,c_fit', ['w_40,h_32,c_limit', 'h_32,c_mfit,w_40', 'w_40,h_32,c_fit,g_north']],
    ['w_40,h_33,c_crop', ['c_thumb,w_40,h_33']],
    [
      'w_40,h_34,c_pad,b_rgb:ff0000',
      ['w_40,h_34,c_lpad,b_f00', 'b_FF0000,c_pad,h_34,w_40', 'b_ff0000ff,c_pad,h_34,w_40'],
    ],
    ['w_40,h_35,f_jpeg', ['w_40,h_35,f_jpg', 'f_png,w_40,h_35,f_jpg']],
    ['w_41', ['w_41,g_south', 'w%5F41']],
  ])('%s makes one variant in whatever order and spelling', async (first, others) => {
    const before = (await service.cachedFiles()).length;
    const { body } = await get(`/t/${first}/concert.jpg`);
    for (const other of others) {
      const answer = await get(`/t/${other}/concert.jpg`);
      expect([answer.headers['x-cache'], answer.body.equals(body)], other).toEqual(['hit', true]);
    }
    expect((await service.cachedFiles()).length).toBe(before + 1);
  });

  test('HEAD renders a cold variant and gives the headers of GET, the exact length among them', async () => {
    const head = await get('/t/w_33,f_webp/concert.jpg', {}, 'HEAD');
    const whole = await get('/t/w_33,f_webp/concert.jpg');
    expect([head.status, head.body.length, head.headers['x-cache']]).toEqual([200, 0, 'miss']);
    expect(whole.headers['x-cache']).toBe('hit');
    for (const name of ['content-length', 'content-type', 'etag', 'last-modified', 'accept-ranges', 'cache-control'])
      expect(head.headers[name], name).toBe(whole.headers[name]);
    expect(head.headers['content-length']).toBe(String(whole.body.length));
  });

  test('HEAD of an original has its length and no body', async () => {
    const head = await get('/t/concert.jpg', {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(fixture('concert.jpg').length));
  });
});

describe('an ETag', () => {
  const paths = ['/t/concert.jpg', '/t/w_50,f_png/concert.jpg', '/t/w_50/concert.jpg'];

  test('is strong and the same on a miss, on a hit and after a restart', async () => {
    const first = await startService({ ORIGINAL_CHECK_INTERVAL_MS: '0', DATA_DIR: service.data });
    const seen = new Map<string, unknown>();
    for (const path of paths) {
      const { headers } = await ask(first.url, path);
      expect(headers.etag).toMatch(/^"[^"]+"$/);
      seen.set(path, [headers.etag, headers['last-modified']]);
      const again = await ask(first.url, path);
      expect([again.headers.etag, again.headers['last-modified']]).toEqual(seen.get(path));
    }
    await first.close();
    const second = await startService({ DATA_DIR: service.data });
    for (const path of paths) {
      const { headers } = await ask(second.url, path);
      expect([headers.etag, headers['last-modified']]).toEqual(seen.get(path));
      if (path !== '/t/concert.jpg') expect(headers['x-cache']).toBe('hit');
    }
    await second.close();
  });

  test('differs between the variants of a file and between files', async () => {
    const tags = [];
    for (const path of [...paths, '/t/w_51,f_png/concert.jpg', '/t/w_50,f_png/flag-alpha.png'])
      tags.push((await get(path)).headers.etag);
    expect(new Set(tags).size).toBe(tags.length);
  });

  test('is new when the original changes on the disk, and so are the pixels and the date', async () => {
    const plain = (colour: string) =>
      sharp({ create: { width: 9, height: 9, channels: 3, background: colour } })
        .png()
        .toBuffer();
    await writeFile(file('changing.png'), await plain('#ff0000'));
    await utimes(file('changing.png'), 1e9, 1e9);
    const paths = ['/t/changing.png', '/t/w_5,f_png/changing.png'];
    const before = await Promise.all(paths.map((path) => get(path)));
    await Promise.all(paths.map((path) => get(path)));
    await writeFile(file('changing.png'), await plain('#0000ff'));
    for (const [index, path] of paths.entries()) {
      const after = await get(path);
      expect(after.headers.etag).not.toBe(before[index]?.headers.etag);
      expect(before[index]?.headers['last-modified']).toBe('Sun, 09 Sep 2001 01:46:40 GMT');
      expect(after.headers['last-modified']).not.toBe('Sun, 09 Sep 2001 01:46:40 GMT');
      const { dominant } = await sharp(after.body).stats();
      expect(dominant.b > 200 && dominant.r < 50, path).toBe(true);
      expect((await get(path, { 'if-none-match': before[index]?.headers.etag })).status).toBe(200);
    }
  });

  test('an original that grew or shrank a moment ago is sent whole, whatever was remembered of it', async () => {
    const slow = await startService({ ORIGINAL_CHECK_INTERVAL_MS: '3600000' });
    const name = join(slow.originals, 'note.txt');
    for (const content of ['first', 'a longer one', 'short']) {
      await writeFile(name, content);
      const answer = await ask(slow.url, '/t/note.txt');
      expect([answer.body.toString(), answer.headers['content-length']]).toEqual([content, String(content.length)]);
    }
    await slow.close();
  });
});

describe('an image that cannot be decoded', () => {
  test.each(['truncated.jpg', 'corrupt-header.jpg', 'not-an-image.jpg'])(
    '%s gives the original, not cached',
    async (name) => {
      const before = await service.cachedFiles();
      for (const segment of ['w_100', 'w_100,f_webp', 'w_100,c_fit']) {
        const answer = await get(`/t/${segment}/${name}`);
        expect(answer.status).toBe(200);
        expect(answer.headers['x-transform-fallback']).toBe('original');
        expect(answer.headers['cache-control']).toBe('no-store');
        expect(answer.headers['content-type']).toBe('image/jpeg');
        expect(answer.headers['x-content-type-options']).toBe('nosniff');
        expect(answer.body.equals(fixture(name))).toBe(true);
      }
      expect(await service.cachedFiles()).toEqual(before);
    },
  );

  test('is rendered again when its file is complete', async () => {
    const whole = fixture('concert.jpg');
    await writeFile(file('arriving.jpg'), whole.subarray(0, 5000));
    expect((await get('/t/w_10,f_png/arriving.jpg')).headers['x-transform-fallback']).toBe('original');
    await appendFile(file('arriving.jpg'), whole.subarray(5000));
    expect((await get('/t/w_10,f_png/arriving.jpg')).headers['content-type']).toBe('image/png');
  });
});
