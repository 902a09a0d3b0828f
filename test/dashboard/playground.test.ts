import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { formatBytes } from '../../web/src/components/format.ts';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE, signIn } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { collectCopies, copiesOf } from './library.ts';
import { isFact, openStage } from './playground-page.ts';

const PICTURE = 'people/Ada at work.jpg';
const VIDEO = 'films/horses.mp4';
const ANIMATION = 'squares.gif';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({
    ...ADMIN,
    ...FROM_ANYWHERE,
    PRESETS: 'thumb=w_200,h_200,c_fill;hero=w_1600,q_auto',
    API_SECRET: 'test-secret-at-least-16-chars-long',
  });
  await service.upload({ 'Ada at work.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
  await service.upload({ 'flag.png': fixture('flag-alpha.png'), [ANIMATION]: fixture('rotating-squares.gif') });
  await service.upload({ 'horses.mp4': fixture('schizo_90.mp4') }, { folder: 'films' });
  service.services.describing?.start();
});
afterEach(() => window?.close());
afterAll(() => service.close());

const addressOf = (path: string, query = '') => `${service.url}/dashboard/playground/${encodeURI(path)}${query}`;
const fact = (page: Page, name: string) => page.locator(`[data-fact="${name}"]`);
const openGroup = (page: Page, name: string) => page.locator('summary').getByText(name, { exact: true }).click();

async function open(path: string, query = ''): Promise<Page> {
  window = await openStage(addressOf(path, query), { service });
  return window.page;
}

