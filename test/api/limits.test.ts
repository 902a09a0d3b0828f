import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { SETTING_NAMES } from '../settings.ts';
import { texts } from '../source-files.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ MAX_INPUT_MEGAPIXELS: '10', MAX_OUTPUT_SIDE: '4000', MAX_OUTPUT_MEGAPIXELS: '2' });
  const put = (name: string, bytes: Uint8Array) => writeFile(join(service.originals, name), bytes);
  await put('photo.jpg', fixture('photo-2725x2225.jpg'));
  await put('concert.jpg', fixture('concert.jpg'));
  await put('bomb.png', fixture('bomb-16383.png'));
  await put('bomb-header.png', pngHeader(65_536, 65_536));
  await put('bomb.jpg', claimSize(fixture('concert.jpg'), 65_500, 65_500));
});
afterAll(() => service.close());

describe('over the limit of the input', () => {
  test.each(['bomb.png', 'bomb-header.png', 'bomb.jpg'])('%s is refused before a pixel is decoded', async (name) => {
    const answer = await ask(service.url, `/t/w_10/${name}`);
    expectLimit(answer, 'MAX_INPUT_MEGAPIXELS', '10');
  });

  test('the original is delivered all the same', async () => {
    const answer = await ask(service.url, '/t/bomb.png');
    expect([answer.status, answer.body.equals(fixture('bomb-16383.png'))]).toEqual([200, true]);
  });
});

describe('over a limit of the output', () => {
  test.each([
    ['w_4001', 'concert.jpg', 'from 1 to 4000'],
    ['h_4001', 'concert.jpg', 'from 1 to 4000'],
  ])('%s of %s is 400 by the range of the parameter', async (segment, name, range) => {
    const answer = await ask(service.url, `/t/${segment}/${name}`);
    expect(answer.status).toBe(400);
    expect(answer.json().message).toContain(range);
  });

  test.each([
    ['w_2000,h_2000', 'concert.jpg', 'MAX_OUTPUT_MEGAPIXELS', '2'],
    ['w_2000', 'photo.jpg', 'MAX_OUTPUT_MEGAPIXELS', '2'],
    ['q_50', 'photo.jpg', 'MAX_OUTPUT_MEGAPIXELS', '2'],
    ['w_100,ar_1:90', 'concert.jpg', 'MAX_OUTPUT_SIDE', '4000'],
  ])('%s of %s is 400 and names %s', async (segment, name, setting, value) => {
    expectLimit(await ask(service.url, `/t/${segment}/${name}`), setting, value);
  });

  test('what is just within is rendered', async () => {
    expect((await ask(service.url, '/t/w_2000,h_1000,f_jpeg,q_1/concert.jpg')).status).toBe(200);
    expect((await ask(service.url, '/t/w_4000,h_500,f_jpeg,q_1/concert.jpg')).status).toBe(200);
  });
});

test('GET /limits has each limit that the text of an error names, once, with its value', async () => {
  const own = await startService({ VIDEO_MEMORY_MB: '256', VIDEO_QUEUE_MAX_PER_CLIENT: '7', UPLOAD_GRACE_MS: '5000' });
  const { limits } = (await ask(own.url, '/limits')).json() as { limits: { setting: string; value: number }[] };
  await own.close();
  const settings = limits.map(({ setting }) => setting);
  const told = [...texts.entries()]
    .filter(([file]) => !file.startsWith('config/') && file !== 'http/routes/limits.ts')
    .flatMap(
      ([, text]) =>
        text.match(/\b[A-Z]+_(?:[A-Z]+_)*(?:MAX|TIMEOUT|WAIT|BUDGET|RATE)(?:_[A-Z_]+)?\b|\bMAX_[A-Z_]+\b/g) ?? [],
    )
    .filter((name) => SETTING_NAMES.includes(name));
  expect(told).toContain('VIDEO_QUEUE_MAX');
  expect(new Set(told).difference(new Set(settings))).toEqual(new Set());
  expect(new Set(settings).size).toBe(settings.length);
  expect(Object.fromEntries(limits.map(({ setting, value }) => [setting, value]))).toMatchObject({
    VIDEO_MEMORY_MB: 256,
    VIDEO_QUEUE_MAX: 1000,
    VIDEO_QUEUE_MAX_PER_CLIENT: 7,
    UPLOAD_GRACE_MS: 5000,
    UPLOAD_UNPROVEN_MAX_PER_CLIENT: 2,
    SIGNATURE_MAX_EXPIRES_IN: 3600,
  });
});

test('afterwards everything still works', async () => {
  expect((await ask(service.url, '/t/w_10,f_png/concert.jpg')).status).toBe(200);
});

function expectLimit(answer: Awaited<ReturnType<typeof ask>>, setting: string, value: string): void {
  expect(answer.status).toBe(400);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  expect(answer.json().message).toContain(setting);
  expect(answer.json().message).toMatch(new RegExp(`\\b${value}\\b`));
}

/** Returns a PNG that claims a size and ends in the middle of its first rows. */
function pngHeader(width: number, height: number): Buffer {
  const header = Buffer.alloc(17);
  header.write('IHDR');
  header.writeUInt32BE(width, 4);
  header.writeUInt32BE(height, 8);
  header.set([8, 6, 0, 0, 0], 12);
  const length = Buffer.alloc(4);
  const sum = Buffer.alloc(4);
  length.writeUInt32BE(13);
  sum.writeUInt32BE(crc32(header));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    length,
    header,
    sum,
    Buffer.from('\0\0\xff\xffIDAT', 'latin1'),
  ]);
}

/** Returns the same JPEG with another size in its frame header. */
function claimSize(jpeg: Buffer, width: number, height: number): Buffer {
  const copy = Buffer.from(jpeg);
  for (let at = 2; at < copy.length; at += 2 + copy.readUInt16BE(at + 2)) {
    const marker = copy[at + 1] ?? 0;
    if (marker < 0xc0 || marker > 0xc2) continue;
    copy.writeUInt16BE(height, at + 5);
    copy.writeUInt16BE(width, at + 7);
    return copy;
  }
  throw new Error('Expected a JPEG with a frame header.');
}
