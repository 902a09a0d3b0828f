import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { squareGlb } from '../pictures/glb-sample.ts';
import { pdfOf } from '../pictures/pdf-sample.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, lookAtAll, openWindow, THEMES } from './browser.ts';
import { choose, gradient, open, openLibrary, photo, settled, tile, whenDescribed } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, EXTRA_TYPES: 'pdf' });
  service.services.describing?.start();
  await service.upload({
    'a photo.jpg': await gradient(1, 900, 600),
    'b wide.jpg': await gradient(2, 1200, 200),
    'c tall.jpg': await gradient(3, 300, 1600),
    'd clear.png': await mark(400, 300),
    'e small.png': await mark(48, 48),
    'f square.glb': squareGlb(await mark(40, 40)),
    'g page.pdf': pdfOf([{ width: 300, height: 400, paint: '0.5 0 0 rg 40 40 200 300 re f' }]),
  });
  await service.place('h old.zip', Buffer.from('PK\u0005\u0006'.padEnd(22, '\0'), 'latin1'));
  // Listed, because the service has not written it itself.
  await service.authorized('/storage');
  await whenDescribed(
    service,
    ...['a photo.jpg', 'b wide.jpg', 'c tall.jpg', 'd clear.png', 'e small.png', 'g page.pdf'],
  );
});
afterAll(() => service.close());

/** A logo on nothing. */
function mark(width: number, height: number): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><circle cx="50%" cy="50%" r="40%" fill="#c33"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

const NAMES = ['a photo', 'b wide', 'c tall', 'd clear', 'e small', 'g page'];

/** Mode and size of a loaded thumbnail, and how it fills its tile. */
const thumbnailOf = (page: Page, name: string) =>
  tile(page, name)
    .locator('.thumb-image')
    .evaluate((image) => {
      const { currentSrc, naturalWidth, naturalHeight } = image as unknown as {
        currentSrc: string;
        naturalWidth: number;
        naturalHeight: number;
      };
      const mode = /,(c_\w+),/.exec(decodeURIComponent(currentSrc))?.[1];
      return `${mode} ${naturalWidth}×${naturalHeight}`;
    });

describeInBrowser('a tile', () => {
  test('shows logos and long images whole, and fills itself with others, from one variant each', async () => {
    const { page, problems } = await openLibrary(service);
    await settled(page);
    const expected = [
      'c_fill 320×320',
      'c_fit 320×53',
      'c_fit 60×320',
      'c_fit 320×240',
      'c_fit 48×48',
      'c_fill 320×320',
    ];
    for (const [at, name] of NAMES.entries()) await expect.poll(() => thumbnailOf(page, name)).toBe(expected[at]);
    const isWhole = (name: string) => tile(page, name).locator('.thumb.is-whole').count();
    const isClear = (name: string) => tile(page, name).locator('.thumb.is-transparent').count();
    expect(await Promise.all(NAMES.map(isWhole))).toEqual([0, 1, 1, 1, 1, 0]);
    expect(await Promise.all(NAMES.map(isClear))).toEqual([0, 0, 0, 1, 1, 0]);
    for (const name of NAMES) {
      const thumb = tile(page, name).locator('.thumb');
      expect([name, await thumb.locator('img').boundingBox()]).toEqual([name, await thumb.boundingBox()]);
    }
    await page.reload();
    await settled(page);
    const thumbnails = async () => (await service.cachedFiles()).filter((name) => name.endsWith('.webp'));
    await expect.poll(thumbnails).toHaveLength(NAMES.length);
    expect(problems).toEqual([]);
  });

  test('has no image of another file, also while its own has not arrived', async () => {
    await service.upload({ 'b.jpg': await gradient(4), 'c.jpg': await gradient(5) }, { folder: 'Fresh' });
    const { page } = await openLibrary(service, 'files/Fresh');
    await settled(page);
    const release = await hold(page, /\/t\/.*\/Fresh\/a\.jpg/);
    await choose(page, photo('a.jpg'));
    await tile(page, 'a.jpg').waitFor();
    await tile(page, 'a.jpg').locator('.thumb-image[src*="a.jpg"]').waitFor();
    const widthOf = (name: string) =>
      tile(page, name)
        .locator('.thumb-image')
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
    expect(await widthOf('a.jpg')).toBe(0);
    release();
    await expect.poll(() => widthOf('a.jpg')).toBeGreaterThan(0);
  });

  test('of a folder leaves out files that cannot be decoded', async () => {
    const broken = Buffer.concat([(await gradient(6)).subarray(0, 300), Buffer.alloc(2000)]);
    await service.upload({ 'a.jpg': broken, 'b.jpg': await gradient(7) }, { folder: 'Covers' });
    const { page } = await openLibrary(service);
    const images = tile(page, 'Covers').locator('img');
    await expect.poll(() => images.count()).toBe(1);
    expect(await images.getAttribute('src')).toContain('b.jpg');
  });

  test('says the kind where it has an icon alone', async () => {
    const { page } = await openLibrary(service);
    expect(await tile(page, 'f square').locator('.thumb-kind').textContent()).toBe('GLB');
    expect(await tile(page, 'h old').locator('.thumb-kind').textContent()).toBe('ZIP');
    expect(await tile(page, 'a photo').locator('.thumb-kind').count()).toBe(0);
  });

  test('looks well in both themes and at all widths', async () => {
    await lookAtAll(service, 'tiles', async (page) => {
      await open(page, service);
      await settled(page);
    });
  });
});

