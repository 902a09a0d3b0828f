import type { CDPSession, Page } from 'playwright-core';
import sharp, { type Create } from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { squareGlb } from '../pictures/glb-sample.ts';
import { pdfOf } from '../pictures/pdf-sample.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, openWindow, type Window } from './browser.ts';
import {
  assetOf,
  detailsOf,
  focused,
  gradient,
  isInView,
  openLibrary,
  settled,
  tile,
  whenDescribed,
} from './library.ts';

/** Files of a folder whose listing has two pages. */
const MANY = 204;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, EXTRA_TYPES: 'pdf' });
  service.services.describing?.start();
  // Draws the waveform.
  service.services.worker?.start();
  await fillLibrary();
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function fillLibrary(): Promise<void> {
  await service.upload({
    'a photo.jpg': await noise(3000, 2000),
    'b clear.png': await clear(),
    'd pages.pdf': pdfOf(
      [1, 2, 3].map((red) => ({ width: 300, height: 400, paint: `0.${red} 0 0 rg 0 0 300 400 re f` })),
    ),
    'e clip.mp4': fixture('schizo_90.mp4'),
    'f tone.wav': tone(2),
    'g square.glb': squareGlb(await red()),
    'h packed.glb': squareGlb(await red(), { extensionsRequired: ['KHR_draco_mesh_compression'] }),
  });
  await service.place('c broken.jpg', fixture('not-an-image.jpg'));
  await service.upload({ 'inside.jpg': await gradient(3) }, { folder: 'Holidays' });
  const small = await gradient(5, 60, 40);
  await Promise.all(Array.from({ length: MANY }, (_, index) => service.place(`many/${nameOf(index)}`, small)));
  // Listed, because the service has not written it itself.
  await service.authorized('/storage');
  await whenDescribed(service, 'b clear.png', 'c broken.jpg', 'd pages.pdf', 'f tone.wav');
}

const nameOf = (index: number) => `${String(index).padStart(3, '0')}.jpg`;

/** An image over a megabyte, for which the viewer requests variants. */
async function noise(width: number, height: number): Promise<Buffer> {
  const create = { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 120, sigma: 40 } };
  return sharp({ create: create as Create })
    .jpeg({ quality: 80 })
    .toBuffer();
}

/** A disc on nothing. */
function clear(): Promise<Buffer> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><circle cx="200" cy="150" r="120" fill="#c33"/></svg>';
  return sharp(Buffer.from(svg)).png().toBuffer();
}

const red = () =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#e00' } })
    .png()
    .toBuffer();

