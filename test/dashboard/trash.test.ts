import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function discard(...names: string[]): Promise<void> {
  for (const name of names) {
    await service.upload({ [name]: fixture('portrait-face.jpg') }, { folder: 'old' });
    await service.authorized(`/storage/old/${name}?trash=true`, { method: 'DELETE' });
  }
}

async function open(): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/trash`);
  await window.page.getByRole('heading', { name: 'Trash', exact: true }).waitFor();
  return window.page;
}

describeInBrowser('the page of the trash', () => {
  test('is empty at first', async () => {
    const page = await open();
    await page.getByText('The trash is empty').waitFor();
    expect(await page.getByRole('button', { name: 'Empty trash' }).count()).toBe(0);
  });

  test('brings a file back', async () => {
    await discard('back.jpg');
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: 'back.jpg' });
    await row.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored old/back.jpg.').waitFor();
    await expect.poll(() => row.count()).toBe(0);
    expect((await service.authorized('/storage/old/back.jpg/metadata')).status).toBe(200);
  });

  test('looks well in both themes and at both widths', async () => {
    await discard('one.jpg', 'two.jpg', 'a rather long name of a file that nobody needs any more.jpg');
    await lookAtAll(service, 'trash', async (page) => {
      await page.goto(`${service.url}/dashboard/trash`);
      await page.getByRole('heading', { name: 'one.jpg' }).waitFor();
    });
  });

  test('deletes one for good, and then all, when that was asked for twice', async () => {
    await discard('gone.jpg', 'rest.jpg');
    const page = await open();
    await page.getByRole('button', { name: 'Delete old/gone.jpg permanently' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' }).click();
    await expect.poll(() => page.getByRole('heading', { name: 'gone.jpg' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Empty trash' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Empty the trash?' });
    await dialog.getByRole('textbox').fill('empty');
    await dialog.getByRole('button', { name: 'Empty trash' }).click();
    await page.getByText('The trash is empty').waitFor();
    expect(await (await service.authorized('/trash')).json()).toMatchObject({ items: [] });
  });
});
