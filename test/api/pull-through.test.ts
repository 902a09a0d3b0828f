import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
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
  [old, other] = [await startPlace(), await startPlace()];
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
