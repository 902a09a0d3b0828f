import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, lookAtAll, openWindow, type Window } from './browser.ts';
import { detailsOf, focused, gradient, open, openLibrary, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'harbour.jpg': await gradient(1) });
  await service.upload({ 'boots.jpg': await gradient(2) }, { folder: 'Products/Shoes' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search or run a command' });
const field = (page: Page) => palette(page).getByRole('searchbox');
const item = (page: Page, name: string) => palette(page).getByRole('menuitem', { name });
/** The active item of the palette, as announced by a screen reader. */
const active = (page: Page) =>
  page.evaluate(
    'document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent',
  ) as Promise<string | undefined>;

/** What is typed before the field has the focus goes elsewhere. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await palette(page).locator('input:focus').waitFor();
}

/** Moves to the folder. The file, whose folder is called so too, may have come before and stay active. */
async function chooseFolder(page: Page): Promise<void> {
  const move = async () => {
    if (!(await active(page))?.startsWith('Shoes')) await page.keyboard.press('ArrowUp');
    return active(page);
  };
  await expect.poll(move).toMatch(/^Shoes/);
}

async function begin(path = 'files'): Promise<Page> {
  window = await openWindow({ service });
  const { page } = window;
  await page.goto(`${service.url}/dashboard/${path}`);
  await page.getByRole('main').waitFor();
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await openPalette(page);
  return page;
}

describeInBrowser('the palette', () => {
  test('goes to a page, from any other, by keys alone', async () => {
    const page = await begin('status');
    await page.keyboard.type('trash');
    await expect.poll(() => active(page)).toBe('Trash');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/trash');
    expect(await palette(page).count()).toBe(0);
    expect(window?.problems).toEqual([]);
  });

  test('opens a file wherever it lies, and a folder below the one that is typed', async () => {
    const page = await begin('jobs');
    await page.keyboard.type('boots');
    await item(page, 'boots.jpg').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/files/Products/Shoes?open=*');
    await detailsOf(page, 'boots.jpg').waitFor();
    await openPalette(page);
    await page.keyboard.type('Products/sho');
    await item(page, 'Shoes Products').waitFor();
    await chooseFolder(page);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/dashboard/files/Products/Shoes');
  });

  test('has its arrows on what a text finds, also when that comes late', async () => {
    const page = await begin('jobs');
    await page.keyboard.type('Pro');
    await expect.poll(() => active(page)).toContain('Products');
    const release = await hold(page, /search=Products%2Fsho/);
    const asked = page.waitForRequest(/search=Products%2Fsho/);
    await page.keyboard.type('ducts/sho');
    await asked;
    release();
    await item(page, 'Shoes Products').waitFor();
    await expect.poll(() => active(page)).toContain('Shoes');
  });

  test('does what the page can do', async () => {
    const page = await begin();
    await item(page, 'New folder').waitFor();
    await page.keyboard.type('new fol');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
    // The palette does not open over another dialog.
    await page.keyboard.press('Control+k');
    expect(await palette(page).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.goto(`${service.url}/dashboard/keys`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await item(page, 'Create').first().click();
    await page.getByRole('dialog').getByRole('textbox').first().waitFor();
  });

  test('says what it has found, and gives the focus back when it is closed', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'harbour').focus();
    await page.keyboard.press('Control+k');
    await field(page).fill('no such thing anywhere');
    await palette(page).getByText('No results').waitFor();
    await field(page).fill('harb');
    await palette(page).getByRole('status').getByText('1 result').waitFor({ state: 'attached' });
    await page.keyboard.press('Control+k');
    await expect.poll(() => palette(page).count()).toBe(0);
    await expect.poll(() => focused(page).textContent()).toMatch(/^harbour/);
  });

  test('is opened by its button, and looks well', async () => {
    await lookAtAll(service, 'palette', async (page) => {
      await open(page, service);
      await page.keyboard.press('Control+k');
      await field(page).fill('s');
      await item(page, 'Status').waitFor();
      await item(page, 'Shoes').or(item(page, 'boots.jpg')).or(item(page, 'Products')).first().waitFor();
    });
    const { page } = await openLibrary(service);
    await page.getByRole('button', { name: /^Go to …/ }).click();
    await field(page).waitFor();
  });
});
