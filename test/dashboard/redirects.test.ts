import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';
import { choose, detailsOf, gradient, photo, redirect, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'logo.jpg': await gradient(1) }, { folder: 'brand' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function begin(): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files`);
  await window.page.getByRole('link', { name: 'Redirects' }).click();
  await window.page.getByRole('heading', { name: 'Redirects', exact: true }).waitFor();
  return window.page;
}

describeInBrowser('the page of redirects', () => {
  test('adds one, shows where it leads, and deletes it', async () => {
    const page = await begin();
    await page.getByText('No redirects').waitFor();
    await page.getByRole('button', { name: 'Add redirect' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add redirect' });
    await dialog.getByRole('textbox', { name: 'Old path' }).fill('old/logo.jpg');
    await dialog.getByRole('textbox', { name: 'Present path' }).fill('brand/none.jpg');
    await dialog.getByRole('button', { name: 'Add redirect' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/brand\/none\.jpg/)
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Present path' }).fill('brand/logo.jpg');
    await dialog.getByRole('button', { name: 'Add redirect' }).click();
    await page.getByRole('heading', { name: 'old/logo.jpg' }).waitFor();
    expect((await service.authorized('/t/old/logo.jpg')).status).toBe(200);
    await page.getByRole('button', { name: 'Delete the redirect of old/logo.jpg' }).click();
    await page.getByText('No redirects').waitFor();
    expect((await service.authorized('/t/old/logo.jpg')).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'brand/logo.jpg' }).click();
    await detailsOf(page, 'logo.jpg').waitFor();
  });

  test('says after an upload which redirect the file has overruled, which can be undone, and marks it', async () => {
    await redirect(service, 'brand/mark.jpg', 'brand/logo.jpg');
    const linkOf = async () => (await service.authorized('/t/brand/mark.jpg')).headers.get('link');
    const page = await begin();
    expect(await page.getByText('Not in use').count()).toBe(0);
    const upload = async () => {
      await page.goto(`${service.url}/dashboard/files/brand`);
      await choose(page, photo('mark.jpg', await gradient(2)));
      await page
        .getByText('brand/mark.jpg was a redirect to brand/logo.jpg. Its URL shows the new file now.')
        .waitFor();
    };
    await upload();
    await saveScreenshot(page, 'redirects-overruled-upload');
    expect(await linkOf()).toBeNull();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Deleted mark.jpg. The URL of brand/mark.jpg leads to brand/logo.jpg again.').waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(await linkOf()).toContain('/t/brand/logo.jpg');
    await upload();
    await page.getByRole('link', { name: 'Redirects' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'brand/mark.jpg' });
    await row.getByText('Not in use:').waitFor();
    await row.getByRole('link', { name: 'a file has this name' }).click();
    await detailsOf(page, 'mark.jpg').waitFor();
    await lookAtAll(service, 'redirects-overruled', async (shown) => {
      await shown.goto(`${service.url}/dashboard/redirects`);
      await shown.getByText('Not in use:').waitFor();
    });
    await page.goBack();
    await page.getByRole('button', { name: 'Delete the redirect of brand/mark.jpg' }).click();
    await page.getByText('Deleted the redirect of brand/mark.jpg.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect((await service.authorized('/t/brand/mark.jpg')).status).toBe(200);
  });

  test('has one message for an upload that overrules a redirect and replaces a file, and none about the path before', async () => {
    await service.upload({ 'old.jpg': await gradient(4), 'sign.jpg': await gradient(5) }, { folder: 'shop' });
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/shop`);
    await tile(page, 'old.jpg').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const renaming = page.getByRole('dialog');
    await renaming.getByRole('textbox', { name: 'Name' }).fill('new.jpg');
    await renaming.getByRole('checkbox', { name: 'Keep the old URL working' }).check();
    await renaming.getByRole('button', { name: 'Rename' }).click();
    await page.locator('.toast').filter({ hasText: 'new.jpg' }).waitFor();
    await choose(page, photo('old.jpg', await gradient(6)), photo('sign.jpg', await gradient(7)));
    await page
      .getByRole('dialog', { name: 'sign.jpg already exists' })
      .getByRole('button', { name: 'Replace' })
      .click();
    const message = page.locator('.toast').filter({ hasText: 'shop/old.jpg was a redirect to shop/new.jpg.' });
    await message.getByText('Replaced sign.jpg.', { exact: false }).waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    await message.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The URL of shop/old.jpg leads to shop/new.jpg again.', { exact: false }).waitFor();
    await page.getByText('Restored the earlier sign.jpg.', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
    expect((await service.authorized('/t/shop/old.jpg')).headers.get('link')).toContain('/t/shop/new.jpg');
    await service.authorized('/redirects?from=shop/old.jpg', { method: 'DELETE' });
  });

  test('shows those that lead to a file, which its details list too', async () => {
    await redirect(service, 'old/one.jpg', 'brand/logo.jpg');
    await redirect(service, 'former', 'brand');
    await service.upload({ 'other.jpg': await gradient(3) });
    await redirect(service, 'old/other.jpg', 'other.jpg');
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/brand?open=${encodeURIComponent('brand/logo.jpg')}`);
    const part = page.getByRole('region', { name: 'Old URLs' });
    await part.waitFor();
    expect(await part.getByRole('listitem').allTextContents()).toEqual([
      'former/logo.jpg',
      'old/logo.jpg',
      'old/one.jpg',
    ]);
    await part.scrollIntoViewIfNeeded();
    await saveScreenshot(page, 'details-old-urls');
    expect(await faultsOf(page)).toEqual([]);
    await part.getByRole('link', { name: 'Show redirects' }).click();
    await page.getByText('Redirects that lead to brand/logo.jpg').waitFor();
    await page.getByRole('heading', { name: 'former', exact: true }).waitFor();
    expect(await page.getByRole('heading', { name: 'old/other.jpg' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show all redirects' }).click();
    await page.getByRole('heading', { name: 'old/other.jpg' }).waitFor();
    for (const from of ['old/one.jpg', 'former', 'old/other.jpg'])
      await service.authorized(`/redirects?from=${encodeURIComponent(from)}`, { method: 'DELETE' });
  });

  test('leads to a folder whose name ends like that of a file', async () => {
    await service.upload({ 'sign.jpg': await gradient(2) }, { folder: 'site.2024' });
    await redirect(service, 'old-site', 'site.2024');
    const page = await begin();
    await page.getByRole('link', { name: 'site.2024', exact: true }).click();
    await page.waitForURL('**/dashboard/files/site.2024');
    await page.getByText('sign.jpg').waitFor();
  });

  test('looks well', async () => {
    await redirect(service, 'photos/2019/a rather long name of a folder/logo of the year.jpg', 'brand');
    await lookAtAll(service, 'redirects', async (page) => {
      await page.goto(`${service.url}/dashboard/redirects`);
      await page.getByRole('link', { name: 'brand', exact: true }).waitFor();
    });
  });
});
