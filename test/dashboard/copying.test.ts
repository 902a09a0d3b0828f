import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, saveScreenshot } from './browser.ts';
import {
  collectCopies,
  copiesOf,
  exists,
  focused,
  gradient,
  open,
  openLibrary,
  pasteFiles,
  photo,
  settled,
  tile,
} from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['alps at dawn', 'bridge', 'coast'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await service.upload({ 'inside.jpg': await gradient(9) }, { folder: 'Holidays' });
});
afterAll(() => service.close());

async function begin(path?: string): Promise<Page> {
  const { page } = await openLibrary(service, path);
  await collectCopies(page);
  return page;
}

const copied = async (page: Page) => (await copiesOf(page)).at(-1);

describeInBrowser('the menu of a file', () => {
  test('copies its URL and code, by keys too', async () => {
    const page = await begin();
    await tile(page, 'alps').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy URL' }).click();
    await page.getByText('URL copied.').waitFor();
    expect(await copied(page)).toBe(`${service.url}/t/alps%20at%20dawn.jpg`);
    await tile(page, 'alps').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Copy as' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('menuitem', { name: '<img>' }).waitFor();
    expect(await page.getByRole('menu', { name: 'Copy as' }).getByRole('menuitem').allTextContents()).toEqual([
      '<img>',
      '<picture>',
      'Markdown',
    ]);
    await saveScreenshot(page, 'files-copy-as-light');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => copied(page)).toMatch(/^<picture><source type="image\/avif" srcset="http.*<\/picture>$/);
    await page.getByText('HTML copied.').waitFor();
    await expect.poll(() => focused(page).textContent()).toMatch(/^alps/);
    // It is the code that the details offer.
    const code = await copied(page);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copy <picture>' }).click();
    await expect.poll(() => copied(page)).toBe(code);
  });

  test('offers no width in its code before the size is known, and then none beyond the image', async () => {
    const page = await begin();
    const widthsIn = async (name: string) => {
      await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click();
      return [...((await copied(page)) ?? '').matchAll(/ (\d+)w/g)].map(([, width]) => Number(width));
    };
    await tile(page, 'coast').focus();
    await page.keyboard.press('Enter');
    const reading = page.getByText('Reading the size …');
    await reading.waitFor();
    await saveScreenshot(page, 'details-reading-size');
    expect(await widthsIn('<img>')).toEqual([]);
    service.services.describing?.start();
    await expect.poll(() => reading.count()).toBe(0);
    expect(await widthsIn('<img>')).toEqual([320, 640, 900]);
    expect(await widthsIn('<picture>')).toEqual([320, 640, 900, 320, 640, 900, 320, 640, 900]);
    // The menu has the code of the details.
    await open(page, service);
    await tile(page, 'coast').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy as' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('menuitem', { name: '<img>' }).click();
    await expect.poll(() => copied(page)).toMatch(/^<img .* 320w, .* 640w, .* 900w"/);
  });

  test('duplicates a file beside it, which is undone, and leads to the playground', async () => {
    const page = await begin();
    await tile(page, 'bridge').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Duplicate' }).click();
    await tile(page, 'bridge copy').waitFor();
    expect(await exists(service, 'bridge copy.jpg')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => tile(page, 'bridge copy').count()).toBe(0);
    await tile(page, 'bridge').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open in playground' }).click();
    await page.waitForURL('**/playground/bridge.jpg');
  });

  test('has nothing to copy of a folder, and the URLs of several files', async () => {
    const page = await begin();
    await tile(page, 'Holidays').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Open' }).waitFor();
    for (const name of ['Copy URL', 'Copy as', 'Duplicate', 'Open in playground'])
      expect([name, await page.getByRole('menuitem', { name }).count()]).toEqual([name, 0]);
    await page.keyboard.press('Escape');
    await tile(page, 'bridge').click({ modifiers: ['Control'] });
    await tile(page, 'coast').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy URLs' }).click();
    await expect.poll(() => copied(page)).toBe(`${service.url}/t/bridge.jpg\n${service.url}/t/coast.jpg`);
  });

  test('works without the API of the clipboard', async () => {
    const { page, close } = await openWindow({ service });
    onTestFinished(close);
    await page.addInitScript(`
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
      document.addEventListener('copy', (event) => {
        const set = event.clipboardData.setData.bind(event.clipboardData);
        event.clipboardData.setData = (type, text) => { window.given = text; set(type, text); };
      }, true);
    `);
    await open(page, service);
    await tile(page, 'coast').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy URL' }).click();
    await page.getByText('URL copied.').waitFor();
    expect(await page.evaluate('window.given')).toBe(`${service.url}/t/coast.jpg`);
  });
});

describeInBrowser('the buttons of a tile', () => {
  test('are shown on hover and focus, copy the URL and open the menu', async () => {
    const page = await begin();
    await settled(page);
    const buttons = tile(page, 'coast').locator('[data-button]');
    expect(await buttons.count()).toBe(0);
    await tile(page, 'coast').hover();
    await saveScreenshot(page, 'files-tile-buttons-light');
    for (const button of await buttons.all()) {
      const { width = 0, height = 0 } = (await button.boundingBox()) ?? {};
      expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    }
    await buttons.first().click();
    await page.getByText('URL copied.').waitFor();
    expect(await copied(page)).toBe(`${service.url}/t/coast.jpg`);
    expect(page.url()).not.toContain('open=');
    await buttons.last().click();
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.move(700, 800);
    await tile(page, 'coast').focus();
    await page.keyboard.press('ArrowLeft');
    await tile(page, 'bridge').locator('[data-button="menu"]').waitFor();
    // In a row too.
    await open(page, service, 'files?view=list');
    const row = page.getByRole('row', { name: /^coast/ });
    await row.hover();
    await saveScreenshot(page, 'files-row-buttons-light');
    await row.locator('[data-button="url"]').click();
    await page.getByText('URL copied.').waitFor();
    expect(page.url()).not.toContain('open=');
  });
});

describeInBrowser('a picture in the clipboard', () => {
  test('is uploaded to the open folder, and named after the time', async () => {
    const page = await begin('files/Holidays');
    const bytes = await gradient(5);
    const before = new Date();
    await pasteFiles(page, photo('image.png', bytes));
    await tile(page, 'pasted-').waitFor();
    const name = /pasted-(\d+)-(\d+)-(\d+)-(\d{6})\.jpg/.exec((await tile(page, 'pasted-').textContent()) ?? '');
    expect(Number(name?.[1])).toBe(before.getFullYear());
    expect(await exists(service, `Holidays/${name?.[0]}`)).toBe(true);
    // The uploaded file is selected, and its actions take the place of the search.
    await page.keyboard.press('Escape');
    // A text field takes its own.
    await page.getByRole('searchbox').focus();
    await pasteFiles(page, photo('image.png', bytes));
    await tile(page, 'inside').focus();
    await pasteFiles(page, photo('copied cat.jpg', bytes));
    await tile(page, 'copied cat').waitFor();
    expect(await tile(page, 'pasted-').count()).toBe(1);
  });

  test('is handed over by the browser after the key, also where items were copied before', async () => {
    const page = await begin('files/Holidays');
    await tile(page, 'inside').focus();
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 item.').waitFor();
    expect(await copied(page)).toBe(`${service.url}/t/Holidays/inside.jpg`);
    await page.evaluate(
      `document.addEventListener('paste', (event) => (window.pasted = event.defaultPrevented), { capture: true })`,
    );
    await page.keyboard.press('Control+v');
    await expect.poll(() => page.evaluate('window.pasted')).toBe(false);
    await tile(page, 'inside copy').waitFor();
    const bytes = await gradient(6);
    await pasteFiles(page, photo('newer.jpg', bytes));
    await tile(page, 'newer').waitFor();
  });
});

describeInBrowser('the menu of copies', () => {
  test('looks well', async () => {
    await lookAtAll(service, 'files-copy-menu', async (page) => {
      await open(page, service);
      await settled(page);
      await tile(page, 'bridge').focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Copy as' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('menuitem', { name: 'Markdown' }).waitFor();
    });
  });
});
