import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold } from './browser.ts';
import {
  assetOf,
  detailsOf,
  exists,
  gradient,
  open,
  openLibrary,
  pasteFiles,
  photo,
  thumbnailsOf,
  tile,
} from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await service.upload({ 'a.jpg': await gradient(1), 'b.jpg': await gradient(2), 'gone.jpg': await gradient(3) });
  await service.upload({ 'inside.jpg': await gradient(4) }, { folder: 'Drafts' });
});
afterAll(() => service.close());

const begin = async (path?: string) => (await openLibrary(service, path)).page;

describeInBrowser('what is done to one file', () => {
  test('is not done to the one before: the details take no text until they are those of the file', async () => {
    const { page, problems } = await openLibrary(service, 'files?open=a.jpg');
    const field = page.getByRole('textbox', { name: 'Description' });
    await field.waitFor();
    const release = await hold(page, `${service.url}/assets/b.jpg`);
    await tile(page, 'b.jpg').click();
    await detailsOf(page, 'b.jpg').waitFor();
    await detailsOf(page, 'b.jpg').locator('[inert]').waitFor();
    await field.evaluate((element) => (element as unknown as { focus(): void }).focus());
    expect(await field.evaluate((element) => element.matches(':focus'))).toBe(false);
    release();
    await detailsOf(page, 'b.jpg').locator('[inert]').waitFor({ state: 'detached' });
    await field.fill('Of b');
    await page.keyboard.press('Tab');
    await page.getByText('Saved.', { exact: true }).waitFor();
    const texts = await Promise.all(['a.jpg', 'b.jpg'].map((name) => assetOf(service, name)));
    expect(texts).toMatchObject([{ description: null }, { description: 'Of b' }]);
    expect(problems).toEqual([]);
  });

  test('does not open the viewer: its checkbox and buttons may be pressed twice', async () => {
    const page = await begin('files?open=a.jpg');
    await detailsOf(page, 'a.jpg').waitFor();
    const box = tile(page, 'b.jpg').locator('[data-checkbox]');
    await tile(page, 'b.jpg').hover();
    await box.dblclick();
    await tile(page, 'b.jpg').hover();
    await tile(page, 'b.jpg').locator('[data-button="url"]').dblclick();
    await page.getByText('URL copied.').first().waitFor();
    expect(new URL(page.url()).searchParams.get('full')).toBeNull();
    expect(new URL(page.url()).searchParams.get('open')).toBe('a.jpg');
  });

  test('does not paste into the folder behind the viewer', async () => {
    const page = await begin('files?open=a.jpg&full=true');
    const viewer = page.getByRole('dialog');
    await viewer.waitFor();
    await pasteFiles(page, photo('pasted.jpg'));
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });
    expect(await page.getByRole('heading', { name: /Uploading|Uploaded|No files/ }).count()).toBe(0);
    // In front of it a paste uploads: the first one would have arrived by then.
    await page.keyboard.press('Escape');
    await pasteFiles(page, photo('control.jpg'));
    await tile(page, 'control.jpg').waitFor();
    expect(await exists(service, 'pasted.jpg')).toBe(false);
  });

  test('does not close the details of another', async () => {
    const page = await begin('files?open=a.jpg');
    await thumbnailsOf(page, 'b.jpg');
    await tile(page, 'b.jpg').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: /^Move 1 item/ });
    await dialog.getByRole('button', { name: 'Drafts' }).click();
    await dialog.getByRole('button', { name: 'Move here' }).click();
    await page.getByText('Moved 1 item to Drafts. The old URL keeps working.').waitFor();
    await expect.poll(() => exists(service, 'Drafts/b.jpg')).toBe(true);
    await detailsOf(page, 'a.jpg').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => exists(service, 'b.jpg')).toBe(true);
  });
});

describeInBrowser('a permanent deletion of search results', () => {
  test('asks for their number, as folders are among them', async () => {
    const page = await begin('files?q=drafts');
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Shift+Delete');
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await exists(service, 'Drafts/inside.jpg')).toBe(true);
  });
});

describeInBrowser('a text of a deleted file', () => {
  test('can be discarded, and asks no more', async () => {
    const page = await begin('files?open=gone.jpg');
    await page.getByRole('textbox', { name: 'Title' }).fill('Farewell');
    expect((await service.authorized('/storage/gone.jpg', { method: 'DELETE' })).status).toBe(200);
    await page.keyboard.press('Tab');
    await page.getByText('Title Farewell').waitFor();
    let tries = 0;
    page.on('request', (request) => {
      if (request.method() === 'PATCH') tries++;
    });
    await page.evaluate("window.dispatchEvent(new Event('online'))");
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Title Farewell').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('File not found').waitFor();
    expect([tries, await page.getByText('Title Farewell').count()]).toEqual([0, 0]);
  });
});

describeInBrowser('a folder that the dialog of a move has created', () => {
  test('is in the library, also without a move', async () => {
    const page = await begin();
    await tile(page, 'a.jpg').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: /^Move 1 item/ });
    await dialog.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Fresh');
    await page.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('No subfolders.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tile(page, 'Fresh').waitFor();
  });
});

describeInBrowser('uploads that a page has left unfinished', () => {
  test('are still offered after another tab without uploads was closed', async () => {
    const page = await begin();
    const stored = (other: Page) =>
      other.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('darkroom-interrupted'))");
    const other = await page.context().newPage();
    await open(other, service);
    await page.evaluate(`localStorage.setItem('darkroom-interrupted ' + document.baseURI.replace(/dashboard\\/.*$/, ''), JSON.stringify({
      at: Date.now(),
      uploads: [{ folder: '', name: 'big.jpg', size: 9, lastModified: 1, transformations: [], replaces: false, sent: 0 }],
    }))`);
    const before = await stored(page);
    await other.close({ runBeforeUnload: false });
    expect(before).toHaveLength(1);
    expect(await stored(page)).toEqual(before);
  });
});
