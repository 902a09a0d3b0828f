import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';
import { collectCopies, copiesOf, tile, versionsOf, whenDescribed } from './library.ts';

const PATH = 'trips/harbour.jpg';
const FIRST = fixture('no-face.jpg');
const SECOND = fixture('portrait-face.jpg');

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, VERSIONS_KEEP: '3', VERSIONS_DAYS: '30' });
  service.services.describing?.start();
});
beforeEach(async () => {
  await service.authorized('/storage/trips?recursive=true', { method: 'DELETE' });
  await service.upload({ 'harbour.jpg': FIRST }, { folder: 'trips' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const versions = () => versionsOf(service, PATH);
const present = async () => Buffer.from(await (await service.authorized(`/t/${PATH}`)).arrayBuffer());

/** Replaces the content once the current bytes are known. */
async function replace(bytes: typeof FIRST = SECOND): Promise<void> {
  await whenDescribed(service, PATH);
  const put = await service.authorized(`/storage/${PATH}`, { method: 'PUT', body: new Uint8Array(bytes) });
  expect(put.status).toBe(200);
}

async function open(): Promise<{ page: Window['page']; part: ReturnType<Window['page']['locator']> }> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files/trips?open=${encodeURIComponent(PATH)}`);
  const part = window.page.getByRole('region', { name: 'Versions' });
  await part.waitFor();
  return { page: window.page, part };
}

describeInBrowser('the versions of a file', () => {
  test('come when it is replaced, after it was said what becomes of the old one', async () => {
    const { page, part } = await open();
    await part.getByText('No versions yet. Replace the file to keep its current content as a version.').waitFor();
    const field = part.getByLabel('New file');
    expect(await field.getAttribute('accept')).toBe('image/jpeg');
    await field.setInputFiles({ name: 'new.jpg', mimeType: 'image/jpeg', buffer: SECOND });
    const dialog = page.getByRole('alertdialog', { name: 'Replace harbour.jpg?' });
    await dialog
      .getByText('The current content becomes a version. At most 3 versions per file, each for 30 days.')
      .waitFor();
    expect(await present()).toEqual(FIRST);
    await dialog.getByRole('button', { name: 'Replace file' }).click();
    await part.getByRole('listitem').waitFor();
    expect(await present()).toEqual(SECOND);
    expect(window?.problems).toEqual([]);
  });

  test.each<[where: string, openMenu: (page: Window['page']) => Promise<void>]>([
    ['the menu of a tile', (page) => tile(page, 'harbour').click({ button: 'right' })],
    ['the details', (page) => page.getByRole('complementary').getByRole('button', { name: 'More' }).click()],
    [
      'the selection',
      async (page) => {
        await tile(page, 'harbour').click({ modifiers: ['Control'] });
        await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click();
      },
    ],
  ])('come from %s too, with the same question', async (_where, openMenu) => {
    const { page } = await open();
    await openMenu(page);
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Replace file' }).click();
    await (await choosing).setFiles({ name: 'new.jpg', mimeType: 'image/jpeg', buffer: SECOND });
    await page
      .getByRole('alertdialog', { name: 'Replace harbour.jpg?' })
      .getByRole('button', { name: 'Replace file' })
      .click();
    await page.getByText('Replaced harbour.jpg.').waitFor();
    expect(await present()).toEqual(SECOND);
  });

  test('cannot come from an image of another format, which is said before anything is sent', async () => {
    const { page, part } = await open();
    await part.getByLabel('New file').setInputFiles({ name: 'new.png', mimeType: 'image/png', buffer: SECOND });
    await page.getByText('new.png is a PNG file, and harbour.jpg can only be replaced by a JPEG file.').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    // The service finds what the name hides.
    const png = await sharp(SECOND).png().toBuffer();
    await part.getByLabel('New file').setInputFiles({ name: 'new.jpg', mimeType: 'image/jpeg', buffer: png });
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace file' }).click();
    const row = page.getByRole('region', { name: 'Uploads' }).getByRole('listitem');
    await row.getByText('harbour.jpg is a PNG image with the name of a JPEG', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: /^Rename and upload/ }).count()).toBe(0);
    expect(await present()).toEqual(FIRST);
  });

  test('say which visitors see the old content, and until when, as browsers have it', async () => {
    const { page, part } = await open();
    await collectCopies(page);
    // A script of a site: it asks its cache first, as an image does.
    const sizeAt = (url: string) =>
      page.evaluate(`fetch(${JSON.stringify(url)}).then(async (response) => (await response.blob()).size)`);
    expect(await sizeAt(`/t/${PATH}`)).toBe(FIRST.length);
    const year = new Date(Date.now() + 31_536_000_000);
    const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(year);
    const text = `Browsers and CDNs that have the old file may show it until ${day}, because CACHE_CONTROL lets them keep it. Everyone else sees the new file at once.`;
    await part.getByLabel('New file').setInputFiles({ name: 'new.jpg', mimeType: 'image/jpeg', buffer: SECOND });
    const question = page.getByRole('alertdialog');
    await question.getByText(text).waitFor();
    await question.getByRole('button', { name: 'Replace file' }).click();
    const toast = page.locator('.toast').filter({ hasText: `Replaced harbour.jpg. ${text}` });
    await toast.waitFor();
    await part.getByText(text).waitFor();
    await part.scrollIntoViewIfNeeded();
    await saveScreenshot(page, 'versions-replaced');
    expect(await faultsOf(page)).toEqual([]);
    expect(await sizeAt(`/t/${PATH}`)).toBe(FIRST.length);
    expect(await present()).toEqual(SECOND);
    for (const [at, place] of [toast, part].entries()) {
      await place.getByRole('button', { name: 'Copy URL of this version' }).click();
      await expect.poll(() => copiesOf(page)).toHaveLength(at + 1);
      await page.getByText('URL copied.').waitFor();
      const url = (await copiesOf(page))[at] ?? '';
      expect(url).toMatch(/\/t\/trips\/harbour\.jpg\?v=\d+$/);
      expect(await sizeAt(url)).toBe(SECOND.length);
    }
    const link = part.getByRole('link', { name: 'Documentation of names that are used again' });
    expect(await link.getAttribute('href')).toContain('/api/docs/guide/cdn#names-that-are-used-again');
  });

  test('say when they were replaced, how large they are, and are downloaded', async () => {
    await replace();
    const { page, part } = await open();
    await part.getByText(/^\d+(\.\d+)? KB · \d+ × \d+$/).waitFor();
    await part.getByRole('button', { name: /^Actions for the version/ }).click();
    const link = page.getByRole('menuitem', { name: 'Download' });
    const downloaded = await service.authorized(new URL((await link.getAttribute('href')) ?? '', service.url).pathname);
    expect(Buffer.from(await downloaded.arrayBuffer())).toEqual(FIRST);
  });

  test('are compared with what is there now, in the same geometry, by keyboard too', async () => {
    await replace();
    const { page, part } = await open();
    await part.getByRole('button', { name: /^Compare with the version until/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare versions' });
    const boxes = () =>
      Promise.all(['Previous', 'Current'].map((name) => dialog.getByRole('img', { name, exact: true }).boundingBox()));
    // The two requests may complete in any order.
    const areAlike = async () => {
      const [before, now] = await boxes();
      return before !== null && JSON.stringify(before) === JSON.stringify(now);
    };
    await expect.poll(areAlike).toBe(true);
    const divider = dialog.getByRole('slider', { name: 'Comparison position' });
    await divider.focus();
    await page.keyboard.press('Home');
    expect(await divider.inputValue()).toBe('0');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(window?.problems).toEqual([]);
  });

  test('are restored from there', async () => {
    await replace();
    const { page, part } = await open();
    await part.getByRole('button', { name: /^Compare with the version until/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Version restored. The replaced content is now a version.').waitFor();
    expect(await present()).toEqual(FIRST);
    expect(await versions()).toHaveLength(1);
  });

  test('are deleted for good, after a question', async () => {
    await replace();
    const { page, part } = await open();
    await part.getByRole('button', { name: /^Actions for the version/ }).click();
    await page.getByRole('menuitem', { name: 'Delete permanently' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete this version permanently?' });
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await part.getByText('No versions yet', { exact: false }).waitFor();
    expect(await versions()).toEqual([]);
    expect(await present()).toEqual(SECOND);
  });

  test('that a browser cannot show are said to be, and can be downloaded', async () => {
    await replace();
    const { page, part } = await open();
    await page.route('**/versions/*', (route) => route.fulfill({ body: 'no picture', contentType: 'image/heic' }));
    await part.getByRole('button', { name: /^Compare with the version until/ }).click();
    await page.getByText('This browser cannot display the format. Download the version to view it.').waitFor();
  });

  test('look well in both themes and at both widths', async () => {
    await replace();
    await replace(FIRST);
    const show = async (page: Window['page']) => {
      await page.goto(`${service.url}/dashboard/files/trips?open=${encodeURIComponent(PATH)}`);
      await page.getByRole('region', { name: 'Versions' }).getByRole('listitem').first().scrollIntoViewIfNeeded();
    };
    await lookAtAll(service, 'versions', show);
    await lookAtAll(service, 'versions-compared', async (page) => {
      await show(page);
      await page
        .getByRole('button', { name: /^Compare with the version until/ })
        .first()
        .click();
      await page.getByRole('slider').waitFor();
    });
  });
});
