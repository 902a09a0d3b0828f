import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { addPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import {
  ADMIN,
  describeInBrowser,
  faultsOf,
  lookAt,
  lookAtAll,
  type openWindow,
  SIZES,
  saveScreenshot,
  type Window,
} from './browser.ts';
import { boxOf, gradient, middleOf } from './library.ts';
import { addressIn, isFact, openStage, segmentOf } from './playground-page.ts';

const PICTURE = 'people/Ada at work.jpg';
const LOGO = 'brand/logo.png';
const VIDEO = 'films/horses.mp4';
const DRAWING = 'circle.svg';
const BANNER = 'brand/banner.jpg';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({
    ...ADMIN,
    ...FROM_ANYWHERE,
    PRESETS: 'teaser=w_640,q_60',
    EXTRA_TYPES: 'svg',
  });
  const logo = await sharp({ create: { width: 64, height: 32, channels: 3, background: '#0c8' } })
    .png()
    .toBuffer();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><circle cx="45" cy="30" r="20"/></svg>';
  await service.upload({ 'Ada at work.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
  await service.upload({ 'logo.png': logo }, { folder: 'brand' });
  await service.upload({ 'banner.jpg': await gradient(3, 2400, 1200) }, { folder: 'brand' });
  await service.upload({ 'horses.mp4': fixture('schizo_90.mp4') }, { folder: 'films' });
  await service.upload({ [DRAWING]: svg });
  service.services.describing?.start();
});
afterEach(() => window?.close());
afterAll(() => service.close());

const addressOf = (path: string, segment?: string, query?: string) => addressIn(service, path, segment, query);
const isSegment = (page: Page, text: string | RegExp) => expect.poll(() => segmentOf(page)).toMatch(text);

async function open(
  path: string,
  segment?: string,
  options: Parameters<typeof openWindow>[0] & { query?: string } = {},
) {
  window = await openStage(addressOf(path, segment, options.query), { service, ...options });
  return window.page;
}

/** Drags with the mouse by fractions of the image. */
async function drag(page: Page, from: Locator, by: { x: number; y: number }): Promise<void> {
  const image = await boxOf(page.locator('.overlay'));
  const { x, y } = await middleOf(from);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + (by.x * image.width) / 2, y + (by.y * image.height) / 2);
  await page.mouse.move(x + by.x * image.width, y + by.y * image.height);
  await page.mouse.up();
}

