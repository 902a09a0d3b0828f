import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll } from './browser.ts';
import { changeAsset, gradient, open, openLibrary, settled, tile, whenDescribed } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await service.upload({ 'IMG_0012.jpg': await gradient(1), 'IMG_0340.jpg': await gradient(2) }, { folder: 'DCIM' });
  await service.upload({ 'temple.jpg': await gradient(3), 'garden.png': await png(4) }, { folder: 'Trips/Kyōto' });
  await service.upload({ 'zen.jpg': await gradient(5), 'broken.jpg': BROKEN }, { folder: 'Trips' });
  await changeAsset(service, 'Trips/zen.jpg', { tags: ['calm'], alt: 'A garden of stones', title: 'Ryoan' });
});
afterAll(() => service.close());

/** A file with the first bytes of a JPEG, which no decoder takes. */
const BROKEN = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);

const png = async (seed: number) =>
  sharp(await gradient(seed))
    .png()
    .toBuffer();

const field = (page: Page) => page.getByRole('main').getByRole('searchbox');
const shown = (page: Page) =>
  page
    .locator('[data-index]')
    .evaluateAll((items) => (items as unknown as { textContent: string }[]).map(({ textContent }) => textContent));

const begin = async (path?: string) => (await openLibrary(service, path)).page;

