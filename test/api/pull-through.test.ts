import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { bytes, type PlaceAnswer, startPlace } from '../old-place.ts';
import { startService, type TestService } from '../service.ts';

const photo = fixture('no-face.jpg');
const logo = fixture('badge.png');

const redirect = (location: string) =>
  ((_, response) => response.writeHead(302, { location }).end()) satisfies PlaceAnswer;

let old: Awaited<ReturnType<typeof startPlace>>;
let other: Awaited<ReturnType<typeof startPlace>>;
let service: TestService;

beforeAll(async () => {
  old = await startPlace();
  other = await startPlace();
  service = await startService({
    ORIGINS: `photos=${old.url}/uploads/, photos/brand=${other.url}`,
    ORIGINS_TIMEOUT_MS: '60000',
    MAX_FILE_SIZE_MB: '1',
  });
});
afterAll(async () => {
  old.close();
  other.close();
  await service.close();
});
afterEach(async () => {
  old.asked.length = 0;
  other.asked.length = 0;
  await expect.poll(() => readdir(service.services.temp), { message: 'temporary files are gone' }).toEqual([]);
});

const get = (path: string) => ask(service.url, `/t/${path}`);

test('a file that is not there yet is fetched once from the same path at its old place, and kept', async () => {
  old.answers['/uploads/2019/no%20face.jpg'] = bytes(photo);
  const paths = [240, 241, 242, 243, 244, 245, 246, 247].map((width) => `w_${width},f_webp/photos/2019/no%20face.jpg`);
  const pictures = await Promise.all(paths.map(get));
  expect(pictures.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect((await sharp(pictures[0]?.body).metadata()).width).toBe(240);
  expect(old.asked).toEqual(['/uploads/2019/no%20face.jpg']);
  delete old.answers['/uploads/2019/no%20face.jpg'];
  expect((await get('photos/2019/no%20face.jpg')).body.equals(photo)).toBe(true);
  expect(await (await service.authorized('/storage?path=photos/2019')).json()).toMatchObject({
    files: [{ name: 'no face.jpg', size: photo.length }],
  });
});

test('of two folders the inner one counts', async () => {
  other.answers['/logo.png'] = bytes(logo);
  expect((await get('photos/brand/logo.png')).body.equals(logo)).toBe(true);
  expect([old.asked, other.asked]).toEqual([[], ['/logo.png']]);
});

test('layers are fetched as well', async () => {
  old.answers['/uploads/below.jpg'] = bytes(photo);
  other.answers['/above.png'] = bytes(logo);
  expect((await get('w_200~l_photos:brand:above.png,w_50/photos/below.jpg')).status).toBe(200);
});

test('that there is no such file is remembered', async () => {
  for (let n = 0; n < 3; n++) expect(await get('w_100/photos/nothing.jpg')).toMatchObject({ status: 404 });
  expect(old.asked).toEqual(['/uploads/nothing.jpg']);
});

test('a file that is uploaded meanwhile is there at once', async () => {
  expect(await get('photos/late.jpg')).toMatchObject({ status: 404 });
  expect((await service.upload({ 'late.jpg': photo }, { folder: 'photos' })).status).toBe(200);
  expect(await get('photos/late.jpg')).toMatchObject({ status: 200 });
});

test('nobody is asked for files of other folders, and of other types', async () => {
  expect(await get('elsewhere/a.jpg')).toMatchObject({ status: 404 });
  expect(await get('photos/a.php')).toMatchObject({ status: 404 });
  expect([old.asked, other.asked]).toEqual([[], []]);
});

test.each([
  ...['.hidden.jpg', '.git/a.jpg', 'a/.b/c.jpg', '.jpg', '._a.jpg'],
  ...['a%0A.jpg', 'a%7F.jpg', '%20/a.jpg', 'a', 'a.', 'a.jpg.php', 'a.txt', 'a.svg', 'a.jpg%20'],
])('nobody is asked for %s, which can be no media file', async (name) => {
  expect(await get(`photos/${name}`)).toMatchObject({ status: 404 });
  expect(old.asked).toEqual([]);
});

test('nobody is asked for a name that is too long', async () => {
  expect(await get(`photos/${'a'.repeat(252)}.jpg`)).toMatchObject({ status: 400 });
  expect(old.asked).toEqual([]);
});

test('no more than ORIGINS_MAX_CONCURRENT files are fetched at a time', async () => {
  const narrow = await startService({ ORIGINS: `=${old.url}/uploads`, ORIGINS_MAX_CONCURRENT: '2' });
  const names = ['1', '2', '3', '4', '5', '6'];
  let open = 0;
  let most = 0;
  const answerLater: PlaceAnswer = (_, response) => {
    most = Math.max(most, ++open);
    // Others could begin meanwhile.
    const others = names.map(() => ask(narrow.url, '/health'));
    void Promise.all(others).then(() => {
      open--;
      response.writeHead(200).end(photo);
    });
  };
  for (const name of names) old.answers[`/uploads/narrow/${name}.jpg`] = answerLater;
  const fetched = await Promise.all(names.map((name) => ask(narrow.url, `/t/narrow/${name}.jpg`)));
  expect(fetched.map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(most).toBe(2);
  await narrow.close();
});

describe('files that an origin has for every name', () => {
  const MEGABYTE = 1024 * 1024;
  const padded = (size: number) => Buffer.concat([photo, Buffer.alloc(size - photo.length)]);
  let data: string;
  const open = (settings: Record<string, string> = {}) =>
    startService({ ORIGINS: `photos=${old.url}/uploads`, ORIGINS_MAX_MB: '2', DATA_DIR: data, ...settings });
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'darkroom-origins-'));
    for (const name of ['1', '2', '3']) old.answers[`/uploads/any/${name}.jpg`] = bytes(padded(MEGABYTE));
    old.answers['/uploads/any/small.jpg'] = bytes(photo);
  });
  afterEach(() => rm(data, { recursive: true, force: true }));

  test('are kept up to ORIGINS_MAX_MB, also over a restart; then they are 503, and nobody is asked', async () => {
    const first = await open();
    const statusOf = async (name: string, at = first) => (await ask(at.url, `/t/photos/any/${name}.jpg`)).status;
    expect([await statusOf('1'), await statusOf('small'), await statusOf('2')]).toEqual([200, 200, 503]);
    expect(old.asked).toHaveLength(3);
    for (const name of ['2', '3', '2', '3']) {
      const refused = await ask(first.url, `/t/w_40/photos/any/${name}.jpg`);
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '60', 'cache-control': 'no-store' } });
      expect(refused.json()).toEqual({
        error: 'Service unavailable',
        code: 'origins_full',
        message: `"photos/any/${name}.jpg" is not fetched: with it, originals from elsewhere would exceed 2 MB (ORIGINS_MAX_MB).`,
      });
    }
    // Each that does not fit is requested once, and smaller ones are still fetched.
    expect(old.asked).toHaveLength(4);
    old.answers['/uploads/any/another.jpg'] = bytes(photo);
    expect(await statusOf('another')).toBe(200);
    expect(old.asked).toHaveLength(5);
    // Fetched files are served, and files missing at the origin remain 404.
    expect([await statusOf('1'), (await ask(first.url, '/t/elsewhere/a.jpg')).status]).toEqual([200, 404]);
    await first.close();

    const smaller = await open({ ORIGINS_MAX_MB: '1' });
    const full = await ask(smaller.url, '/t/photos/any/3.jpg');
    expect([full.status, full.json().message]).toEqual([503, expect.stringContaining('fill the 1 MB')]);
    expect(old.asked).toHaveLength(5);
    await smaller.close();
    const larger = await open({ ORIGINS_MAX_MB: '3' });
    expect(await statusOf('3', larger)).toBe(200);
    await larger.close();
    const endless = await open({ ORIGINS_MAX_MB: '0' });
    expect(await statusOf('2', endless)).toBe(200);
    await endless.close();
  });

  test('make room when they are deleted', async () => {
    const first = await open({ ORIGINS_MAX_MB: '1' });
    expect((await ask(first.url, '/t/photos/any/1.jpg')).status).toBe(200);
    expect((await ask(first.url, '/t/photos/any/small.jpg')).status).toBe(503);
    await first.services.sync.settled();
    expect((await first.authorized('/storage/photos/any/1.jpg', { method: 'DELETE' })).status).toBe(200);
    await first.close();
    const second = await open({ ORIGINS_MAX_MB: '1' });
    expect((await ask(second.url, '/t/photos/any/small.jpg')).status).toBe(200);
    await second.close();
  });

  test('take nothing from the budget when they are not kept', async () => {
    old.answers['/uploads/any/page.jpg'] = bytes(Buffer.concat([Buffer.from('<html>'), Buffer.alloc(MEGABYTE - 6)]));
    const service = await open({ ORIGINS_MAX_MB: '1' });
    expect((await ask(service.url, '/t/photos/any/page.jpg')).status).toBe(404);
    expect((await ask(service.url, '/t/photos/any/1.jpg')).status).toBe(200);
    await service.close();
  });
});

