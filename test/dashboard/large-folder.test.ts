import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, openWindow, type Window } from './browser.ts';
import { exists, focused, nodesOf, tagCounts } from './library.ts';

const COUNT = 3000;
/** More than one response contains. */
const FOUND = 400;
/** Independent of the number of files. */
const MAX_NODES = 1500;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (let at = 0; at < COUNT; at++) await service.place(`many/${String(at).padStart(5, '0')}.txt`, 'text');
});
beforeAll(async () => {
  for (let at = 0; at < FOUND; at++) await service.place(`sets/batch ${String(at).padStart(3, '0')}.txt`, 'text');
  await service.place('sets/other.txt', 'text');
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('a large folder', () => {
  test.each(['grid', 'list'])('is scrolled to its end by one key as a %s, in a page that stays small', async (view) => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many?view=${view}`);
    await page.getByText('3,000 items').waitFor();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page).textContent()).toContain('02999.txt');
    expect(await nodesOf(page)).toBeLessThan(MAX_NODES);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    await expect.poll(() => focused(page).textContent()).toContain('00000.txt');
    expect(await nodesOf(page)).toBeLessThan(MAX_NODES);
  });

  test('is gone to a name that has not arrived yet, by its beginning', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many`);
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.type('027');
    await expect.poll(() => focused(page).textContent()).toContain('02700.txt');
  });

  test('is selected as a whole but for one, and acted on with progress', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many`);
    await page.locator('[data-index="1"]').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Select all 3,000' }).click();
    await page.locator('[data-index="0"]').click({ modifiers: ['Control'] });
    await page.getByText('2,999 selected').first().waitFor();
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('combobox', { name: 'Add tags' }).fill('archived');
    const release = await hold(page, '**/storage/batch');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('progressbar', { name: 'Adding tags' }).waitFor();
    release();
    await page.getByText('Tagged 2,999 items.').waitFor();
    expect(await tagCounts(service)).toEqual({ archived: 2999 });
  });

  test('is selected from one file to another far away, which the page has never shown', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many`);
    await page.locator('[data-index="2"]').click({ modifiers: ['Control'] });
    await page.locator('[data-index="2"]').focus();
    await page.keyboard.press('Shift+End');
    await page.getByText('2,998 selected').first().waitFor();
  });

  test('gives all that a search finds to another folder, and takes it back, with progress', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/sets`);
    await page.getByText(`${FOUND + 1} items`, { exact: true }).waitFor();
    await page.getByRole('searchbox').fill('batch');
    await page.getByText(`${FOUND} items found for “batch”`).waitFor();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await page.getByText(`${FOUND} selected`).first().waitFor();
    await page.getByRole('button', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: `Move ${FOUND} items` });
    await dialog.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Moved');
    await page.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('No subfolders.').waitFor();
    const release = await hold(page, '**/storage/batch');
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByRole('progressbar', { name: 'Moving' }).waitFor();
    release();
    await page.getByText(`Moved ${FOUND} items to Moved. The old URLs keep working.`).waitFor();
    expect(await exists(service, 'sets/Moved/batch 399.txt')).toBe(true);
    expect(await exists(service, 'sets/other.txt')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => exists(service, 'sets/batch 399.txt')).toBe(true);
  });

  test('deletes a range of places that the page has never shown to the trash, and restores it', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many?order=desc`);
    await page.locator('[data-index="10"]').click({ modifiers: ['Control'] });
    await page.locator('[data-index="10"]').focus();
    await page.keyboard.press('Shift+End');
    await page.getByText('2,990 selected').first().waitFor();
    // A smaller selection: the last item ends the range.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Space');
    for (let times = 0; times < 24; times++) await page.keyboard.press('Shift+PageUp');
    const chosen = page.getByRole('toolbar').getByText(/^\d+ selected$/);
    await chosen.waitFor();
    const count = Number.parseInt((await chosen.textContent()) ?? '', 10);
    expect(count).toBeGreaterThan(200);
    await page.keyboard.press('Delete');
    await page
      .getByText(new RegExp(`^Deleted \\d+\\.txt and ${new Intl.NumberFormat('en').format(count - 1)} others\\.$`))
      .waitFor();
    // Descending: the last item has the first name.
    expect(await exists(service, 'many/00000.txt')).toBe(false);
    const left = `${new Intl.NumberFormat('en').format(COUNT - count)} items`;
    await page.getByText(left, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('3,000 items', { exact: true }).waitFor();
    expect(await exists(service, 'many/00000.txt')).toBe(true);
  });
});
