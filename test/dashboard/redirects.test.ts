import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { gradient } from './library.ts';

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
    await page.getByRole('complementary', { name: 'Details of logo.jpg' }).waitFor();
  });

  test('looks well', async () => {
    const body = JSON.stringify({
      from: 'photos/2019/a rather long name of a folder/logo of the year.jpg',
      to: 'brand',
    });
    const headers = { 'content-type': 'application/json' };
    await service.authorized('/redirects', { method: 'POST', headers, body });
    await lookAtAll(service, 'redirects', async (page) => {
      await page.goto(`${service.url}/dashboard/redirects`);
      await page.getByRole('link', { name: 'brand', exact: true }).waitFor();
    });
  });
});