describeInBrowser('the search of the library', () => {
  test('finds files and folders below by parts of words, and says where they lie', async () => {
    const { page, problems } = await openLibrary(service);
    await field(page).fill('img 12');
    await page.getByText('1 item found for “img 12”').waitFor();
    await expect.poll(() => shown(page)).toEqual([expect.stringMatching(/^IMG_0012\.jpg.*DCIM$/)]);
    await field(page).fill('kyo');
    await page.getByText('3 items found for “kyo”').waitFor();
    await expect
      .poll(async () => (await shown(page)).map((text) => text.split(/Folder|Image/)[0]))
      .toEqual(['Kyōto', 'garden.png', 'temple.jpg']);
    expect((await shown(page))[0]).toMatch(/Trips$/);
    // A folder opens as anywhere else, without the search.
    await tile(page, 'Kyōto').click();
    await page.waitForURL('**/files/Trips/Ky%C5%8Dto');
    await tile(page, 'temple').waitFor();
    expect(problems).toEqual([]);
  });

  test('says that nothing is found, and searches everywhere or in the texts instead', async () => {
    const page = await begin('files/DCIM');
    expect(await field(page).getAttribute('placeholder')).toBe('Search in DCIM');
    await field(page).fill('garden');
    await page.getByRole('heading', { name: 'No results for “garden”' }).waitFor();
    await page.getByText('No name or folder in DCIM has all of these words.').waitFor();
    await page.getByRole('button', { name: 'Search titles, alt texts and tags (2)' }).waitFor();
    await page.getByRole('button', { name: 'Search the whole library (1)' }).click();
    await page.getByText('1 item found for “garden”').waitFor();
    await tile(page, 'garden.png').waitFor();
    await page.getByRole('button', { name: 'Titles, alt texts and tags' }).click();
    await tile(page, 'zen.jpg').waitFor();
    // The address shows the same to others.
    await page.goto(page.url());
    await tile(page, 'zen.jpg').waitFor();
    expect(new URL(page.url()).searchParams.get('in')).toBe('text');
    await field(page).fill('');
    await tile(page, 'DCIM').waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('gives all that it has found to the trash: a folder with its files, once', async () => {
    await service.upload({ 'a.jpg': await gradient(6), 'b.jpg': await gradient(7) }, { folder: 'Old/harbour' });
    await service.upload({ 'harbour.jpg': await gradient(8) }, { folder: 'Old' });
    const page = await begin('files/Old?q=harb');
    await page.getByText('4 items found for “harb”').waitFor();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await page.getByText('4 selected').first().waitFor();
    await page.keyboard.press('Delete');
    await page.getByText('Deleted harbour and 1 other.').waitFor();
    expect(await page.getByRole('alertdialog').or(page.getByRole('dialog')).count()).toBe(0);
    expect((await (await service.authorized('/storage?path=Old')).json()) as object).toMatchObject({ total: 0 });
  });

  test('is the same in the palette', async () => {
    const page = await begin();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search or run a command' });
    await palette.getByRole('searchbox').fill('img 12');
    await palette.getByRole('menuitem', { name: 'IMG_0012.jpg' }).waitFor();
    await palette.getByRole('searchbox').fill('kyo');
    await palette.getByRole('menuitem', { name: 'Kyōto Trips' }).waitFor();
    await palette.getByRole('searchbox').fill('missing alt');
    await palette.getByRole('menuitem', { name: 'Missing alt text' }).click();
    await page.getByText('5 items found').waitFor();
    expect(new URL(page.url()).search).toContain('withoutAlt=true');
  });
});

describeInBrowser('the views of the library', () => {
  test('are in the filter, about everything below, and in the address', async () => {
    await whenDescribed(service, 'Trips/broken.jpg');
    const { page, problems } = await openLibrary(service);
    await page.getByRole('button', { name: /^Filter/ }).click();
    const filter = page.getByRole('region', { name: 'Filter' });
    await filter.getByRole('button', { name: /^Images \d/ }).waitFor();
    const expected: [string, string][] = [
      ['Untagged', '5 items found'],
      ['Missing alt text', '5 items found'],
      ['Cannot be decoded', '1 item found'],
      ['Recently added', '6 items found'],
    ];
    for (const [view, count] of expected) {
      const chip = filter.getByRole('button', { name: view, exact: true });
      await chip.click();
      await page.getByText(count, { exact: true }).waitFor();
      await expect.poll(() => chip.getAttribute('aria-pressed')).toBe('true');
      expect(await tile(page, 'Trips').count()).toBe(0);
    }
    await page.goto(page.url());
    await page.getByText('6 items found', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove filter: All subfolders' }).click();
    await tile(page, 'Trips').waitFor();
    await open(page, service, 'files?kind=image');
    await page.getByText('6 items found', { exact: true }).waitFor();
    expect(await tile(page, 'DCIM').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describeInBrowser('the list of the library', () => {
  test('is sorted by its column headers, by mouse and by keys, and names formats', async () => {
    const page = await begin('files/Trips/Kyōto?view=list');
    const header = (name: string) => page.getByRole('columnheader', { name });
    const kinds = () => page.locator('.row .row-kind').allTextContents();
    expect(await kinds()).toEqual(['PNG', 'JPEG']);
    expect(await header('Name').getAttribute('aria-sort')).toBe('ascending');
    await header('Size').getByRole('button').click();
    await expect.poll(() => header('Size').getAttribute('aria-sort')).toBe('descending');
    expect(await header('Name').getAttribute('aria-sort')).toBeNull();
    await expect.poll(kinds).toEqual(['PNG', 'JPEG']);
    await header('Size').getByRole('button').press('Enter');
    await expect.poll(() => header('Size').getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(kinds).toEqual(['JPEG', 'PNG']);
    await header('Name').getByRole('button').press('Space');
    await expect.poll(() => new URL(page.url()).search).toBe('?view=list');
    await header('Kind').getByRole('button').click();
    await expect.poll(() => header('Kind').getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(kinds).toEqual(['JPEG', 'PNG']);
    await header('Kind').getByRole('button').press('Enter');
    await expect.poll(() => header('Kind').getAttribute('aria-sort')).toBe('descending');
    await expect.poll(kinds).toEqual(['PNG', 'JPEG']);
  });

  test('is sorted by dimensions, with files without any last, and found files by kind', async () => {
    const files = { 'a.png': await png(7), 'b.jpg': BROKEN, 'c.jpg': await gradient(6, 300, 200) };
    await service.upload(files, { folder: 'Sizes' });
    const form = new FormData();
    form.set('folder', 'Sizes/Deep');
    await service.authorized('/upload/createfolder', { method: 'POST', body: form });
    await whenDescribed(service, ...Object.keys(files).map((name) => `Sizes/${name}`));
    const { page } = await openLibrary(service, 'files/Sizes?view=list');
    const header = (name: string) => page.getByRole('columnheader', { name });
    const titles = () => page.locator('.row .row-title').allTextContents();
    await header('Dimensions').getByRole('button').click();
    await expect.poll(() => header('Dimensions').getAttribute('aria-sort')).toBe('descending');
    await expect.poll(titles).toEqual(['Deep', 'a.png', 'c.jpg', 'b.jpg']);
    await header('Dimensions').getByRole('button').press('Enter');
    await expect.poll(() => header('Dimensions').getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(titles).toEqual(['Deep', 'c.jpg', 'a.png', 'b.jpg']);
    await field(page).fill('g');
    await expect.poll(titles).toEqual(['c.jpg', 'a.png', 'b.jpg']);
    await header('Kind').getByRole('button').click();
    await expect.poll(() => page.locator('.row .row-kind').allTextContents()).toEqual(['JPEG', 'JPEG', 'PNG']);
  });
});

describeInBrowser('what was searched', () => {
  test('looks well, found and not found', async () => {
    await lookAtAll(service, 'search', async (page) => {
      await open(page, service, 'files?q=kyo');
      await page.getByRole('button', { name: 'Names and folders' }).waitFor();
      await settled(page);
    });
    await lookAtAll(service, 'search-none', async (page) => {
      await page.goto(`${service.url}/dashboard/files/DCIM?q=garden`);
      await page.getByRole('button', { name: 'Search the whole library (1)' }).waitFor();
    });
    await lookAtAll(service, 'search-list', async (page) => {
      await open(page, service, 'files?q=i&view=list&sort=size&order=desc');
      await settled(page);
    });
    await lookAtAll(service, 'search-views', async (page) => {
      await open(page, service, 'files?untagged=true');
      await page.getByRole('button', { name: /^Filter/ }).click();
      await page.getByRole('button', { name: /^Images \d/ }).waitFor();
      await settled(page);
    });
  });
});
