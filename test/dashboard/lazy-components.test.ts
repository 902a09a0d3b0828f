import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, openWindow, type Window } from './browser.ts';
import { tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg'), 'other.jpg': fixture('no-face.jpg') });
});
afterEach(() => window?.close());
afterAll(() => service.close());

/** Opens the library with one lazy script held back until `arrive` is called. */
async function openWithout(script: string): Promise<{ page: Window['page']; problems: string[]; arrive(): void }> {
  window = await openWindow({ service });
  const { page, problems } = window;
  const arrive = await hold(page, `**/assets/${script}-*.js`);
  await page.goto(`${service.url}/dashboard/files`);
  await tile(page, 'face.jpg').waitFor();
  return { page, problems, arrive };
}

const hasFocus = (one: ReturnType<Window['page']['getByRole']>) =>
  expect.poll(() => one.evaluate((element) => element.matches(':focus'))).toBe(true);

describeInBrowser('what a page loads later', () => {
  test('is a menu that opens when it has come, by keyboard too, and gives the focus back', async () => {
    const { page, problems, arrive } = await openWithout('menu-list');
    const button = page.getByRole('button', { name: 'Sort and filter' });
    await button.focus();
    await page.keyboard.press('ArrowUp');
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    expect(await page.getByRole('menu').count()).toBe(0);
    arrive();
    await hasFocus(page.getByRole('menuitem', { name: 'Documents' }));
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect(await button.getAttribute('aria-expanded')).toBe('false');
    await hasFocus(button);
    for (const key of ['ArrowDown', 'Enter', 'Space']) {
      await page.keyboard.press(key);
      await hasFocus(page.getByRole('menuitem').first());
      await page.keyboard.press('Escape');
      await hasFocus(button);
    }
    await button.click();
    await page.getByRole('menuitem', { name: 'Images' }).click();
    await page.waitForURL('**/files?kind=image');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('is the panel of details, whose place is kept for it', async () => {
    const { page, arrive } = await openWithout('details-panel');
    await tile(page, 'face.jpg').click();
    const cell = tile(page, 'other.jpg');
    await page.locator('.files.has-details').waitFor();
    const before = await cell.boundingBox();
    arrive();
    await page.getByRole('heading', { name: 'Information' }).waitFor();
    expect(await cell.boundingBox()).toEqual(before);
  });

  test('is asked for by reloading when it is gone: the page is from before an upgrade', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.route('**/assets/action-dialogs-*.js', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${service.url}/dashboard/files`);
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByText('Darkroom has been updated.', { exact: false }).waitFor();
    await page.unroute('**/assets/action-dialogs-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'New folder' }).click();
    await hasFocus(page.getByRole('dialog', { name: 'New folder' }).getByRole('textbox'));
  });
});