test.each<[string, () => PlaceAnswer]>([
  ['whose bytes are not what its name says', () => bytes(Buffer.from('<html>Not found</html>'))],
  ['that is larger than a file may be', () => bytes(Buffer.concat([photo, Buffer.alloc(1024 * 1024)]))],
  ['that is coded', () => bytes(gzipSync(photo), { 'content-encoding': 'gzip' })],
])('a file %s is as if it were not there', async (what, answer) => {
  const name = `${what.length}.jpg`;
  old.answers[`/uploads/${name}`] = answer();
  for (let n = 0; n < 2; n++) expect(await get(`photos/${name}`)).toMatchObject({ status: 404 });
  expect(old.asked).toEqual([`/uploads/${name}`]);
});

test('a redirect is followed within its place, and not to another one', async () => {
  old.answers['/uploads/moved.jpg'] = redirect('/new/moved.jpg');
  old.answers['/new/moved.jpg'] = bytes(photo);
  other.answers['/stolen.jpg'] = bytes(photo);
  old.answers['/uploads/stolen.jpg'] = redirect(`${other.url}/stolen.jpg`);
  expect(await get('photos/moved.jpg')).toMatchObject({ status: 200 });
  expect(await get('photos/stolen.jpg')).toMatchObject({ status: 503 });
  expect(other.asked).toEqual([]);
});

