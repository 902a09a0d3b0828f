import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { ask } from '../http.ts';
import { renamed, shippedFont } from '../pictures/font-files.ts';
import { startService, type TestService } from '../service.ts';

let folder: string;
let plain: TestService;
let branded: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-brand-'));
  await writeFile(
    join(folder, 'brand.ttf'),
    renamed(await shippedFont('NotoSans', '900Black'), 'Noto Sans', 'Nato Sans'),
  );
  plain = await startService();
  branded = await startService({ FONTS_DIR: folder });
  const blank = await sharp({ create: { width: 200, height: 100, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
  for (const { place } of [plain, branded]) await place('blank.png', blank);
});
afterAll(async () => {
  await Promise.all([plain, branded].map((service) => service?.close()));
  await rm(folder, { recursive: true, force: true });
});

const familiesOf = async ({ url }: TestService) =>
  ((await ask(url, '/limits')).json() as { families: string[] }).families;
const paint = ({ url }: TestService, layer: string) => ask(url, `/t/f_png~${layer}/blank.png`);

describe('GET /limits lists the families', () => {
  test('that are shipped', async () => {
    expect(await familiesOf(plain)).toEqual(
      expect.arrayContaining(['Noto Sans', 'Noto Sans Arabic', 'Noto Sans Thai']),
    );
  });

  test('of the operator too, and they are other fonts', async () => {
    expect(await familiesOf(branded)).toEqual([...(await familiesOf(plain)), 'Nato Sans'].sort());
    expect(branded.services.fonts.fingerprint).not.toBe(plain.services.fonts.fingerprint);
  });
});

describe('a variant with a text', () => {
  test('is another one with other fonts, as often as it is in the cache; one without a text is not', async () => {
    const etags = async (layers: string) =>
      Promise.all([plain, branded].map(async (service) => (await paint(service, layers)).headers.etag));
    const [own, other] = await etags('l_text:Hello');
    expect(own).not.toBe(other);
    await plain.place(
      'mark.png',
      await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    const first = (await paint(plain, 'l_mark.png')).headers.etag;
    expect((await paint(plain, 'l_mark.png')).headers.etag).toBe(first);
    expect((await paint(plain, 'l_mark.png~l_text:Hello')).headers['x-cache']).toBe('miss');
    expect((await paint(plain, 'l_mark.png~l_text:Hello')).headers['x-cache']).toBe('hit');
  });
});

describe('a family in a URL', () => {
  test('of the operator is used', async () => {
    const own = await paint(branded, 'l_text:Hello,ff_Nato%20Sans');
    const black = await paint(branded, 'l_text:Hello,fw_900');
    expect([own.status, own.headers['content-type'], black.status]).toEqual([200, 'image/png', 200]);
    expect((await sharp(own.body).stats()).channels[0]?.mean).toBeLessThan(250);
    const pixels = ({ body }: typeof own) => sharp(body).raw().toBuffer();
    expect((await pixels(own)).equals(await pixels(black))).toBe(true);
  });

  test('that nobody has is 400 with the list', async () => {
    const answer = await paint(plain, 'l_text:Hello,ff_Nato%20Sans');
    expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store']);
    expect(answer.json().message).toContain((await familiesOf(plain)).join(', '));
    expect(answer.json().message).toContain('Nato Sans');
  });
});

describe('at the start', () => {
  test('a preset may name a family of the operator, and none that nobody has', async () => {
    const PRESETS = 'brand=w_100~l_text:Hello,ff_Nato Sans';
    const service = await startService({ FONTS_DIR: folder, PRESETS });
    await service.close();
    const started = startService({ PRESETS });
    await expect(started).rejects.toThrow(ConfigError);
    await expect(started).rejects.toThrow(/PRESETS: brand: .*Noto Sans.*Nato Sans/);
  });

  test('a folder that was named has to be there', async () => {
    await expect(startService({ FONTS_DIR: join(folder, 'nothing') })).rejects.toThrow(/^FONTS_DIR: expected a folder/);
  });

  test('fonts in DATA_DIR/fonts are found', async () => {
    const data = join(folder, 'data');
    await mkdir(join(data, 'fonts'), { recursive: true });
    await writeFile(
      join(data, 'fonts', 'hebrew.ttf'),
      await shippedFont('NotoSansHebrew', '400Regular', 'noto-sans-hebrew'),
    );
    const service = await startService({ DATA_DIR: data });
    expect(service.services.fonts.fingerprint).not.toBe(plain.services.fonts.fingerprint);
    await service.close();
  });
});
