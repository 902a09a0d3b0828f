import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll } from './browser.ts';
import { exists, gradient, open, openLibrary, sendJson, settled, tile, whenDescribed } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await service.upload({ 'alps.jpg': await gradient(1), 'tower.jpg': await gradient(2, 400, 900) });
  await service.place('notes.txt', 'text');
  expect((await service.authorized('/storage')).status).toBe(200);
  await service.upload(
    { 'glacier.jpg': await gradient(3, 1200, 800), 'lake.jpg': await gradient(4) },
    { folder: 'Trips' },
  );
  await tag(['alps.jpg', 'Trips/glacier.jpg'], ['mountains', 'snow']);
  await tag(['Trips/lake.jpg'], ['mountains']);
  await whenDescribed(service, 'tower.jpg', 'Trips/glacier.jpg', 'Trips/lake.jpg');
});
afterAll(() => service.close());

async function tag(paths: readonly string[], tags: readonly string[]): Promise<void> {
  const items = paths.map((path) => ({ path }));
  const answer = await sendJson(service, 'POST', '/storage/batch', { action: 'tag', tags, items });
  expect(answer.status).toBe(200);
}

const filter = (page: Page) => page.getByRole('region', { name: 'Filter' });

async function begin(path = 'files'): Promise<Page> {
  const { page } = await openLibrary(service, path);
  await page.getByRole('button', { name: /^Filter/ }).click();
  // Arriving counts move the controls after them.
  for (const name of [/^Images \d/, /^mountains \d/]) await filter(page).getByRole('button', { name }).waitFor();
  return page;
}

describeInBrowser('the filter of the library', () => {
  test('says next to its dates which is which, and is closed by Escape, which gives the focus back', async () => {
    const page = await begin();
    for (const label of ['From', 'Before']) await filter(page).getByText(label, { exact: true }).waitFor();
    await filter(page).getByLabel('From').focus();
    await page.keyboard.press('Escape');
    await filter(page).waitFor({ state: 'detached' });
    const button = page.getByRole('button', { name: /^Filter/ });
    expect(await button.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('Enter');
    await filter(page).getByRole('button', { name: 'Close filter' }).click();
    await filter(page).waitFor({ state: 'detached' });
    expect(await button.evaluate((one) => one.matches(':focus'))).toBe(true);
  });

  test('says how many files there are of each kind and with each tag, and narrows them down', async () => {
    const page = await begin();
    await filter(page).getByRole('button', { name: 'Images 4' }).waitFor();
    await filter(page).getByRole('button', { name: 'Documents 1' }).waitFor();
    await filter(page).getByRole('button', { name: 'mountains 3' }).click();
    await page.getByText('3 items found').waitFor();
    expect(await tile(page, 'tower').count()).toBe(0);
    // Counts of the remaining files.
    await filter(page).getByRole('button', { name: 'snow 2' }).click();
    await page.getByText('2 items found').waitFor();
    await filter(page).getByRole('button', { name: 'Clear filter' }).click();
    await tile(page, 'tower').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('asks for pixels, orientation, sizes and days', async () => {
    const page = await begin();
    await filter(page).getByRole('button', { name: 'Portrait' }).click();
    await page.getByText('1 item found').waitFor();
    await tile(page, 'tower').waitFor();
    await filter(page).getByRole('button', { name: 'Portrait' }).click();
    await filter(page).getByLabel('Min. width').fill('1000');
    await page.getByText('1 item found').waitFor();
    await tile(page, 'glacier').waitFor();
    await filter(page).getByRole('button', { name: 'Clear filter' }).click();
    await filter(page).getByLabel('Min. size, MB').fill('2000');
    await page.getByText('No matching files').waitFor();
    await page.getByRole('button', { name: 'Clear filter' }).last().click();
    await filter(page).getByLabel('From').fill('2020-01-01');
    await page.getByText('5 items found').waitFor();
  });

  test('is in the address, which shows the same to others, and each part of it can be taken away', async () => {
    const page = await begin();
    await filter(page).getByRole('button', { name: 'mountains 3' }).click();
    await filter(page).getByLabel('Min. width').fill('800');
    await page.getByText('3 items found').waitFor();
    await expect.poll(() => page.url()).toContain('minWidth=800');
    await page.goto(page.url());
    await page.getByText('3 items found').waitFor();
    await page.getByRole('button', { name: 'Remove filter: 800 px wide or more' }).click();
    await expect.poll(() => page.url()).not.toContain('minWidth');
    await page.getByRole('button', { name: 'Remove filter: mountains' }).click();
    await tile(page, 'tower').waitFor();
  });

  test('is about the folder, and left behind in another one', async () => {
    const page = await begin('files/Trips');
    await filter(page).getByRole('button', { name: 'snow 1' }).click();
    await page.getByText('1 item found').waitFor();
    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Library' }).click();
    await tile(page, 'notes').waitFor();
    expect(page.url()).not.toContain('tag');
  });

  test('is selected as a whole by a rule, and moved', async () => {
    const page = await begin();
    await filter(page).getByRole('button', { name: 'mountains 3' }).click();
    await page.getByText('3 items found').waitFor();
    await tile(page, 'alps').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await tile(page, 'lake').click({ modifiers: ['Control'] });
    await page.getByText('2 selected').first().waitFor();
    await page.getByRole('button', { name: 'Copy to folder' }).click();
    const dialog = page.getByRole('dialog', { name: /^Copy 2 items/ });
    await dialog.getByRole('button', { name: 'Trips' }).click();
    await dialog.getByRole('button', { name: 'Copy here' }).click();
    await page.getByText('Copied 2 items.').waitFor();
    expect(await exists(service, 'Trips/alps.jpg')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => exists(service, 'Trips/alps.jpg')).toBe(false);
  });

  test('looks well, open and as what it leaves out', async () => {
    await lookAtAll(service, 'files-filter', async (page) => {
      await open(page, service, 'files?tag=mountains&minWidth=500');
      await page.getByRole('button', { name: 'Filter, 2 active' }).click();
      await filter(page).getByRole('button', { name: 'snow 2' }).waitFor();
      await settled(page);
    });
    await lookAtAll(service, 'files-filtered', async (page) => {
      await open(page, service, 'files?tag=mountains&minWidth=500&kind=image');
      await page.getByRole('button', { name: 'Remove filter: Images' }).waitFor();
      await settled(page);
    });
  });
});
