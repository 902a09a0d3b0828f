import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import {
  assetOf,
  collectCopies,
  copiesOf,
  exists,
  focused,
  gradient,
  open,
  openLibrary,
  settled,
  tile,
  whenDescribed,
} from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await fillLibrary();
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function fillLibrary(): Promise<void> {
  const names = ['alps at dawn', 'harbour', 'market', 'old town', 'the very long name of a picture that does not fit'];
  for (const [seed, name] of names.entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed, 900, seed % 2 ? 600 : 1200) });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg'), 'clip.mp4': fixture('schizo_90.mp4') });
  for (const folder of ['Holidays', 'Products/Shoes'])
    await service.upload({ 'inside.jpg': await gradient(folder.length) }, { folder });
  // Administrators may use any folder name.
  await service.place('ä 100% #1?/inside.jpg', await gradient(3));
}

describeInBrowser('the library', () => {
  test('looks well in both themes and at both widths, as a grid', async () => {
    await lookAtAll(service, 'files-grid', async (page) => {
      await open(page, service);
      await settled(page);
    });
  });

  test('looks well as a list', async () => {
    await lookAtAll(service, 'files-list', async (page) => {
      await page.goto(`${service.url}/dashboard/files?view=list`);
      await page.getByRole('row', { name: /^harbour.jpg/ }).waitFor();
      await settled(page);
    });
  });

  test('looks well with the details of an image', async () => {
    await lookAtAll(service, 'files-details', async (page) => {
      await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
      await page.getByRole('heading', { name: 'Information' }).waitFor();
      await page.getByText('800 × 533', { exact: true }).first().waitFor();
    });
  });

  test('looks well with some files selected', async () => {
    await lookAtAll(service, 'files-selected', async (page) => {
      await open(page, service);
      await settled(page);
      await tile(page, 'harbour').click({ modifiers: ['Control'] });
      await tile(page, 'market').click({ modifiers: ['Control'] });
      await page.getByRole('toolbar').waitFor();
    });
  });

  test('goes into folders and back, whatever their names are', async () => {
    const { page, problems } = await openLibrary(service);
    await tile(page, 'ä 100% #1\\?').click();
    await tile(page, 'inside.jpg').waitFor();
    expect(await page.title()).toBe('ä 100% #1? · Darkroom');
    await page.reload();
    await tile(page, 'inside.jpg').click();
    await page.getByRole('complementary').getByText('ä 100% #1?').waitFor();
    await page.goBack();
    await page.goBack();
    await tile(page, 'Holidays').waitFor();
    expect(problems).toEqual([]);
  });

  test('keeps the place of an image that is on its way', async () => {
    // Image dimensions are known once the file is described, some time after its upload.
    await whenDescribed(service, 'face.jpg');
    expect((await assetOf(service, 'face.jpg')).width).toBe(800);
    window = await openWindow({ service });
    const { page } = window;
    await page.route('**/t/w_800*/**', (route) => route.abort());
    await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
    const picture = page.getByRole('complementary').locator('figure img');
    await picture.waitFor();
    const { width = 0, height = 0 } = (await picture.boundingBox()) ?? {};
    expect([width > 250, Math.abs(height - (width * 533) / 800) < 2]).toEqual([true, true]);
  });

  test('finds files in all folders by their words', async () => {
    const { page } = await openLibrary(service);
    await page.getByRole('searchbox').fill('inside');
    await page.getByText('3 items found for “inside”').waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(3);
    await page.getByRole('searchbox').fill('no such file anywhere');
    await page.getByText('No results for “no such file anywhere”').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).last().click();
    await tile(page, 'Holidays').waitFor();
  });

  test('shows one kind, in another order', async () => {
    const { page } = await openLibrary(service);
    await page.getByRole('button', { name: 'Sort and filter' }).click();
    await page.getByRole('menuitem', { name: 'Videos' }).click();
    await expect.poll(() => tile(page, 'harbour').count()).toBe(0);
    await tile(page, 'clip.mp4').waitFor();
    expect(page.url()).toContain('kind=video');
  });
});

describeInBrowser('the library by keyboard', () => {
  test('is gone through, selected in and opened', async () => {
    const { page } = await openLibrary(service);
    await page.getByRole('gridcell').first().focus();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page).textContent()).toMatch(/^the very long name/);
    await page.keyboard.press('Home');
    await expect.poll(() => focused(page).textContent()).toMatch(/^HolidaysFolder/);
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2 selected').first().waitFor();
    await page.keyboard.press('Control+a');
    await page.getByText('10 selected').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await focused(page).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await tile(page, 'inside.jpg').waitFor();
  });
});