/** Seconds of a tone as WAV: mono, 8 bits, 8000 Hz. */
function tone(seconds: number): Buffer {
  const samples = Buffer.alloc(8000 * seconds, 0);
  for (let at = 0; at < samples.length; at++)
    samples[at] = 128 + Math.round(100 * Math.sin(at / 8) * Math.sin(at / 2000));
  const head = Buffer.from('RIFF....WAVEfmt ....................data....', 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

async function openAt(path: string, options: Parameters<typeof openWindow>[0] = {}): Promise<Page> {
  window = await openWindow({ service, ...options });
  await window.page.goto(`${service.url}/dashboard/files?open=${encodeURIComponent(path)}&full=true`);
  await viewer(window.page, path).waitFor();
  return window.page;
}

const viewer = (page: Page, name?: string) =>
  page.getByRole('dialog', { name: name === undefined ? /, full screen$/ : `${name}, full screen` });
const picture = (page: Page, name: string) => viewer(page).getByRole('img', { name });
const scale = (page: Page) => page.locator('.viewer-scale').textContent();
const sourceOf = async (page: Page, name: string) =>
  new URL((await picture(page, name).getAttribute('src')) ?? '', service.url).pathname;
/** Waits until the listing says which file is next. */
const hasNext = (page: Page) =>
  expect.poll(() => page.getByRole('button', { name: 'Next file (→)' }).getAttribute('aria-disabled')).toBe('false');
const openedIn = (page: Page) => new URL(page.url()).searchParams.get('open');

describeInBrowser('the viewer', () => {
  test('opens from preview and tile, by mouse and keyboard, and the focus returns', async () => {
    const { page, problems } = await openLibrary(service, `files?open=${encodeURIComponent('a photo.jpg')}`);
    const preview = page.getByRole('button', { name: 'View a photo.jpg full screen' });
    await preview.click();
    await viewer(page, 'a photo.jpg').getByText('3000 × 2000').waitFor();
    await picture(page, 'a photo.jpg').waitFor();
    await page.keyboard.press('Escape');
    await viewer(page).waitFor({ state: 'detached' });
    await expect.poll(() => preview.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await preview.press('Space');
    await viewer(page).getByRole('button', { name: 'Close (Esc)' }).click();
    await viewer(page).waitFor({ state: 'detached' });
    // Enter opens the details, and again the viewer. The files of the listing follow, folders do not.
    const photo = tile(page, 'a photo.jpg');
    await photo.focus();
    await page.keyboard.press('Enter');
    await viewer(page, 'a photo.jpg').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await viewer(page, 'b clear.png').waitFor();
    expect(openedIn(page)).toBe('b clear.png');
    await page.keyboard.press('Escape');
    await detailsOf(page, 'b clear.png').waitFor();
    await expect.poll(() => focused(page).getAttribute('class')).toContain('is-opened');
    // The browser's Back leaves the viewer too.
    await page.keyboard.press('Enter');
    await viewer(page).waitFor();
    await page.goBack();
    await viewer(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close details' }).click();
    await tile(page, 'd pages.pdf').dblclick();
    await viewer(page, 'd pages.pdf').waitFor();
    expect(problems).toEqual([]);
  });

  test('zooms by buttons, keys, wheel and double click, and moves the image', async () => {
    const page = await openAt('a photo.jpg');
    await picture(page, 'a photo.jpg').waitFor();
    const fit = await scale(page);
    expect(await sourceOf(page, 'a photo.jpg')).toContain('/t/w_1280,c_fit,q_85,f_webp/');
    await page.keyboard.press('1');
    expect(await scale(page)).toBe('100 %');
    // At this size each pixel of the original counts.
    await expect.poll(() => sourceOf(page, 'a photo.jpg')).toBe('/t/a%20photo.jpg');
    const left = async () => (await picture(page, 'a photo.jpg').boundingBox())?.x ?? 0;
    const centred = await left();
    await page.keyboard.press('ArrowRight');
    await expect.poll(left).toBe(centred - 80);
    expect(openedIn(page)).toBe('a photo.jpg');
    await page.mouse.move(700, 400);
    await page.mouse.down();
    await page.mouse.move(760, 400, { steps: 3 });
    await page.mouse.up();
    await expect.poll(left).toBe(centred - 20);
    await page.keyboard.press('0');
    expect(await scale(page)).toBe(fit);
    await page.getByRole('button', { name: 'Zoom in (+)' }).click();
    const [before = ''] = [await scale(page)];
    expect(Number.parseInt(before ?? '', 10)).toBeGreaterThan(Number.parseInt(fit ?? '', 10));
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, 2000);
    await expect.poll(() => scale(page)).not.toBe(before);
    await page.keyboard.press('0');
    await page.mouse.dblclick(700, 400);
    await expect.poll(() => scale(page)).toBe('100 %');
    await page.mouse.dblclick(700, 400);
    await expect.poll(() => scale(page)).toBe(fit);
    expect(window?.problems).toEqual([]);
  });

  test('swipes and pinches', async () => {
    const page = await openAt('a photo.jpg', { size: 'narrow' });
    await picture(page, 'a photo.jpg').waitFor();
    const session = await page.context().newCDPSession(page);
    const fit = await scale(page);
    await touch(session, [
      [
        [160, 400],
        [230, 400],
      ],
      [
        [100, 400],
        [290, 400],
      ],
      [
        [60, 400],
        [330, 400],
      ],
    ]);
    await expect.poll(() => scale(page)).not.toBe(fit);
    await page.getByRole('button', { name: 'Fit to screen (0)' }).click();
    await touch(session, [[[300, 400]], [[240, 402]], [[120, 404]]]);
    await viewer(page, 'b clear.png').waitFor();
    await picture(page, 'b clear.png').waitFor();
    await touch(session, [[[100, 400]], [[160, 402]], [[290, 404]]]);
    await viewer(page, 'a photo.jpg').waitFor();
    expect(window?.problems).toEqual([]);
  });

  test('goes on to files that the listing has not loaded, in the order of the search', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many?open=${encodeURIComponent(`many/${nameOf(198)}`)}&full=true`);
    await picture(page, nameOf(198)).waitFor();
    for (const index of [199, 200, 201]) {
      await hasNext(page);
      await page.keyboard.press('ArrowRight');
      await viewer(page, nameOf(index)).waitFor();
    }
    await page.getByRole('button', { name: 'Close (Esc)' }).click();
    const opened = tile(page, nameOf(201));
    await opened.waitFor();
    expect(await opened.getAttribute('class')).toContain('is-opened');
    await expect.poll(() => isInView(page, opened)).toBe(true);
    // In reverse order the next file has the lower number, and the first one has none before it.
    await page.goto(
      `${service.url}/dashboard/files/many?order=desc&open=${encodeURIComponent(`many/${nameOf(203)}`)}&full=true`,
    );
    await picture(page, nameOf(203)).waitFor();
    await expect
      .poll(() => page.getByRole('button', { name: 'Previous file (←)' }).getAttribute('aria-disabled'))
      .toBe('true');
    await page.getByRole('button', { name: 'Next file (→)' }).click();
    await viewer(page, nameOf(202)).waitFor();
    // The files of a search lie further apart.
    await page.goto(
      `${service.url}/dashboard/files/many?q=19&open=${encodeURIComponent(`many/${nameOf(19)}`)}&full=true`,
    );
    await picture(page, nameOf(19)).waitFor();
    for (const index of [119, 190, 191]) {
      await hasNext(page);
      await page.keyboard.press('ArrowRight');
      await viewer(page, nameOf(index)).waitFor();
    }
    expect(window.problems).toEqual([]);
  });

  test('turns the pages of a document', async () => {
    const page = await openAt('d pages.pdf');
    await picture(page, 'd pages.pdf').waitFor();
    await viewer(page).getByText('Page 1 of 3').waitFor();
    await page.keyboard.press('ArrowDown');
    await viewer(page).getByText('Page 2 of 3').waitFor();
    await expect.poll(() => sourceOf(page, 'd pages.pdf')).toContain('/t/pg_2,');
    await page.getByRole('button', { name: 'Next page (↓)' }).click();
    await page.keyboard.press('PageDown');
    await viewer(page).getByText('Page 3 of 3').waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer(page, 'e clip.mp4').waitFor();
    expect(window?.problems).toEqual([]);
  });

  test('loads nothing of video and audio but their posters before they are played', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(decodeURIComponent(new URL(request.url()).pathname)));
    const originals = () => requested.filter((path) => /^\/t\/[ef] /.test(path));
    await page.goto(`${service.url}/dashboard/files?open=${encodeURIComponent('e clip.mp4')}&full=true`);
    const video = viewer(page).locator('video');
    await video.waitFor();
    await expect.poll(() => requested.some((path) => path.startsWith('/t/t_true,tt_1,w_1920,f_webp/e '))).toBe(true);
    await page.keyboard.press('ArrowRight');
    const audio = viewer(page).locator('audio');
    await audio.waitFor();
    const waveform = viewer(page).locator('.waveform img');
    await expect
      .poll(() => waveform.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(1200);
    expect(originals()).toEqual([]);
    await waveform.click({ position: { x: 300, y: 20 } });
    await expect
      .poll(() => audio.evaluate((one) => (one as unknown as { currentTime: number }).currentTime))
      .toBeGreaterThan(0);
    expect(originals()).toContain('/t/f tone.wav');
    expect(problems).toEqual([]);
  });

  test('turns a model, whose code and bytes are loaded with it', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    const scripts: string[] = [];
    page.on('request', (request) => request.url().includes('/model-scene-') && scripts.push(request.url()));
    await page.goto(`${service.url}/dashboard/files?open=${encodeURIComponent('f tone.wav')}&full=true`);
    await viewer(page, 'f tone.wav').locator('audio').waitFor();
    expect(scripts).toEqual([]);
    await page.keyboard.press('ArrowRight');
    const model = viewer(page, 'g square.glb').getByRole('img', { name: /^3D model g square.glb/ });
    await page.getByRole('button', { name: 'Turn', exact: true }).waitFor();
    expect(scripts).toHaveLength(1);
    /** Share of the canvas that is red. */
    const shown = async () => {
      const { data, info } = await sharp(await model.screenshot())
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const isRed = (at: number) => (data[at] ?? 0) > 150 && (data[at + 1] ?? 0) < 110;
      return Array.from({ length: info.width * info.height }, (_, at) => at).filter((at) => isRed(3 * at)).length;
    };
    await expect.poll(shown).toBeGreaterThan(20_000);
    expect(await faultsOf(page)).toEqual([]);
    const front = await shown();
    await model.focus();
    for (let count = 0; count < 6; count++) await page.keyboard.press('Shift+ArrowRight');
    // From the side a square is narrow.
    await expect.poll(shown).not.toBe(front);
    expect(openedIn(page)).toBe('g square.glb');
    await page.getByRole('button', { name: 'Next file (→)' }).click();
    await viewer(page, 'h packed.glb').getByText('It requires KHR_draco_mesh_compression').waitFor();
    // The driver without graphics hardware reports that screenshots are slow.
    expect(problems.filter((problem) => !problem.includes('GL Driver Message'))).toEqual([]);
  });

  test('shows a checkerboard below transparent images alone', async () => {
    const { page } = await openLibrary(service, `files?open=${encodeURIComponent('b clear.png')}`);
    await expect.poll(() => tile(page, 'b clear').locator('.is-transparent').count()).toBe(1);
    expect(await tile(page, 'a photo').locator('.is-transparent').count()).toBe(0);
    await page.getByRole('button', { name: 'View b clear.png full screen' }).click();
    expect(await page.locator('.preview-frame.is-transparent').count()).toBe(1);
    await picture(page, 'b clear.png').waitFor();
    expect(await page.locator('.viewer-image.is-transparent').count()).toBe(1);
    await page.keyboard.press('ArrowLeft');
    await picture(page, 'a photo.jpg').waitFor();
    expect(await page.locator('.viewer-image.is-transparent').count()).toBe(0);
  });

  test('of a file that cannot be decoded says why, as do tile, details and code', async () => {
    const { problem } = await assetOf(service, 'c broken.jpg');
    expect(problem).toBe('The file cannot be read as an image.');
    const page = await openAt('c broken.jpg');
    const reason = `Cannot be decoded. ${problem}`;
    await viewer(page).getByText(reason).waitFor();
    await page.keyboard.press('Escape');
    await tile(page, 'c broken').locator('.thumb-problem').getByText(reason).waitFor();
    expect(await page.getByRole('gridcell', { name: `c broken.jpg Image ${reason}` }).count()).toBe(1);
    const details = page.getByRole('complementary');
    await details.getByText(reason).first().waitFor();
    const code = details.getByRole('region', { name: 'Embed' });
    await code.getByText('The file cannot be decoded, so there is no variant to embed. Replace the file').waitFor();
    expect(await code.getByText(problem as string).count()).toBe(0);
    expect(await code.getByRole('listitem').count()).toBe(1);
    expect(await details.getByRole('link', { name: 'Open in playground' }).count()).toBe(0);
  });

  test.each([
    ['image', 'a photo.jpg', (page: Page) => picture(page, 'a photo.jpg').waitFor()],
    ['pages', 'd pages.pdf', (page: Page) => picture(page, 'd pages.pdf').waitFor()],
    ['audio', 'f tone.wav', (page: Page) => viewer(page).locator('audio').waitFor()],
    ['broken', 'c broken.jpg', (page: Page) => viewer(page).getByText('Cannot be decoded.').waitFor()],
  ])('looks well in both themes and at both widths: %s', async (name, path, show) => {
    await lookAtAll(service, `viewer-${name}`, async (page) => {
      await page.goto(`${service.url}/dashboard/files?open=${encodeURIComponent(path)}&full=true`);
      await show(page);
    });
  });

  test.each([
    ['clear', 'b clear.png'],
    ['broken', 'c broken.jpg'],
    ['audio', 'f tone.wav'],
  ])('the details look well next to the tiles: %s', async (name, path) => {
    await lookAtAll(service, `viewer-details-${name}`, async (page) => {
      await page.goto(`${service.url}/dashboard/files?open=${encodeURIComponent(path)}`);
      await page.getByRole('complementary').getByRole('heading', { name: 'Information' }).waitFor();
      await settled(page);
    });
  });
});

/** Moves fingers along positions, and lifts them. */
async function touch(
  session: CDPSession,
  steps: readonly (readonly (readonly [x: number, y: number])[])[],
): Promise<void> {
  for (const [at, fingers] of steps.entries())
    await session.send('Input.dispatchTouchEvent', {
      type: at === 0 ? 'touchStart' : 'touchMove',
      touchPoints: fingers.map(([x, y], id) => ({ x, y, id })),
    });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