const styleOf = (element: Locator, property: 'objectFit' | 'backgroundImage') =>
  element.evaluate(
    (one, name) =>
      (globalThis as unknown as { getComputedStyle(element: unknown): Record<string, string> }).getComputedStyle(one)[
        name
      ] ?? '',
    property,
  );

/** Relative luminance of a grey, from 0 to 1. */
function luminanceOf(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Lowest contrast of white and of black to the colours of a checkerboard. */
async function lowestContrast(element: Locator): Promise<number> {
  const colours = [...(await styleOf(element, 'backgroundImage')).matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)];
  expect(colours.length).toBeGreaterThanOrEqual(2);
  const luminances = colours.map(([, ...parts]) => luminanceOf(parts.map(Number)));
  return Math.min(...luminances.flatMap((one) => [1.05 / (one + 0.05), (one + 0.05) / 0.05]));
}

describeInBrowser('logos and long images', () => {
  test('are whole in the cover of a folder and where a file is chosen, with the variants of their tiles', async () => {
    await service.upload(
      {
        'a photo.jpg': await gradient(1),
        'b wide.jpg': await gradient(2, 1200, 200),
        'c clear.png': await mark(40, 30),
      },
      { folder: 'Brand' },
    );
    await whenDescribed(service, 'Brand/a photo.jpg', 'Brand/b wide.jpg', 'Brand/c clear.png');
    const { page } = await openLibrary(service, 'files/Brand');
    await settled(page);
    await open(page, service);
    const cover = tile(page, 'Brand').locator('.thumb img');
    await expect.poll(() => cover.count()).toBe(3);
    const looks = (images: Locator) =>
      images.evaluateAll((all) =>
        (all as unknown as { src: string; className: string }[]).map(({ src, className }) => [
          /,(c_\w+),/.exec(decodeURIComponent(src))?.[1],
          className,
        ]),
      );
    const expected = [
      ['c_fill', 'file-image'],
      ['c_fit', 'file-image is-whole'],
      ['c_fit', 'file-image is-whole is-transparent'],
    ];
    expect(await looks(cover)).toEqual(expected);
    const fits = () => Promise.all([0, 1, 2].map((at) => styleOf(cover.nth(at), 'objectFit')));
    expect(await fits()).toEqual(['cover', 'scale-down', 'scale-down']);
    await page.goto(`${service.url}/dashboard/playground`);
    const choices = page.getByRole('listitem').filter({ hasText: /^(a photo|b wide|c clear)/ });
    await expect.poll(() => choices.filter({ hasText: 'c clear' }).count()).toBe(1);
    const source = (name: string) => page.locator(`.play-source img[src*="Brand/${encodeURIComponent(name)}"]`);
    for (const [at, name] of ['a photo.jpg', 'b wide.jpg', 'c clear.png'].entries()) {
      expect(await looks(source(name))).toEqual([expected[at]]);
      expect(await styleOf(source(name), 'objectFit')).toBe(at === 0 ? 'cover' : 'scale-down');
    }
    const small = (await service.cachedFiles()).filter((name) => name.endsWith('.webp')).length;
    await page.goto(`${service.url}/dashboard/files/Brand`);
    await settled(page);
    expect((await service.cachedFiles()).filter((name) => name.endsWith('.webp')).length).toBe(small);
  });

  test('are compared whole if their name is taken', async () => {
    const { page } = await openLibrary(service);
    await choose(page, photo('b wide.jpg', await gradient(9, 1200, 200)));
    const dialog = page.getByRole('dialog', { name: 'b wide.jpg already exists' });
    for (const side of ['In the library', 'New file']) {
      const image = dialog.getByRole('region', { name: side }).locator('img');
      const ratio = async () => {
        const { width = 0, height = 1 } = (await image.boundingBox()) ?? {};
        return width / height;
      };
      await expect.poll(ratio).toBeCloseTo(6, 0);
    }
    await dialog.getByRole('button', { name: 'Skip' }).click();
  });

  test('are visible in white and in black, in both themes', async () => {
    for (const theme of THEMES) {
      const { page, close } = await openWindow({ service, theme });
      await open(page, service, 'files?open=d%20clear.png');
      const contrasts = [
        await lowestContrast(tile(page, 'd clear').locator('.thumb.is-transparent')),
        await lowestContrast(page.locator('.preview-frame.is-transparent')),
      ];
      await page.goto(`${service.url}/dashboard/files?open=d%20clear.png&full=true`);
      contrasts.push(await lowestContrast(page.locator('.viewer-image.is-transparent')));
      await page.goto(`${service.url}/dashboard/playground/d%20clear.png?t=w_100,f_png`);
      contrasts.push(await lowestContrast(page.locator('.comparison')));
      for (const contrast of contrasts) expect([theme, contrast >= 3]).toEqual([theme, true]);
      await close();
    }
  });
});