describeInBrowser('actions on files', () => {
  test('rename one, and take it back', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'old town').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('new town.jpg');
    await page.getByRole('button', { name: 'Rename' }).click();
    await tile(page, 'new town').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'old town').waitFor();
  });

  test('move several into a new folder, and take it back', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'harbour').click({ modifiers: ['Control'] });
    await tile(page, 'market').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: /^Move 2 items/ });
    await dialog.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Cities');
    await page.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('No subfolders.').waitFor();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByText('Moved 2 items to Cities. The old URLs keep working.').waitFor();
    await expect.poll(() => tile(page, 'harbour').count()).toBe(0);
    expect(await exists(service, 'Cities/harbour.jpg')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'harbour').waitFor();
  });

  test('download several as an archive', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'harbour').click({ modifiers: ['Control'] });
    await tile(page, 'Holidays').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'More' }).click();
    const begun = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download' }).click();
    const archive = join(service.data, 'downloaded.zip');
    await (await begun).saveAs(archive);
    const program = 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep=chr(10))';
    const { stdout } = await promisify(execFile)('python3', ['-c', program, archive]);
    expect(stdout.trim().split('\n').sort()).toEqual(['Holidays/inside.jpg', 'harbour.jpg']);
  });

  test('delete some to the trash, and take it back', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'harbour').focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => tile(page, 'harbour').count()).toBe(0);
    expect((await service.authorized('/t/harbour.jpg')).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'harbour').waitFor();
    expect((await service.authorized('/t/harbour.jpg')).status).toBe(200);
  });

  test('ask for a number before a folder is deleted permanently', async () => {
    const { page } = await openLibrary(service);
    await tile(page, 'Holidays').focus();
    await page.keyboard.press('Shift+Delete');
    const dialog = page.getByRole('alertdialog', { name: 'Delete 1 item permanently?' });
    const act = dialog.getByRole('button', { name: 'Delete permanently' });
    expect(await act.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 1 to confirm').fill('1');
    expect(await act.isDisabled()).toBe(false);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tile(page, 'Holidays').waitFor();
  });

  test('make a folder, which is refused where there is one of its name', async () => {
    const { page } = await openLibrary(service, 'files/Products');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shoes');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Bags');
    await page.getByRole('button', { name: 'Create' }).click();
    await tile(page, 'Bags').waitFor();
  });
});

describeInBrowser('the details of a file', () => {
  test('keep what is said of it', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
    await page.getByLabel('Alt text').fill('A laughing woman');
    await page.getByRole('combobox', { name: 'Tags' }).fill('people, portrait');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => assetOf(service, 'face.jpg'))
      .toMatchObject({ alt: 'A laughing woman', tags: ['people', 'portrait'] });
    await page.getByText('Saved.').waitFor();
  });

  test('keep the focal point where the image is clicked', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
    await page.getByRole('button', { name: 'Set focal point' }).click();
    const frame = page.getByRole('button', { name: 'Focal point: click the most important part of the image' });
    await expect.poll(async () => (await frame.boundingBox())?.height ?? 0).toBeGreaterThan(100);
    const box = await frame.boundingBox();
    await frame.click({ position: { x: (box?.width ?? 0) / 4, y: (box?.height ?? 0) / 2 } });
    await page.getByText('Focal point saved.').waitFor();
    const { focal } = await assetOf(service, 'face.jpg');
    expect(focal?.x).toBeCloseTo(0.25, 1);
    expect(focal?.y).toBeCloseTo(0.5, 1);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText('Focal point cleared.').waitFor();
  });

  test('give addresses that work to the clipboard', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await collectCopies(page);
    await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
    await page.getByRole('button', { name: 'Copy 800 px' }).click();
    await page.getByText('URL of 800 px copied.').waitFor();
    const copied = `${service.url}/t/w_800,f_auto/face.jpg`;
    expect(await copiesOf(page)).toEqual([copied]);
    expect((await fetch(copied)).status).toBe(200);
  });

  test('lead to the playground', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files?open=face.jpg`);
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await page.waitForURL('**/dashboard/playground/face.jpg');
    await page.getByRole('heading', { name: 'Playground' }).waitFor();
    await page.getByText('face.jpg').first().waitFor();
  });

  test('say what is cached of it, and drop it', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await service.upload({ 'dropped.jpg': await gradient(8) });
    for (const width of [30, 40]) expect((await service.authorized(`/t/w_${width}/dropped.jpg`)).status).toBe(200);
    const count = async () => (await assetOf(service, 'dropped.jpg')).variants?.count;
    await page.goto(`${service.url}/dashboard/files/Products?open=dropped.jpg`);
    const part = page.getByRole('region', { name: 'Variants' });
    await expect.poll(() => part.textContent()).toMatch(/\d variants cached, /);
    expect(await count()).toBeGreaterThanOrEqual(2);
    // The preview is a variant too: wait for it, or it enters the cache after the others were cleared.
    const preview = page.locator('.preview-frame img');
    await expect
      .poll(() => preview.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth))
      .not.toBe(0);
    await page.waitForLoadState('networkidle');
    await part.getByRole('button', { name: 'Clear variants' }).click();
    await page.getByText(/^Cleared \d variants\.$/).waitFor();
    await part.getByText('No cached variants.').waitFor();
    expect(await count()).toBe(0);
    expect(await part.getByRole('button', { name: 'Clear variants' }).isDisabled()).toBe(true);
  });

  test('say when the file is not there any more', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files?open=gone.jpg`);
    await page.getByText('File not found').waitFor();
    await page.getByRole('button', { name: 'Close details' }).click();
    await expect.poll(() => page.url()).not.toContain('open=');
  });
});