/** Drags with a finger by fractions of the image. */
async function swipe(page: Page, from: Locator, by: { x: number; y: number }): Promise<void> {
  const touch = await page.context().newCDPSession(page);
  const { x, y } = await middleOf(from);
  const image = await boxOf(page.locator('.overlay'));
  const at = (share: number) => [{ x: x + by.x * share * image.width, y: y + by.y * share * image.height }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(0.5) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(1) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** Numbers of `rg`. */
const regionOf = async (page: Page) =>
  /(?:^|,)rg_([^,~]+)/
    .exec(await segmentOf(page))?.[1]
    ?.split(':')
    .map(Number) ?? [];

describeInBrowser('the workbench of the playground', () => {
  test('looks well while an image is cropped', async () => {
    await lookAtAll(service, 'playground-crop', async (page) => {
      await page.goto(addressOf(PICTURE, 'rg_0.2:0.1:0.5:0.6,w_400', '&look=crop'));
      await page.getByRole('button', { name: 'Crop area' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
  });

  test('looks well while a point is set', async () => {
    await lookAtAll(service, 'playground-point', async (page) => {
      await page.goto(addressOf(PICTURE, 'w_300,h_300,g_fp:0.6:0.3', '&look=point'));
      await page.getByRole('button', { name: 'Point to keep in view' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
  });

  test('looks well without a secret to sign with', async () => {
    await lookAtAll(service, 'playground-signed', async (page) => {
      await page.goto(addressOf(PICTURE, 'w_300', '&as=signed'));
      await page.getByRole('img', { name: 'Result' }).waitFor();
      await page.getByText('API_SECRET', { exact: true }).waitFor();
    });
  });

  test.each([{ sizes: ['wide', 'laptop', 'tablet'] }, { sizes: ['narrow'] }] as const)(
    'looks well with an error: $sizes',
    async ({ sizes }) => {
      const page = await open(PICTURE, 'w_300', { size: sizes[0] });
      await page.getByLabel('Transformation').fill('w_300,q_900~l_text:Hi');
      await page.locator('.scene-problem').getByText('Quality:').waitFor();
      await lookAt(page, 'playground-refused', sizes);
    },
  );

  test.each([
    ['1440', { width: 1440, height: 900 }],
    ['1024', { width: 1024, height: 768 }],
  ])('keeps URL, preview and code in view at %s px while the controls scroll', async (name, size) => {
    const page = await open(PICTURE, 'w_300');
    await page.setViewportSize(size);
    const parts = [
      page.getByLabel('Transformation'),
      page.getByRole('img', { name: 'Result' }),
      page.getByRole('button', { name: 'Copy', exact: true }),
    ];
    const copy = async () => boxOf(page.getByRole('button', { name: 'Copy', exact: true }));
    await expect.poll(async () => (await copy()).y).toBeLessThan(size.height);
    const before = await Promise.all(parts.map(boxOf));
    for (const { x, y, width, height } of before) {
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(size.height);
      expect(x + width).toBeLessThanOrEqual(size.width);
    }
    expect(before[1]?.height).toBeGreaterThan(100);
    const last = page.locator('summary').last();
    expect((await boxOf(last)).y).toBeGreaterThan(size.height);
    await last.scrollIntoViewIfNeeded();
    expect((await boxOf(last)).y).toBeLessThan(size.height);
    // The layers are between the groups, and not squeezed by them.
    expect((await boxOf(page.getByRole('region', { name: 'Layers and text' }))).height).toBeGreaterThan(50);
    expect(await Promise.all(parts.map(boxOf))).toEqual(before);
    expect(await page.evaluate('document.documentElement.scrollTop')).toBe(0);
    await saveScreenshot(page, `playground-scrolled-${name}`);
    expect(await faultsOf(page)).toEqual([]);
  });

  test('keeps the preview on top of a phone, at 35 percent of its height', async () => {
    const page = await open(PICTURE, 'w_300', { size: 'narrow' });
    const view = page.locator('.stage-view');
    expect((await boxOf(view)).height).toBeCloseTo(SIZES.narrow.height * 0.35, 0);
    await page.getByLabel('Transformation').waitFor();
    expect((await boxOf(view)).y).toBeLessThan((await boxOf(page.getByLabel('Transformation'))).y);
    await page.locator('summary').last().scrollIntoViewIfNeeded();
    expect((await boxOf(view)).y).toBe(0);
    expect((await boxOf(view)).height).toBeCloseTo(SIZES.narrow.height * 0.35, 0);
    await saveScreenshot(page, 'playground-scrolled-390');
    // What has the focus is never below the preview.
    await page.getByRole('spinbutton', { name: 'Width' }).focus();
    const field = await boxOf(page.getByRole('spinbutton', { name: 'Width' }));
    expect(field.y).toBeGreaterThanOrEqual(SIZES.narrow.height * 0.35);
  });

  test('has groups in the order of the work, and hides what cannot apply', async () => {
    const page = await open(PICTURE);
    expect(await page.locator('summary h2').allTextContents()).toEqual([
      'Size',
      'Focus',
      'Format and quality',
      'Adjust',
      'Effects',
      'Advanced',
    ]);
    const has = (key: string) => page.locator(`.control[data-key="${key}"]`).count();
    expect([await has('pg'), await has('an'), await has('el'), await has('e_blur_faces')]).toEqual([0, 0, 1, 1]);
    await page.getByLabel('Transformation').fill('pg_1');
    // What is set can be reset, even if it has no effect.
    await page.locator('.control[data-key="pg"]').waitFor();
    await page.goto(addressOf(DRAWING, 'w_100'));
    await page.getByRole('img', { name: 'Result' }).waitFor();
    expect([await has('pg'), await has('an'), await has('el'), await has('e_blur_faces')]).toEqual([0, 0, 0, 0]);
    expect(await page.getByRole('button', { name: 'Faces', exact: true }).count()).toBe(0);
    await page.goto(addressOf(VIDEO));
    await page.locator('.film video').waitFor();
    expect(await page.locator('summary h2').allTextContents()).toEqual([
      'Clip and frame',
      'Size',
      'Format and quality',
      'Advanced',
    ]);
    expect([await has('g'), await has('rg'), await has('so')]).toEqual([0, 0, 1]);
    expect(await page.getByRole('button', { name: 'Avatar' }).count()).toBe(0);
  });

  test('starts from common sizes and presets, and keeps the layers', async () => {
    const page = await open(PICTURE, 'w_300,q_20~l_text:Hi');
    const start = page.getByRole('group', { name: 'Start from' });
    for (const [name, segment, pixels] of [
      ['Thumbnail 400 × 300', 'w_400,h_300,c_fill~l_text:Hi', '400 × 300'],
      ['Avatar', 'w_256,h_256,c_fill,g_face,r_max~l_text:Hi', '256 × 256'],
      ['Hero 1600', 'w_1600~l_text:Hi', '1600 × 1066'],
      ['Social 1200 × 630', 'w_1200,h_630,c_fill~l_text:Hi', '1200 × 630'],
      ['teaser', 'n_teaser', '640 × 426'],
    ] as const) {
      const button = start.getByRole('button', { name, exact: true });
      await button.click();
      expect(await segmentOf(page)).toBe(segment);
      expect(await button.getAttribute('aria-pressed')).toBe('true');
      await isFact(page, 'pixels', pixels);
    }
  });

  test('picks the focus: nine positions, faces, automatic, and a point on the image', async () => {
    const page = await open(PICTURE, 'w_200,h_300');
    const gravity = page.locator('.control[data-key="g"]');
    await gravity.getByRole('radio', { name: 'south east' }).check();
    expect(await segmentOf(page)).toBe('w_200,h_300,g_south_east');
    await gravity.getByRole('button', { name: 'Faces' }).click();
    expect(await segmentOf(page)).toBe('w_200,h_300,g_face');
    await gravity.getByRole('button', { name: 'Automatic' }).click();
    expect(await segmentOf(page)).toBe('w_200,h_300,g_auto');
    await gravity.getByRole('button', { name: 'Focal point of the file' }).click();
    expect(await segmentOf(page)).toBe('w_200,h_300');
    await gravity.getByRole('button', { name: 'Point on the image' }).click();
    const marker = page.getByRole('button', { name: 'Point to keep in view' });
    await marker.waitFor();
    expect(await segmentOf(page)).toBe('w_200,h_300,g_fp:0.5:0.5');
    const image = await boxOf(page.locator('.overlay'));
    await page.mouse.click(image.x + image.width * 0.25, image.y + image.height * 0.8);
    await isSegment(page, /^w_200,h_300,g_fp:0\.25\d*:0\.(8|79)\d*$/);
    await gravity.getByRole('spinbutton', { name: 'Point from the top' }).fill('40');
    await gravity.getByRole('spinbutton', { name: 'Point from the left' }).fill('30');
    expect(await segmentOf(page)).toBe('w_200,h_300,g_fp:0.3:0.4');
    await marker.press('ArrowRight');
    await marker.press('Shift+ArrowUp');
    expect(await segmentOf(page)).toBe('w_200,h_300,g_fp:0.31:0.3');
    await expect.poll(() => new URL(page.url()).searchParams.get('look')).toBe('point');
  });

  test('crops by mouse: draws, moves and resizes the rectangle, and keeps a ratio', async () => {
    const page = await open(PICTURE, 'w_300');
    await page.getByText('Crop', { exact: true }).first().click();
    const overlay = page.locator('.overlay');
    await overlay.waitFor();
    const image = await boxOf(overlay);
    await page.mouse.move(image.x + image.width * 0.25, image.y + image.height * 0.25);
    await page.mouse.down();
    await page.mouse.move(image.x + image.width * 0.5, image.y + image.height * 0.5);
    await page.mouse.move(image.x + image.width * 0.75, image.y + image.height * 0.75);
    await page.mouse.up();
    await expect.poll(async () => (await regionOf(page)).map((one) => Math.round(one * 100))).toEqual([25, 25, 50, 50]);
    await isFact(page, 'pixels', '300 × 200');
    await drag(page, page.getByRole('button', { name: 'Crop area' }), { x: 0.1, y: -0.9 });
    await expect.poll(async () => (await regionOf(page)).map((one) => Math.round(one * 100))).toEqual([35, 0, 50, 50]);
    await drag(page, page.getByRole('button', { name: 'Bottom right corner' }), { x: -0.25, y: 0.25 });
    await expect.poll(async () => (await regionOf(page)).map((one) => Math.round(one * 100))).toEqual([35, 0, 25, 75]);
    await page.getByRole('combobox', { name: 'Crop ratio' }).selectOption('1:1');
    const ratioOf = async () => {
      const [, , w = 0, h = 1] = await regionOf(page);
      return (w * 800) / (h * 533);
    };
    await expect.poll(ratioOf).toBeCloseTo(1, 2);
    await drag(page, page.getByRole('button', { name: 'Bottom right corner' }), { x: 0.2, y: 0 });
    await expect.poll(async () => Math.round(((await regionOf(page))[2] ?? 0) * 100)).toBe(45);
    expect(await ratioOf()).toBeCloseTo(1, 2);
    await isFact(page, 'pixels', '300 × 300');
    const code = page.getByRole('region', { name: 'Code', exact: true });
    await code
      .getByText(`/t/${await segmentOf(page)}/`)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Remove crop' }).click();
    expect(await segmentOf(page)).toBe('w_300');
    expect(window?.problems).toEqual([]);
  });

  test('keeps a ratio in an image that has not been described yet', async () => {
    const page = await open(PICTURE, '', { query: '&look=crop' });
    await page.route(`${service.url}/assets/**`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), width: null, height: null } });
    });
    await page.reload();
    await page.locator('.overlay').waitFor();
    await page.getByRole('combobox', { name: 'Crop ratio' }).selectOption('1:1');
    await expect
      .poll(async () => (await regionOf(page)).map((one) => one.toFixed(2)))
      .toEqual(['0.17', '0.00', '0.67', '1.00']);
  });

  test('crops by keyboard alone', async () => {
    const page = await open(PICTURE, 'w_300', { query: '&look=crop' });
    await page.getByRole('button', { name: 'Top left corner' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await segmentOf(page)).toBe('rg_0.1:0.01:0.9:0.99,w_300');
    await page.getByRole('button', { name: 'Right edge' }).focus();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowLeft');
    expect(await segmentOf(page)).toBe('rg_0.1:0.01:0.7:0.99,w_300');
    await page.getByRole('button', { name: 'Crop area' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowUp');
    expect(await segmentOf(page)).toBe('rg_0.11:0.0:0.7:0.99,w_300');
  });

  test('crops a banner: in the ratio of the result, with its size in pixels, and a way out of enlarging', async () => {
    const page = await open(BANNER);
    const lock = page.getByRole('combobox', { name: 'Crop ratio' });
    const corner = page.getByRole('button', { name: 'Bottom right corner' });
    const facts = page.locator('.crop-facts > span');
    const announced = page.locator('.crop-facts').getByRole('status');
    const ratioOf = async () => {
      const { width, height } = await boxOf(page.locator('.crop-box'));
      return width / height;
    };
    // The size of the file is known: it has been described.
    await page.getByText('Crop', { exact: true }).first().click();
    await facts.getByText('2400 × 1200 px').waitFor();
    expect(await lock.inputValue()).toBe('free');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('1500');
    await page.getByRole('spinbutton', { name: 'Height' }).fill('500');
    expect(await lock.inputValue()).toBe('result');
    await facts.getByText('2400 × 800 px').waitFor();
    expect(await ratioOf()).toBeCloseTo(3, 1);
    // Nothing is cut off by hand yet.
    expect(await segmentOf(page)).toBe('w_1500,h_500');

    const label = page.locator('.crop-size');
    expect(await label.isVisible()).toBe(false);
    const image = await boxOf(page.locator('.overlay'));
    const { x, y, width, height } = await boxOf(corner);
    // A half of it is outside the image.
    await page.mouse.move(x + width / 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 4 - 0.25 * image.width, y + height / 2);
    await expect.poll(() => label.textContent()).toMatch(/^1(79\d|80\d) × (599|600|601) px$/);
    expect(await label.isVisible()).toBe(true);
    await saveScreenshot(page, 'playground-crop-banner');
    await page.mouse.up();
    await expect.poll(() => label.isVisible()).toBe(false);
    expect(await facts.textContent()).toBe(`Crop: ${await label.textContent()}`);
    await isFact(page, 'pixels', '1500 × 500');

    await page.getByRole('button', { name: 'Crop area' }).press('Shift+ArrowDown');
    await expect.poll(() => announced.textContent()).toMatch(/ × 600 px, 0 px from the left, \d+ px from the top\.$/);
    await corner.press('Shift+ArrowLeft');
    await corner.press('Shift+ArrowLeft');
    const warning = /^The crop is (13\d\d) × (4\d\d) px; a result of 1500 × 500 px is enlarged\.$/;
    await expect.poll(() => facts.textContent()).toMatch(warning);
    expect(await announced.textContent()).toContain('is enlarged.');
    await saveScreenshot(page, 'playground-crop-enlarged');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /^Make the result 13\d\d × 4\d\d px$/ }).click();
    await expect.poll(() => facts.textContent()).toMatch(/^Crop: 13\d\d × 4\d\d px$/);
    await isSegment(page, /^rg_0\.0:0\.\d+:0\.\d+:0\.\d+,w_13\d\d,h_4\d\d$/);
    expect(await page.evaluate('document.activeElement.className')).toMatch(/^crop-facts/);
    expect(window?.problems).toEqual([]);
  });

  test('the locked crop follows the result when that changes, and another ratio does not', async () => {
    const page = await open(BANNER, 'rg_0.0:0.0:1.0:0.6667,w_1500,h_500', { query: '&look=crop' });
    const lock = page.getByRole('combobox', { name: 'Crop ratio' });
    const region = async () => (await regionOf(page)).map((one) => Math.round(one * 1000) / 1000);
    await page.locator('.crop-box').waitFor();
    expect(await lock.inputValue()).toBe('result');
    const height = page.getByRole('spinbutton', { name: 'Height' });
    // Each digit is a change: the rectangle does not shrink with each of them.
    await height.fill('');
    await height.pressSequentially('750');
    await expect.poll(region).toEqual([0.167, 0, 0.667, 0.667]);
    await height.fill('500');
    await expect.poll(region).toEqual([0, 0, 1, 0.667]);
    await height.fill('');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('');
    expect(await lock.inputValue()).toBe('free');
    await page.locator('.control[data-key="ar"]').getByRole('button', { name: '3:1' }).click();
    expect(await lock.inputValue()).toBe('result');
    await lock.selectOption('1:1');
    await expect.poll(region).toEqual([0.333, 0, 0.333, 0.667]);
    await page.getByRole('spinbutton', { name: 'Width' }).fill('300');
    await height.fill('100');
    expect(await region()).toEqual([0.333, 0, 0.333, 0.667]);
    expect(await lock.locator('option').allTextContents()).toEqual([
      'As the result',
      'Free ratio',
      'Original ratio',
      '1:1',
      '4:3',
      '3:2',
      '16:9',
      '3:1',
      '4:5',
      '9:16',
    ]);
  });

  test('leaves a region of another ratio as it is when it is opened', async () => {
    const segment = 'rg_0.0:0.0:0.5:0.5,w_1500,h_500';
    const page = await open(BANNER, segment, { query: '&look=crop' });
    await page.locator('.crop-box').waitFor();
    expect(await page.getByRole('combobox', { name: 'Crop ratio' }).inputValue()).toBe('free');
    expect(await segmentOf(page)).toBe(segment);
  });

  test('shows a region in pixels of the turned image, as the service reads it', async () => {
    const page = await open(PICTURE, 'a_90,rg_0:400:533:400,w_200', { query: '&look=crop' });
    const image = await boxOf(page.locator('.overlay'));
    const box = await boxOf(page.locator('.crop-box'));
    expect(image.width / image.height).toBeCloseTo(533 / 800, 2);
    expect((box.y - image.y) / image.height).toBeCloseTo(0.5, 2);
    expect(box.width / image.width).toBeCloseTo(1, 2);
    await isFact(page, 'pixels', '200 × 150');
  });

  test('crops by touch on a phone', async () => {
    const page = await open(PICTURE, 'rg_0.2:0.2:0.5:0.5,w_300', { size: 'narrow', query: '&look=crop' });
    await swipe(page, page.getByRole('button', { name: 'Bottom right corner' }), { x: 0.2, y: 0.1 });
    await expect.poll(async () => (await regionOf(page)).map((one) => Math.round(one * 100))).toEqual([20, 20, 70, 60]);
    expect(await page.evaluate('document.documentElement.scrollTop')).toBe(0);
  });

  test('drags a layer and a point by touch on a phone', async () => {
    const page = await open(PICTURE, 'w_300~l_text:Hello,fs_40', { size: 'narrow' });
    await swipe(page, page.getByRole('button', { name: 'Move Hello on the image' }), { x: 0.25, y: -0.2 });
    await isSegment(page, /^w_300~l_text:Hello,fs_40,x_0\.2(49|5)\d*,y_-0\.(2|199)\d*$/);
    await page.goto(addressOf(PICTURE, 'w_300,h_300,g_fp:0.5:0.5', '&look=point'));
    await swipe(page, page.getByRole('button', { name: 'Point to keep in view' }), { x: 0.25, y: -0.2 });
    await isSegment(page, /^w_300,h_300,g_fp:0\.7(49|5)\d*:0\.(3|299)\d*$/);
    expect(await page.evaluate('document.documentElement.scrollTop')).toBe(0);
  });

  test('drags layers on the image, by mouse and by arrow keys, each in its unit', async () => {
    const page = await open(PICTURE, 'w_400~l_brand:logo.png,w_0.25,g_south_east,x_0.03,y_0.03~l_text:Hello,x_10');
    const logo = page.getByRole('button', { name: 'Move logo.png on the image' });
    const image = await boxOf(page.locator('.overlay'));
    await expect
      .poll(async () => {
        const box = await boxOf(logo);
        return [box.width / image.width, box.height / box.width, (box.x - image.x) / image.width].map(
          (one) => Math.round(one * 100) / 100,
        );
      })
      .toEqual([0.25, 0.5, 0.72]);
    await drag(page, logo, { x: -0.5, y: -0.25 });
    await isSegment(page, /~l_brand:logo\.png,w_0\.25,g_south_east,x_0\.5[23]\d*,y_0\.2[78]\d*~l_text:Hello,x_10$/);
    const moved = await boxOf(logo);
    expect((moved.x - image.x) / image.width).toBeCloseTo(0.22, 1);
    const text = page.getByRole('button', { name: 'Move Hello on the image' });
    await text.press('Shift+ArrowRight');
    await text.press('ArrowUp');
    await isSegment(page, /~l_text:Hello,x_50,y_-0\.01$/);
    await page.getByRole('region', { name: 'Scrollable preview' }).and(page.locator('[aria-busy=false]')).waitFor();
    expect(window?.problems).toEqual([]);
  });

  test('shows unset sliders as unset', async () => {
    const page = await open(PICTURE, 'w_300');
    const slider = (name: string) => page.getByRole('slider', { name: `${name}, slider` });
    const lookOf = (one: Locator) =>
      one.evaluate((input) => [
        input.getAttribute('aria-valuetext'),
        (globalThis as unknown as { getComputedStyle(of: unknown): { appearance: string } }).getComputedStyle(input)
          .appearance,
      ]);
    expect(await lookOf(slider('Height'))).toEqual(['Not set', 'none']);
    expect(await lookOf(slider('Quality'))).toEqual(['Default 85', 'none']);
    expect(await lookOf(slider('Width'))).toEqual([null, 'auto']);
    await page.getByRole('spinbutton', { name: 'Height' }).fill('100');
    expect(await lookOf(slider('Height'))).toEqual([null, 'auto']);
    await page.getByRole('button', { name: 'Reset Height' }).click();
    expect(await lookOf(slider('Height'))).toEqual(['Not set', 'none']);
  });

  test('dims the image on an error, says the reason, and copies nothing until it is mended', async () => {
    const page = await open(PICTURE, 'w_200');
    const copy = page.getByRole('button', { name: 'Copy', exact: true });
    const opacity = () =>
      page.locator('.scene > .comparison').evaluate((one) => {
        const { getComputedStyle } = globalThis as unknown as {
          getComputedStyle(of: unknown): { opacity: string };
        };
        return Number(getComputedStyle(one).opacity);
      });
    expect([await opacity(), await copy.isEnabled()]).toEqual([1, true]);
    await page.getByLabel('Transformation').fill('w_200,e_blur:900');
    const reason = page.locator('.scene-problem');
    await reason.getByText('Expected a number from 0.3 to 100').waitFor();
    // Also at its control, whose group opens.
    await page.locator('.control[data-key="e_blur"]').getByRole('alert').waitFor();
    await expect.poll(opacity).toBeLessThan(0.5);
    expect(await copy.isDisabled()).toBe(true);
    await page.getByText('Signed URL', { exact: true }).click();
    await page.getByText('URL', { exact: true }).first().click();
    await page.getByLabel('Transformation').fill('w_200,e_blur:9');
    await expect.poll(() => copy.isEnabled()).toBe(true);
    await expect.poll(opacity).toBe(1);
    expect(await reason.count()).toBe(0);
  });

  test('helps with a parameter in three lines and a link to the documentation', async () => {
    const page = await open(PICTURE);
    for (const [group, name] of [
      ['', 'Crop'],
      ['', 'Gravity'],
      ['Advanced', 'Padding'],
      ['', 'Format'],
    ] as const) {
      if (group !== '') await page.locator('summary').getByText(group, { exact: true }).click();
      await page.getByRole('button', { name: `About ${name}`, exact: true }).click();
      const help = page.getByRole('group', { name, exact: false }).locator('.control-about');
      const [height = 0, line = 1] = await help
        .locator('p')
        .evaluate((one) => [
          one.clientHeight,
          Number.parseFloat(
            (globalThis as unknown as { getComputedStyle(of: unknown): { lineHeight: string } }).getComputedStyle(one)
              .lineHeight,
          ),
        ]);
      expect(Math.round(height / line)).toBeLessThanOrEqual(3);
      expect(await help.textContent()).not.toMatch(/ = |Other key/);
      const link = help.getByRole('link', { name: `Documentation of ${name}` });
      const href = String(await link.getAttribute('href'));
      const docs = await ask(service.url, href.split('#')[0] ?? '');
      expect([docs.status, docs.body.toString().includes(`id="${href.split('#')[1]}"`)]).toEqual([200, true]);
      await page.getByRole('button', { name: `About ${name}`, exact: true }).click();
    }
  });

  test('leads to the section of a parameter of videos and of layers', async () => {
    const sectionOf = async (page: Page, within: Locator, name: string) => {
      await within.getByRole('button', { name: `About ${name}`, exact: true }).click();
      const href = await page.getByRole('link', { name: `Documentation of ${name}` }).getAttribute('href');
      const [path = '', id] = String(href).split('#');
      expect((await ask(service.url, path)).body.toString()).toContain(`id="${id}"`);
      return id;
    };
    const film = await open(VIDEO, 'w_200');
    expect(await sectionOf(film, film.locator('.control[data-key="w"]'), 'Width')).toBe('w-width-2');
    await window?.close();
    const page = await open(PICTURE, 'w_300~l_brand:logo.png,w_50');
    await page.getByRole('button', { name: 'logo.png', exact: true }).click();
    const layer = page.getByRole('region', { name: 'Layers and text' }).locator('.control[data-key="w"]');
    expect(await sectionOf(page, layer, 'Width')).toBe('w-width-1');
  });

  test.each(['srcset', 'picture'])('offers no width beyond the original in %s', async (as) => {
    const widths = async (path: string, segment: string) => {
      const page = await open(path, segment, { query: `&as=${as}` });
      const code = page.getByRole('region', { name: 'Code', exact: true });
      await code.getByText('srcset=').waitFor();
      const all = [...String(await code.textContent()).matchAll(/(http\S+) (\d+)w/g)];
      const found = [...new Set(all.map(([, , width]) => Number(width)))];
      const [, url = ''] = all.at(-1) ?? [];
      const answer = await ask(service.url, url.slice(service.url.length), { headers: { accept: 'image/png' } });
      expect((await sharp(answer.body).metadata()).width).toBe(found.at(-1));
      await window?.close();
      return found;
    };
    expect(await widths(PICTURE, 'q_70')).toEqual([320, 640, 800]);
    expect(await widths(PICTURE, 'w_400,h_400')).toEqual([320, 400, 533]);
    expect(await widths(PICTURE, 'a_90,w_300')).toEqual([300, 533]);
    expect(await widths(BANNER, 'w_800')).toEqual([320, 640, 800, 960, 1280, 1600, 2048]);
    expect(await widths(BANNER, 'w_1100,h_550')).toEqual([320, 640, 960, 1100, 1280, 1600, 2200]);
    expect(await widths(PICTURE, 'rg_0.0:0.0:0.5:1.0,ar_1:1')).toEqual([320, 400]);
    expect(await widths(LOGO, 'q_70')).toEqual([64]);
    expect(await widths(DRAWING, 'q_70')).toEqual([320, 640, 960, 1280, 1600, 2048]);
  });

  test.each(['srcset', 'picture'])('offers no widths in %s before the size of the original is known', async (as) => {
    const page = await open(BANNER, 'w_800', { query: `&as=${as}` });
    let isDescribed = false;
    await page.route(`${service.url}/assets/**`, async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      const unknown = { width: null, height: null, described: false };
      await route.fulfill({ response, json: isDescribed ? json : { ...json, ...unknown } });
    });
    await page.reload();
    const reading = page.getByRole('status').getByText('Reading the size …');
    await reading.waitFor();
    const code = page.getByRole('region', { name: 'Code', exact: true });
    expect(await code.textContent()).toMatch(/^<(img|picture)/);
    expect(await code.textContent()).not.toMatch(/ \d+w|sizes=/);
    await saveScreenshot(page, `playground-reading-size-${as}`);
    isDescribed = true;
    await code.getByText(' 800w').waitFor();
    expect(await reading.count()).toBe(0);
  });

  test('says to people who cannot set it that signing needs a secret, before they sign', async () => {
    const { cookie } = await addPerson(service, { role: 'viewer' });
    const page = await open(PICTURE, 'w_200', { query: '&as=signed', cookie });
    await page.getByText('This service cannot sign URLs. Ask an admin to set').waitFor();
    await page.getByText('API_SECRET', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0);
    expect(window?.problems).toEqual([]);
  });

  test('says which setting signed URLs need, before anything is signed', async () => {
    const page = await open(PICTURE, 'w_200');
    await page.getByText('Signed URL', { exact: true }).click();
    await page.getByText('To sign URLs, set').waitFor();
    await page.getByText('API_SECRET', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign', exact: true }).count()).toBe(0);
    expect(window?.problems).toEqual([]);
  });
});