describeInBrowser('the playground', () => {
  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'playground', async (page) => {
      await page.goto(addressOf(PICTURE, '?t=w_600,ar_3:2,e_vignette:40,r_40,q_60&look=compare&as=srcset'));
      await page.getByRole('img', { name: 'Lossless' }).waitFor();
      await page.getByRole('button', { name: 'About Gravity' }).click();
    });
  });

  test('looks well with the choice of a file', async () => {
    await lookAtAll(service, 'playground-choice', async (page) => {
      await page.goto(addressOf(''));
      await page.getByRole('link', { name: 'Ada at work.jpg' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
  });

  test('looks well with a video', async () => {
    await lookAtAll(service, 'playground-video', async (page) => {
      await page.goto(addressOf(VIDEO, '?t=so_1,eo_2,w_160'));
      await page.locator('.film video[poster]').waitFor();
      await page.getByRole('button', { name: 'Transcode' }).waitFor();
      await page.waitForLoadState('networkidle');
    });
  });

  test('begins with the choice of an image or a video', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(addressOf(''));
    await page.getByLabel('Search by name').fill('ada');
    await page.getByRole('link', { name: 'flag.png' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ada at work.jpg' }).click();
    await page.getByRole('img', { name: 'Result' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/playground/people/Ada%20at%20work.jpg');
    await isFact(page, 'pixels', '800 × 533');
    await isFact(page, 'cache', 'Original');
    expect(problems).toEqual([]);
  });

  test('has a control for every parameter of the service that applies to a file: an image, a video and its frames', async () => {
    const listing = (await ask(service.url, '/transformations')).json() as Record<string, { key: string }[]>;
    const keysOf = (list = '') => listing[list]?.map(({ key }) => key) ?? [];
    const shown = (page: Page) =>
      page
        .locator('.control')
        .evaluateAll((all) =>
          all.filter((one) => one.querySelector('input, select') !== null).map((one) => one.getAttribute('data-key')),
        );
    const page = await open(ANIMATION);
    expect(new Set(await shown(page))).toEqual(new Set(keysOf('image')));
    await page.goto(addressOf(PICTURE));
    await page.getByRole('img', { name: 'Result' }).waitFor();
    const ofPages = new Set(['pg', 'an']);
    expect(new Set(await shown(page))).toEqual(new Set(keysOf('image')).difference(ofPages));
    await page.goto(addressOf(VIDEO, '?t=w_100'));
    await page.getByRole('group', { name: 'Start offset' }).waitFor();
    await page.locator('.timeline').first().waitFor();
    expect(new Set(await shown(page))).toEqual(new Set(keysOf('video')));
    await page.goto(addressOf(VIDEO, '?t=t_true'));
    await page.getByRole('group', { name: 'Gravity', exact: true }).waitFor();
    const ofFrames = new Set([...keysOf('video'), ...keysOf('image')]).difference(new Set(['pg']));
    expect(new Set(await shown(page))).toEqual(ofFrames);
  });

  test('has a line of text for a parameter of a shape that it does not know', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.route('**/transformations', async (route) => {
      const answer = await route.fetch();
      const listing = await answer.json();
      const blur = { key: 'blur', aliases: [], name: 'blurKernel', summary: 'New.', forms: '`x`', examples: [] };
      listing.image.push({ ...blur, shape: { kind: 'kernel' } });
      await route.fulfill({ json: listing });
    });
    await page.goto(addressOf(PICTURE, '?t=w_100'));
    await openGroup(page, 'Advanced');
    await page.getByRole('textbox', { name: 'Blur kernel' }).fill('3x3');
    await expect.poll(() => page.getByLabel('Transformation').inputValue()).toBe('w_100,blur_3x3');
  });

  test('writes the form into the segment, and what is typed there into the form', async () => {
    const page = await open(PICTURE);
    const segment = page.getByLabel('Transformation');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('300');
    await page.getByRole('spinbutton', { name: 'Height' }).fill('300');
    await page.getByRole('combobox', { name: 'Crop' }).selectOption('pad');
    await openGroup(page, 'Effects');
    await openGroup(page, 'Advanced');
    await page.getByLabel('Background, picker').fill('#336699');
    await page.getByRole('group', { name: 'Quality' }).getByRole('button', { name: 'Auto' }).click();
    await page.getByRole('button', { name: '16:9' }).click();
    await page.getByRole('button', { name: 'Round', exact: true }).click();
    expect(await segment.inputValue()).toBe('ar_16:9,w_300,h_300,c_pad,b_336699,r_max,q_auto');
    await isFact(page, 'pixels', '300 × 300');
    await segment.fill('w_120,g_fp:0.2:0.4,r_1:2:3:4,q_33,f_png');
    expect(await page.getByRole('spinbutton', { name: 'Width' }).inputValue()).toBe('120');
    expect(await page.getByRole('slider', { name: 'Quality, slider' }).inputValue()).toBe('33');
    expect(await page.getByRole('button', { name: 'Point on the image' }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByRole('spinbutton', { name: 'Point from the left' }).inputValue()).toBe('20');
    expect(await page.getByRole('spinbutton', { name: 'Point from the top' }).inputValue()).toBe('40');
    expect(await page.getByRole('spinbutton', { name: 'Radius, bottom right' }).inputValue()).toBe('3');
    await isFact(page, 'type', 'PNG');
    await page.getByRole('button', { name: 'Reset Format' }).click();
    expect(await segment.inputValue()).toBe('w_120,g_fp:0.2:0.4,r_1:2:3:4,q_33');
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await isFact(page, 'cache', 'Original');
  });

  test('writes effects, and shows what is on without being asked for', async () => {
    const page = await open(PICTURE);
    const segment = page.getByLabel('Transformation');
    const enlarge = page.getByRole('checkbox', { name: 'Enlarge' });
    expect(await enlarge.isChecked()).toBe(true);
    await page.getByRole('spinbutton', { name: 'Width' }).fill('200');
    await enlarge.uncheck();
    await openGroup(page, 'Effects');
    await page.getByRole('checkbox', { name: 'Grayscale' }).check();
    await page.getByRole('spinbutton', { name: 'Blur', exact: true }).fill('3');
    expect(await segment.inputValue()).toBe('w_200,el_false,e_blur:3,e_grayscale');
    await isFact(page, 'pixels', '200 × 133');
    await enlarge.check();
    await page.getByRole('spinbutton', { name: 'Blur', exact: true }).fill('10');
    expect(await segment.inputValue()).toBe('w_200,e_blur,e_grayscale');
  });

  test('keeps everything in its address, and goes along with it', async () => {
    const page = await open(PICTURE);
    await page.getByLabel('Transformation').fill('w_240');
    await isFact(page, 'pixels', '240 × 160');
    await page.getByText('JPEG and PNG only', { exact: true }).click();
    await page.getByText('curl', { exact: true }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('?t=w_240&accept=old&as=curl');
    await isFact(page, 'type', 'JPEG');
    await page.reload();
    await isFact(page, 'type', 'JPEG');
    expect(await page.getByRole('region', { name: 'Code' }).textContent()).toContain(
      '/t/w_240/people/Ada%20at%20work.jpg',
    );
  });

  test('says what a result is, and whether it was there', async () => {
    const page = await open(PICTURE, '?t=w_211,q_50');
    await isFact(page, 'type', 'AVIF');
    await isFact(page, 'cache', 'Miss');
    const { body } = await ask(service.url, `/t/w_211,q_50/${encodeURI(PICTURE)}`, {
      headers: { accept: 'image/avif' },
    });
    await isFact(
      page,
      'size',
      body.length < 1024 ? `${body.length} B` : `${Number((body.length / 1024).toPrecision(3))} KB`,
    );
    await page.getByText('With WebP').click();
    await isFact(page, 'type', 'WEBP');
    await page.getByText('With AVIF').click();
    await isFact(page, 'cache', 'Hit');
    expect(await fact(page, 'time').textContent()).toMatch(/^\d+ ms$/);
  });

  test('shows the facts of a file as a text', async () => {
    await lookAtAll(service, 'playground-facts', async (page) => {
      await page.goto(addressOf(PICTURE, '?t=f_json,g_face'));
      await page.getByText('"perceptualHash"').waitFor();
    });
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(addressOf(PICTURE, '?t=f_json,g_face'));
    await page.getByText('"thumbHash"').waitFor();
    await isFact(page, 'type', 'JSON');
    await isFact(page, 'pixels', '–');
    const uses = page.getByRole('group', { name: 'Copy as' });
    await uses.getByText('curl').click();
    expect(await uses.getByText('<picture>').count()).toBe(0);
    await page.getByText('/t/f_json,g_face/people/Ada%20at%20work.jpg').waitFor();
  });

  test('takes a preset, and goes on from what it stands for', async () => {
    const page = await open(PICTURE);
    await page.getByRole('button', { name: 'thumb', exact: true }).click();
    await isFact(page, 'pixels', '200 × 200');
    expect(await page.getByRole('button', { name: 'thumb', exact: true }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('100');
    expect(await page.getByLabel('Transformation').inputValue()).toBe('w_100,h_200,c_fill');
    await isFact(page, 'pixels', '100 × 200');
  });

  test('shows what is refused at its field, and the last result beside it', async () => {
    const page = await open(PICTURE, '?t=w_200');
    await page.getByRole('spinbutton', { name: 'Width' }).fill('99999');
    const field = page.getByRole('group', { name: 'Width' });
    await field.getByText('Expected a whole number from 1 to 8192 pixels, received "99999".').waitFor();
    await isFact(page, 'pixels', '200 × 133');
    await page.getByLabel('Transformation').fill('w_200,bllur_3');
    await page.getByText('There is no parameter "bllur".').waitFor();
    await page.getByLabel('Transformation').fill('w_201');
    await isFact(page, 'pixels', '201 × 134');
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('leaves a request that is overtaken', async () => {
    const page = await open(PICTURE);
    const asked: string[] = [];
    let hold = true;
    await page.route('**/t/w_*/**', async (route) => {
      asked.push(route.request().url().split('/t/')[1]?.split('/')[0] ?? '');
      if (!hold) return route.continue();
      hold = false;
    });
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/t/w_301/'));
    await page.getByLabel('Transformation').fill('w_301');
    await expect.poll(() => asked).toEqual(['w_301']);
    await page.getByLabel('Transformation').fill('w_302');
    expect((await failed).failure()?.errorText).toContain('ERR_ABORTED');
    await isFact(page, 'pixels', '302 × 201');
  });

  test('compares with the same geometry without loss, by keyboard too, and zooms to single pixels', async () => {
    const page = await open(PICTURE, '?t=w_500,h_200,q_10');
    await page.getByText('Compare', { exact: true }).click();
    const before = page.getByRole('img', { name: 'Lossless' });
    await before.waitFor();
    const sizeOf = (image: typeof before) =>
      image.evaluate((one) => {
        const { naturalWidth, naturalHeight } = one as unknown as { naturalWidth: number; naturalHeight: number };
        return [naturalWidth, naturalHeight];
      });
    expect(await sizeOf(before)).toEqual([500, 200]);
    const divider = page.getByRole('slider', { name: 'Comparison position' });
    await divider.focus();
    await page.keyboard.press('End');
    expect(await before.getAttribute('style')).toContain('inset(0px 0% 0px 0px)');
    await page.getByRole('group', { name: 'Zoom' }).getByText('1:1').click();
    expect((await before.boundingBox())?.width).toBe(500);
  });

  test('copies what it shows, and signs', async () => {
    const page = await open(PICTURE, '?t=w_150');
    await collectCopies(page);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('URL copied.').waitFor();
    expect(await copiesOf(page)).toEqual([`${service.url}/t/w_150/people/Ada%20at%20work.jpg`]);
    await page.getByText('Signed URL', { exact: true }).click();
    await page.getByText('1 hour', { exact: true }).click();
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    const url = String(await page.getByRole('region', { name: 'Code' }).textContent());
    expect(url).toMatch(/\/authenticated\/s--[0-9a-f]+--\d+\/w_150\//);
    expect((await fetch(url)).status).toBe(200);
  });

  test('plays a video at once, and transcodes it on request; sizes are those of videos', async () => {
    const page = await open(VIDEO);
    const player = page.locator('.film video');
    const original = (
      await ask(service.url, `/assets/${VIDEO}`, { headers: { cookie: await signIn(service, ADMIN) } })
    ).json() as { size: number };
    expect(await player.getAttribute('src')).toBe(`/t/${VIDEO}`);
    await isFact(page, 'size', formatBytes(original.size));
    await isFact(page, 'share', '100%');
    await page.getByLabel('Transformation').fill('w_160');
    await page.getByRole('button', { name: 'Transcode' }).waitFor();
    expect(await player.getAttribute('src')).toBe(`/t/${VIDEO}`);
    // The poster is a frame of the result; its bytes are not those of a video.
    await expect.poll(() => player.getAttribute('poster')).toMatch(/^blob:/);
    await isFact(page, 'type', 'MP4');
    await isFact(page, 'size', '–');
    await isFact(page, 'share', '–');
    expect((await service.services.queue.jobs.list({ limit: 10, offset: 0 })).jobs).toEqual([]);
    await page.getByRole('button', { name: 'Transcode' }).click();
    await page.getByText('Waiting in the queue').waitFor();
    service.services.worker?.start();
    const ready = await page.getByText(/^Ready: .* of the original$/).innerText();
    await expect.poll(() => player.getAttribute('src')).toBe(`/t/w_160/${VIDEO}`);
    expect(await page.locator('video').count()).toBe(1);
    expect(ready).toContain(
      `Ready: ${await fact(page, 'size').textContent()}, ${await fact(page, 'share').textContent()}`,
    );
    await page.waitForFunction(`document.querySelector('.film video').readyState > 0`);
    expect(await player.evaluate((one) => (one as unknown as { videoWidth: number }).videoWidth)).toBe(160);
  });

  test('has a video streamed, and says how much all files of the stream are', async () => {
    const page = await open(VIDEO, '?t=f_hls');
    await page.getByRole('button', { name: 'Transcode' }).click();
    service.services.worker?.start();
    const ready = await page.getByText(/^Ready: .* of the original$/).innerText();
    const { size } = (await ask(service.url, `/video-status/f_hls/${VIDEO}/size`)).json() as { size: number };
    expect(ready).toContain(formatBytes(size));
  });

  test('makes what is no video of a video too, and shows it', async () => {
    service.services.worker?.start();
    const page = await open(VIDEO, '?t=sb_true,w_40');
    await page.getByRole('button', { name: 'Generate' }).click();
    // An image is not compared with its video.
    await page.getByText(/^Ready: [\d.]+ [KM]?B$/).waitFor();
    await isFact(page, 'share', '–');
    const sheet = page.locator('.transcode img');
    expect(await sheet.getAttribute('src')).toBe(`/t/sb_true,w_40/${VIDEO}`);
    await page.waitForFunction(`document.querySelector('.transcode img')?.naturalWidth > 0`);
  });

  test('says that a file is not there', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(addressOf('nowhere.jpg'));
    await page.getByRole('alert').getByText('nowhere.jpg', { exact: false }).waitFor();
  });
});
