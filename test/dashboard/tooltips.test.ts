import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, openWindow, saveScreenshot, THEMES, type Window } from './browser.ts';
import { changeAsset, gradient, redirect, settled, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['a', 'b', 'deleted'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await service.upload({ 'deep.jpg': await gradient(4) }, { folder: 'one/two/three' });
  await service.upload({ 'cover.jpg': await gradient(5) }, { folder: 'one' });
  await changeAsset(service, 'a.jpg', { tags: ['rome'] });
  await redirect(service, 'old.jpg', 'a.jpg');
  await service.authorized('/storage/deleted.jpg?trash=true', { method: 'DELETE' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

/** Pages with what has to be on them first. */
const PAGES: Readonly<Record<string, (page: Page) => Locator>> = {
  files: (page) => tile(page, 'a.jpg'),
  'files?view=list': (page) => page.getByRole('row', { name: /a\.jpg/ }),
  'files?open=a.jpg': (page) => page.getByRole('heading', { name: 'Information' }),
  'files?open=a.jpg&full=true': (page) => page.getByRole('button', { name: 'Zoom in (+)' }),
  'files/one/two/three': (page) => tile(page, 'deep.jpg'),
  'playground/a.jpg?t=w_600': (page) => page.getByRole('heading', { name: 'Size' }),
  jobs: (page) => page.getByText('No jobs yet'),
  tags: (page) => page.getByRole('button', { name: 'More for rome' }),
  duplicates: (page) => page.getByText('No identical files'),
  redirects: (page) => page.getByText('old.jpg'),
  trash: (page) => page.getByText('deleted.jpg').first(),
  status: (page) => page.getByRole('region', { name: 'Originals' }),
  keys: (page) => page.getByText('First key').or(page.getByRole('listitem').first()).first(),
  webhooks: (page) => page.getByText('No webhooks yet'),
  people: (page) => page.getByText('ada@example.com').first(),
  usage: (page) => page.getByRole('table').locator('tbody tr').first(),
  audit: (page) => page.getByRole('main').getByRole('listitem').first(),
  spaces: (page) => page.getByText(/ stored$/).first(),
  start: (page) => page.getByRole('region', { name: 'First steps' }).getByRole('listitem').first(),
  account: (page) => page.getByRole('button', { name: 'Show password' }).first(),
  settings: (page) => page.getByRole('row', { name: /PUBLIC_URL/ }).first(),
};

const tooltip = (page: Page) => page.locator('.tooltip');

/** Name that appears below the pointer. The script that shows names may load after the page. */
async function tipOf(page: Page, control: Locator): Promise<string | null> {
  await page.mouse.move(700, 899);
  await control.hover();
  const text = tooltip(page).locator('span');
  await text.waitFor({ timeout: 3000 }).catch(() => undefined);
  return (await text.count()) === 0 ? null : text.textContent();
}

/** Names of visible buttons and links that show no word. */
const icons = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('button, a')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !one.closest('[inert], [aria-hidden="true"]'))
    .filter((one) => one.querySelector('svg') && !/\\p{L}/u.test(one.textContent))
    .filter((one) => !one.disabled)
    .map((one) => one.getAttribute('aria-label') ?? '')`) as Promise<string[]>;

/** Button or link of that name that shows no word. */
const iconOf = (page: Page, name: string) =>
  page
    .getByRole('button', { name, exact: true })
    .or(page.getByRole('link', { name, exact: true }))
    .filter({ hasNotText: /\p{L}/u, visible: true })
    .first();

describeInBrowser('the name of an icon', () => {
  test('is there for each button and link without a word, on all pages, and is its tooltip', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    const seen = new Set<string>();
    for (const [path, isThere] of Object.entries(PAGES)) {
      await page.goto(`${service.url}/dashboard/${path}`);
      await isThere(page).waitFor();
      const names = await icons(page);
      expect([path, names.filter((name) => name.trim() === '')]).toEqual([path, []]);
      for (const name of names) {
        // Those of the shell are on all pages.
        if (seen.has(name)) continue;
        seen.add(name);
        await expect.poll(async () => [path, await tipOf(page, iconOf(page, name))]).toEqual([path, name]);
      }
    }
    expect(problems).toEqual([]);
  }, 300_000);

  test('appears on hover and on keyboard focus, with its shortcut, and goes by Escape and by a press', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/files`);
    await settled(page);
    const asList = page.getByRole('button', { name: 'Show as list' });
    await expect.poll(() => tipOf(page, asList)).toBe('Show as list');
    await expect.poll(() => tooltip(page).textContent()).toBe('Show as listv');
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(page, `tooltip-${theme}`);
      expect([theme, ...(await faultsOf(page))]).toEqual([theme]);
    }
    // The pointer may rest on it.
    await tooltip(page).hover();
    await expect.poll(() => tooltip(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => tooltip(page).count()).toBe(0);
    await asList.focus();
    expect(await tooltip(page).count()).toBe(0);
    await page.keyboard.press('Tab');
    await expect.poll(() => tooltip(page).textContent()).toBe('New foldern');
    await page.keyboard.press('Shift+Tab');
    await expect.poll(() => tooltip(page).textContent()).toBe('Show as listv');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /a\.jpg/ }).waitFor();
    expect(await tooltip(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Sort and filter' }).click();
    await page.getByRole('menu').waitFor();
    expect(await tooltip(page).count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('menu').count()).toBe(0);
    // Focus that returns to a button names nothing.
    expect(await tooltip(page).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('is in dialogs, and leaves them open', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files`);
    await tile(page, 'a.jpg').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => tipOf(page, dialog.getByRole('button', { name: 'New folder' }))).toBe('New folder');
    await page.keyboard.press('Escape');
    await expect.poll(() => tooltip(page).count()).toBe(0);
    expect(await dialog.count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
  });

  test('is there for the badges of tiles', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files`);
    await settled(page);
    await expect.poll(() => tipOf(page, tile(page, 'one').locator('.folder-sign'))).toBe('Folder');
    await tile(page, 'a.jpg').hover();
    for (const [badge, name] of [
      ['[data-checkbox]', 'Select'],
      ['[data-button="url"]', 'Copy URL'],
      ['[data-button="menu"]', 'More'],
    ] as const) {
      await tile(page, 'a.jpg').locator(badge).hover();
      await tooltip(page).getByText(name, { exact: true }).waitFor();
    }
  });

  test('does not cover the field that it explains in the playground', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/playground/a.jpg?t=w_600`);
    const width = page.getByRole('group', { name: /^Width/ });
    for (const name of ['About Width', 'Reset Width']) {
      const button = width.getByRole('button', { name });
      await expect.poll(() => tipOf(page, button)).toBe(name);
      const [tip, field] = await Promise.all([
        tooltip(page).boundingBox(),
        width.getByRole('spinbutton').boundingBox(),
      ]);
      expect((tip?.y ?? 0) + (tip?.height ?? 0)).toBeLessThanOrEqual(field?.y ?? 0);
    }
  });
});