test.each<[string, PlaceAnswer]>([
  ['answers with an error', (_, response) => response.writeHead(500).end()],
  [
    'breaks off in the middle',
    (_, response) => response.writeHead(200, { 'content-length': photo.length }).end(photo.subarray(0, 900)),
  ],
  ['hangs up', (request) => request.socket.destroy()],
])('503 where the old place %s, and others are not kept waiting for it', async (what, answer) => {
  const name = `${what.length}.jpg`;
  old.answers[`/uploads/silent/${name}`] = answer;
  for (let n = 0; n < 2; n++) {
    const refused = await get(`photos/silent/${name}`);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } });
    expect(refused.json()).toMatchObject({ code: 'origin_unavailable' });
    expect(refused.body.toString()).not.toContain('127.0.0.1');
  }
  expect(old.asked).toEqual([`/uploads/silent/${name}`]);
});

test('a place that takes too long is given up', async () => {
  const impatient = await startService({ ORIGINS: `=${old.url}/uploads`, ORIGINS_TIMEOUT_MS: '200' });
  old.answers['/uploads/slow.jpg'] = (_, response) => response.writeHead(200).write(photo.subarray(0, 900));
  expect(await ask(impatient.url, '/t/slow.jpg')).toMatchObject({ status: 503 });
  await impatient.close();
});

test.each([
  'photos',
  'photos=ftp://old.example.com',
  '../a=https://old.example.com',
  'a=https://b.example.com/?c',
  'a=http://u:p@b.example.com',
  'a=http://b.example.com,a=http://c.example.com',
])('the setting %s is refused, and says what is expected', async (ORIGINS) => {
  await expect(startService({ ORIGINS })).rejects.toThrow(
    /^ORIGINS: expected up to 20 folders with http or https URLs/,
  );
});
