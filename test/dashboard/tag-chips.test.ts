import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAt, openWindow, saveScreenshot, type Window } from './browser.ts';
import { assetOf, changeAsset, gradient, open, openLibrary, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['a', 'b', 'c', 'd'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await changeAsset(service, 'c.jpg', { tags: ['night', 'nature', 'old'] });
  await changeAsset(service, 'd.jpg', { tags: ['night', 'knight'] });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const tagsOf = async (name: string) => (await assetOf(service, name)).tags;

const chips = (page: Page) => page.locator('.tag-chip > span').allTextContents();

describeInBrowser('the tags of a file', () => {
  test('are chips: typed, chosen from suggestions with counts, removed, and saved when the field is left', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await open(page, service, 'files?open=a.jpg');
    const input = page.getByRole('combobox', { name: 'Tags' });
    await input.click();
    expect(requested).not.toContain('/tags');
    await input.pressSequentially('sea, sun,');
    await expect.poll(() => chips(page)).toEqual(['sea', 'sun']);
    await input.pressSequentially('NI');
    const options = page.getByRole('listbox', { name: 'Suggested tags' }).getByRole('option');
    await expect.poll(() => options.allTextContents()).toEqual(['night2', 'knight1']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = await input.getAttribute('aria-activedescendant');
    expect(await options.nth(1).getAttribute('id')).toBe(active);
    await lookAt(page, 'tag-chips', ['wide']);
    await page.keyboard.press('Enter');
    await input.pressSequentially('nat');
    await options.filter({ hasText: 'nature' }).click();
    await expect.poll(() => chips(page)).toEqual(['sea', 'sun', 'knight', 'nature']);
    await page.keyboard.press('Backspace');
    await page.getByRole('button', { name: 'Remove tag sea' }).click();
    await expect.poll(() => chips(page)).toEqual(['sun', 'knight']);
    await input.pressSequentially('old');
    await page.keyboard.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    await input.pressSequentially('er');
    expect(await tagsOf('a.jpg')).toEqual([]);
    // A tag that is being typed counts too.
    await page.getByRole('textbox', { name: 'Title' }).click();
    await expect.poll(() => tagsOf('a.jpg')).toEqual(expect.arrayContaining(['sun', 'knight', 'older']));
    await expect.poll(async () => (await chips(page)).toSorted()).toEqual(['knight', 'older', 'sun']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => tagsOf('a.jpg')).toEqual([]);
    await input.pressSequentially('last');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect.poll(() => tagsOf('a.jpg')).toEqual(['last']);
    expect(problems).toEqual([]);
  });

  test('are added to a selection, and removed from it', async () => {
    const { page, problems } = await openLibrary(service);
    await tile(page, 'b.jpg').click({ modifiers: ['Control'] });
    await tile(page, 'c.jpg').click({ modifiers: ['Control'] });
    await tile(page, 'd.jpg').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Tags of 3 items' });
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByText('Choose tags to add or to remove.').waitFor();
    await dialog.getByRole('combobox', { name: 'Add tags' }).fill('2026, pre');
    await dialog.getByRole('combobox', { name: 'Remove tags' }).pressSequentially('nigh');
    await dialog.getByRole('option', { name: /^night/ }).click();
    await saveScreenshot(page, 'tag-dialog');
    expect(await faultsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Removed tags from 3 items.').waitFor();
    await expect
      .poll(async () => (await Promise.all(['b.jpg', 'c.jpg', 'd.jpg'].map(tagsOf))).map((tags) => tags.toSorted()))
      .toEqual([
        ['2026', 'pre'],
        ['2026', 'nature', 'old', 'pre'],
        ['2026', 'knight', 'pre'],
      ]);
    // Each file gets back what it had: b.jpg had no tag.
    await tile(page, 'b.jpg').focus();
    await page.keyboard.press('Control+z');
    await page.getByText('Tagged 2 items.').waitFor();
    await page.keyboard.press('Control+z');
    await expect
      .poll(async () => (await Promise.all(['b.jpg', 'c.jpg', 'd.jpg'].map(tagsOf))).map((tags) => tags.toSorted()))
      .toEqual([[], ['nature', 'night', 'old'], ['knight', 'night']]);
    expect(problems).toEqual([]);
  });
});
