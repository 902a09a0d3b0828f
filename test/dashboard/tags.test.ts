import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';
import { changeAsset, gradient, sendJson, tagCounts, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['a', 'b', 'c', 'd'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await changeAsset(service, 'a.jpg', { tags: ['rome', 'night', 'draft'] });
  await changeAsset(service, 'b.jpg', { tags: ['roma', 'night'] });
  await changeAsset(service, 'c.jpg', {
    tags: ['Rom', 'night', 'a very long tag that does not fit into a row of the list on a phone'],
  });
  await changeAsset(service, 'd.jpg', { tags: ['rome', 'sea / coast'] });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const counts = () => tagCounts(service);
const listed = (page: Page) => page.locator('.tag-name').allTextContents();

async function openTags(page: Page, path = 'tags'): Promise<void> {
  await page.goto(`${service.url}/dashboard/${path}`);
  await page.locator('.tag-name').first().waitFor();
}

async function act(page: Page, tag: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `More for ${tag}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describeInBrowser('the page of tags', () => {
  test('looks well in both themes and at all widths', async () => {
    await lookAtAll(service, 'tags', (page) => openTags(page));
  });

  test('lists tags with their files, by use or by name, and finds them', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('link', { name: 'Tags' }).click();
    await expect.poll(async () => (await listed(page)).slice(0, 2)).toEqual(['night', 'rome']);
    await page.getByRole('button', { name: 'By name' }).click();
    await expect.poll(async () => (await listed(page)).at(0)).toBe('Rom');
    await page.getByRole('searchbox', { name: 'Search tags' }).fill('ROM');
    await expect.poll(() => listed(page)).toEqual(['Rom', 'roma', 'rome']);
    await page.getByRole('searchbox').fill('nowhere');
    await page.getByText('No tag contains “nowhere”').waitFor();
    await page.getByRole('searchbox').fill('coast');
    await page.getByRole('link', { name: /^sea \/ coast\s?1 file$/ }).click();
    await tile(page, 'd.jpg').waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  test('renames a tag, merges several, and deletes some, on all files', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await openTags(page);
    await act(page, 'sea / coast', 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('coast');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed sea / coast to coast.').waitFor();
    await expect.poll(counts).toMatchObject({ coast: 1 });
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(counts).toMatchObject({ 'sea / coast': 1 });
    await expect.poll(() => listed(page)).toContain('sea / coast');

    await act(page, 'Rom', 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('rome');
    await page.getByText('rome exists on 2 files.').waitFor();
    await saveScreenshot(page, 'tags-rename');
    await expect.poll(() => faultsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');

    for (const tag of ['Rom', 'roma', 'rome'])
      await page.getByRole('checkbox', { name: `Select ${tag}`, exact: true }).check();
    await page.getByText('3 tags selected').waitFor();
    await page.getByRole('button', { name: 'Merge into …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge Rom, roma, and rome' });
    await expect.poll(() => dialog.locator('.tag-chip').allTextContents()).toEqual(['rome']);
    await saveScreenshot(page, 'tags-merge');
    await expect.poll(() => faultsOf(page)).toEqual([]);
    await dialog.getByRole('combobox', { name: 'Into the tag' }).fill('Roma, Italia');
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await dialog.getByText('Choose one tag.').waitFor();
    await dialog.getByRole('combobox', { name: 'Into the tag' }).fill('');
    await dialog.getByRole('button', { name: 'Remove tag Roma' }).click();
    await dialog.getByRole('combobox', { name: 'Into the tag' }).fill('rome');
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await page.getByText('Merged into rome, on 4 files.').waitFor();
    await expect.poll(() => listed(page)).not.toContain('roma');
    expect(await counts()).toMatchObject({ rome: 4, night: 3 });

    // Files that have both tags count once.
    for (const tag of ['night', 'rome'])
      await page.getByRole('checkbox', { name: `Select ${tag}`, exact: true }).check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('night and rome: removed from up to 7 files.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Merge into …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await expect.poll(counts).not.toHaveProperty('night');
    expect(await counts()).toMatchObject({ rome: 4 });
    await expect.poll(() => listed(page)).not.toContain('night');

    await act(page, 'draft', 'Delete');
    const confirm = page.getByRole('alertdialog', { name: 'Delete 1 tag?' });
    await confirm.getByText('draft: removed from 1 file.').waitFor();
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted 1 tag.').waitFor();
    await expect.poll(() => listed(page)).not.toContain('draft');
    expect(await counts()).not.toHaveProperty('draft');
    expect(problems).toEqual([]);
  });

  test('has the tags of its space alone', async () => {
    expect((await sendJson(service, 'POST', '/spaces', { id: 'acme', name: 'Acme' })).ok).toBe(true);
    await service.upload({ 'inside.jpg': await gradient(9) }, {}, { prefix: '/b/acme' });
    expect((await sendJson(service, 'PATCH', '/b/acme/assets/inside.jpg', { tags: ['inner'] })).status).toBe(200);
    window = await openWindow({ service });
    const { page } = window;
    await openTags(page, 'b/acme/tags');
    expect(await listed(page)).toEqual(['inner']);
    await page.getByRole('link', { name: /^inner\s?1 file$/ }).click();
    await tile(page, 'inside.jpg').waitFor();
    expect(page.url()).toContain('/dashboard/b/acme/files');
  });
});
