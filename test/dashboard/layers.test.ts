import fc from 'fast-check';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as serviceNames from '../../src/image/layers/names.ts';
import { textLayer } from '../../src/image/layers/parameters.ts';
import { imageSteps } from '../../src/image/steps/index.ts';
import { readSource, writeSource } from '../../web/src/playground/names.ts';
import { LARGEST } from '../../web/src/playground/using/growth.ts';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, saveScreenshot, type Window } from './browser.ts';
import { addressIn, isFact, openStage, segmentOf } from './playground-page.ts';

const PICTURE = 'people/Ada at work.jpg';
const VIDEO = 'films/horses.mp4';
/** Contains every separator of layers, parameters and folders. */
const LOGO = 'brand/logo, ~new:1.png';
const LOGO_WRITTEN = 'brand:logo%2C%20%7Enew%3A1.png';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const logo = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#0c8' } })
    .png()
    .toBuffer();
  await service.upload({ 'Ada at work.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
  await service.upload({ [LOGO.slice(6)]: logo }, { folder: 'brand' });
  await service.upload({ 'badge.png': fixture('badge.png') }, { folder: 'brand' });
  await service.upload({ 'horses.mp4': fixture('schizo_90.mp4') }, { folder: 'films' });
  service.services.describing?.start();
});
afterEach(() => window?.close());
afterAll(() => service.close());

const addressOf = (path: string, segment?: string) => addressIn(service, path, segment);
const layer = (page: Page, name: string) => page.getByRole('group', { name, exact: true });

async function open(path: string, segment?: string): Promise<Page> {
  window = await openStage(addressOf(path, segment), { service });
  return window.page;
}

/** Colour of the preview at a relative position, as `#rrggbb`. */
const colourAt = (page: Page, x: number, y: number) =>
  page.evaluate(`(() => {
    const image = document.querySelector('img[alt="Result"]');
    const { naturalWidth: width, naturalHeight: height } = image;
    const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(Math.round(${x} * width), Math.round(${y} * height), 1, 1);
    return '#' + [...data].slice(0, 3).map((one) => one.toString(16).padStart(2, '0')).join('');
  })()`);

describe('the playground and the service', () => {
  const names = fc
    .string({ unit: fc.constantFrom(...',~:%_ "<a', 'é', '🖼', '%2C', 'text') })
    .filter((name) => name.trim() !== '');

  test('write the names and texts of layers alike', () => {
    const sources = fc.oneof(
      names.map((text) => ({ kind: 'text', text }) as const),
      fc.array(names, { minLength: 1, maxLength: 3 }).map((all) => ({ kind: 'image', path: all.join('/') }) as const),
    );
    fc.assert(
      fc.property(sources, (source) => {
        const written = writeSource(source);
        expect(written).toBe(serviceNames.writeSource(source as unknown as serviceNames.LayerSource));
        expect(readSource(written)).toEqual(source);
      }),
    );
  });

  const values: Record<string, (length: number, place: number) => string> = {
    st: (width) => `${width}:000`,
    bo: (width) => `${width}:000`,
    sd: (length, place) => `${[0, 0, 0].with(place, length).join(':')}:000`,
    pd: (length, place) => [0, 0, 0, 0].with(place, length).join(':'),
    x: String,
    y: String,
    b: (blur) => `blur:${blur}`,
  };
  const bounds = Object.entries(LARGEST).flatMap(([key, all]) =>
    all.flatMap((most, place) => (Number.isFinite(most) ? [[key, place, most] as const] : [])),
  );

  test.each(bounds)('have the same bound of a length: %s, number %i', (key, place, most) => {
    const list = [imageSteps, textLayer].find((one) => one.some((parameter) => parameter.key === key)) ?? [];
    const { syntax } = list.find((parameter) => parameter.key === key) ?? {};
    const read = (length: number) => syntax?.parse(values[key]?.(length, place) ?? '', { outputSide: 8192 });
    expect([read(most), read(most + 1)]).toEqual([{ value: expect.anything() }, { expected: expect.anything() }]);
  });
});

/** Waits until the preview shows the current segment. */
function drawn(page: Page): Promise<void> {
  return page.getByRole('region', { name: 'Scrollable preview' }).and(page.locator('[aria-busy=false]')).waitFor();
}

describeInBrowser('layers in the playground', () => {
  test('look well in both themes and at both widths', async () => {
    await lookAtAll(service, 'playground-layers', async (page) => {
      const texts = '~l_text:Bon%20voyage%2C%0Aand%20come%20back!,fs_44,fw_700,co_white,g_south,y_0.05,sd_0:2:6:000000';
      await page.goto(addressOf(PICTURE, `w_800~l_brand:badge.png,w_0.25,g_south_east,x_0.03,y_0.03${texts}`));
      await page.getByRole('img', { name: 'Result' }).waitFor();
      await page.getByRole('button', { name: 'badge.png', exact: true }).click();
      await drawn(page);
    });
  });

  test('look well with a text, and with the choice of an image', async () => {
    await lookAtAll(service, 'playground-layer-text', async (page) => {
      await page.goto(addressOf(PICTURE, 'w_600'));
      await page.getByRole('img', { name: 'Result' }).waitFor();
      await page.getByRole('button', { name: 'Add text' }).click();
      await page.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
      await expect.poll(() => page.url()).toContain('text');
      await drawn(page);
    });
    await lookAtAll(service, 'playground-layer-choice', async (page) => {
      await page.goto(addressOf(PICTURE, 'w_600'));
      await page.getByRole('img', { name: 'Result' }).waitFor();
      await page.getByRole('button', { name: 'Add image' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'badge.png' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
  });

  test('are a logo and a text, put in their order, and taken along in a URL', async () => {
    const page = await open(PICTURE, 'w_400,f_png');
    const before = await colourAt(page, 0.9, 0.9);
    await page.getByRole('button', { name: 'Add image' }).click();
    await page.getByLabel('Search by name').last().fill('new');
    await page.getByRole('dialog').getByRole('button', { name: 'badge.png' }).waitFor({ state: 'detached' });
    await page
      .getByRole('dialog')
      .getByRole('button', { name: LOGO.slice(6) })
      .click();
    await expect.poll(() => segmentOf(page)).toBe(`w_400,f_png~l_${LOGO_WRITTEN},w_0.25,g_south_east,x_0.03,y_0.03`);
    await expect.poll(() => colourAt(page, 0.9, 0.9)).toBe('#00cc88');
    expect(before).not.toBe('#00cc88');
    await page.getByRole('button', { name: 'Add text' }).click();
    await page.keyboard.type('One,\nTwo');
    const text = layer(page, 'Layer 2, One, Two');
    await text.getByRole('radio', { name: 'south east' }).check();
    await text.getByText('More', { exact: true }).click();
    await text.getByRole('textbox', { name: 'Box colour', exact: true }).fill('224466');
    expect((await segmentOf(page)).split('~')[2]).toBe(
      'l_text:One%2C%0ATwo,fs_48,co_white,b_224466,g_south_east,y_0.05',
    );
    await expect.poll(() => colourAt(page, 0.995, 0.93)).toBe('#224466');
    const covered = await colourAt(page, 0.92, 0.94);
    expect(covered).not.toBe('#00cc88');
    await text.getByRole('button', { name: /^Move One, Two up$/ }).click();
    await layer(page, 'Layer 1, One, Two').waitFor();
    await expect.poll(() => colourAt(page, 0.92, 0.94)).toBe('#00cc88');
    const url = String(await page.getByRole('region', { name: 'Code', exact: true }).textContent());
    expect(url).toContain(`~l_${LOGO_WRITTEN.replaceAll('%', '%25')},w_0.25`);
    const { status, body } = await ask(service.url, url.slice(service.url.length));
    expect(status).toBe(200);
    const { data, info } = await sharp(body).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const at = (Math.round(0.9 * info.height) * info.width + Math.round(0.9 * info.width)) * 3;
    expect([info.width, ...data.subarray(at, at + 3)]).toEqual([400, 0, 0xcc, 0x88]);
    expect(window?.problems).toEqual([]);
  });

  test('go by keyboard alone, and the focus stays with them', async () => {
    const page = await open(PICTURE, 'w_300');
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent');
    await page.getByRole('button', { name: 'Add text' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('First');
    await page.getByRole('button', { name: 'Duplicate First' }).press('Enter');
    await expect.poll(focused).toBe('First');
    await layer(page, 'Layer 2, First').getByRole('textbox', { name: 'Text', exact: true }).fill('Second');
    await page.getByRole('button', { name: 'Move Second up' }).press('Enter');
    // The first layer cannot move up.
    await expect.poll(focused).toBe('Second');
    await page.getByRole('button', { name: 'Move Second down' }).press(' ');
    await layer(page, 'Layer 2, Second').waitFor();
    expect(await page.getByRole('button', { name: 'Second', exact: true }).getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Remove Second' }).press('Enter');
    await expect.poll(focused).toBe('First');
    await page.getByRole('button', { name: 'Remove First' }).press('Enter');
    await expect.poll(focused).toBe('Add text');
    expect(await segmentOf(page)).toBe('w_300');
  });

  test('may be typed: their path, and all of them in the segment, which fills the form', async () => {
    const page = await open(PICTURE, 'w_300');
    await page.getByRole('button', { name: 'Add image' }).click();
    await page.getByRole('button', { name: 'Enter path' }).click();
    await page.keyboard.type(LOGO);
    expect(await segmentOf(page)).toContain(`w_300~l_${LOGO_WRITTEN},`);
    await page
      .getByLabel('Transformation')
      .fill('w_300~l_text:Hello you,fs_20,g_se,fi_true,ff_Noto Sans~l_brand:badge.png,o_30');
    const text = layer(page, 'Layer 1, Hello you');
    await text.getByRole('textbox', { name: 'Text', exact: true }).waitFor();
    expect(await text.getByRole('spinbutton', { name: 'Font size' }).inputValue()).toBe('20');
    expect(await text.getByRole('radio', { name: 'south east' }).isChecked()).toBe(true);
    expect(await text.getByRole('combobox', { name: 'Family' }).inputValue()).toBe('Noto Sans');
    await page.getByRole('button', { name: 'badge.png', exact: true }).click();
    expect(await layer(page, 'Layer 2, badge.png').getByRole('spinbutton', { name: 'Opacity' }).inputValue()).toBe(
      '30',
    );
    const form = page.getByRole('region', { name: 'Parameters' });
    await form.getByRole('spinbutton', { name: 'Width' }).fill('200');
    expect(await segmentOf(page)).toBe('w_200~l_text:Hello you,fs_20,g_se,fi_true,ff_Noto Sans~l_brand:badge.png,o_30');
    await isFact(page, 'pixels', '200 × 133');
  });

  test('have a control for every parameter that the service lists', async () => {
    const listing = (await ask(service.url, '/transformations')).json() as Record<string, { key: string }[]>;
    const page = await open(PICTURE, 'w_100~l_brand:badge.png~l_text:Hello');
    for (const [list, title] of [
      ['layer', 'badge.png'],
      ['text', 'Hello'],
    ] as const) {
      await page.getByRole('button', { name: title, exact: true }).click();
      const shown = page.getByRole('region', { name: 'Layers' }).locator('.control[data-key]');
      await shown.first().waitFor();
      const keys = await shown.evaluateAll((all) =>
        all.filter((one) => one.querySelector('input, select') !== null).map((one) => one.getAttribute('data-key')),
      );
      expect(new Set(keys)).toEqual(new Set(listing[list]?.map(({ key }) => key)));
    }
  });

  test('show what is wrong with them where it is', async () => {
    const page = await open(PICTURE, 'w_300~l_brand:badge.png,w_5~l_text:Hi');
    const region = page.getByRole('region', { name: 'Layers' });
    await page.getByRole('button', { name: 'badge.png', exact: true }).click();
    const width = layer(page, 'Layer 1, badge.png').getByRole('group', { name: 'Width' });
    await width.getByRole('textbox').fill('99999');
    await width.getByText(/^Expected 1 to 8192 pixels, or a share from 0\.01 to 1\.0, received "99999"\.$/).waitFor();
    await page.getByLabel('Transformation').fill('w_300~l_brand:badge.png,w_5~l_text:Hi,foo_3');
    await layer(page, 'Layer 2, Hi').getByText('There is no parameter "foo".').waitFor();
    await layer(page, 'Layer 2, Hi').getByText('~l_text:Hi,foo_3').waitFor();
    await page.getByLabel('Transformation').fill('w_300~l_brand:badge.png,o_50~l_gone.png');
    await layer(page, 'Layer 2, gone.png').getByText('There is no file "gone.png" for a layer.').waitFor();
    await saveScreenshot(page, 'playground-layer-gone');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByLabel('Transformation').fill('w_300~l_text:,fs_30');
    await layer(page, 'Layer 1, Text').getByText('A layer needs a name, as in l_logo.png or l_text:Hello.').waitFor();
    await page.getByLabel('Transformation').fill('w_300~x_3');
    await region.getByRole('alert').waitFor();
    await region.getByRole('textbox', { name: 'Source text' }).fill('l_brand:badge.png');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await segmentOf(page)).toBe('w_300~l_brand:badge.png');
  });

  test('keep their place in every width that is copied', async () => {
    const logo = `~l_${LOGO_WRITTEN},w_40,h_40,g_north_west,x_10,y_10,c_fill~l_text:a%2Cb%7E%25,fs_120,st_6:000,sd_-90:1:9:fff`;
    const page = await open(PICTURE, `w_400,q_90${logo}`);
    await page.getByText('<img srcset>', { exact: true }).click();
    const code = page.getByRole('region', { name: 'Code', exact: true });
    // No wider than the original, once its size is known.
    await code.getByText(' 800w').waitFor();
    const urls = [...String(await code.textContent()).matchAll(/(http\S+) (\d+)w/g)];
    expect(urls.map(([, , width]) => width)).toEqual(['320', '400', '640', '800']);
    for (const [, url = '', width] of urls) {
      const { status, body } = await ask(service.url, url.slice(service.url.length), {
        headers: { accept: 'image/png' },
      });
      expect(status).toBe(200);
      const scale = Number(width) / 400;
      const { data, info } = await sharp(body).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      expect(info.width).toBe(Number(width));
      const colour = (x: number, y: number) => {
        const at = (Math.round(y * scale) * info.width + Math.round(x * scale)) * 3;
        return (
          Math.abs((data[at] ?? 0) - 0) + Math.abs((data[at + 1] ?? 0) - 0xcc) + Math.abs((data[at + 2] ?? 0) - 0x88)
        );
      };
      expect([colour(14, 14) < 60, colour(45, 45) < 60, colour(5, 5) < 60, colour(56, 30) < 60]).toEqual([
        true,
        true,
        false,
        false,
      ]);
    }
  });

  test('lie over a frame of a video at once, and over the video that is made of it', async () => {
    const page = await open(VIDEO, 'so_1,w_160~l_brand:badge.png');
    await page.getByRole('button', { name: 'Transcode' }).click();
    service.services.worker?.start();
    await page.getByText(/^Ready: /).waitFor();
    const src = String(await page.locator('.film video').getAttribute('src'));
    expect(decodeURIComponent(src)).toContain('/t/so_1,w_160~l_brand:badge.png/');
    expect((await ask(service.url, src)).headers['content-type']).toBe('video/mp4');
  });
});
