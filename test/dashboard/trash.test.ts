import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { exists } from './library.ts';

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
    expect(await exists(service, 'old/back.jpg')).toBe(true);
  });

  test('shows a small image of a file, and how many days are left', async () => {
    await discard('seen.jpg');
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: 'seen.jpg' });
    await expect
      .poll(() => row.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(320);
    expect(await row.textContent()).toMatch(/(29|30) days left/);
    expect(window?.problems).toEqual([]);
  });

  test('restores and deletes what is selected, by mouse with Shift and by keyboard', async () => {
    await service.authorized('/trash', { method: 'DELETE' });
    await discard('a.jpg', 'b.jpg', 'c.jpg', 'd.jpg');
    const page = await open();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Path, A to Z');
    const names = () => page.getByRole('listitem').getByRole('heading').allTextContents();
    await expect.poll(names).toEqual(['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']);
    const box = (name: string) => page.getByRole('checkbox', { name: `Select old/${name}` });
    await box('a.jpg').click();
    await box('c.jpg').click({ modifiers: ['Shift'] });
    await page.getByText('3 items selected').waitFor();
    expect(
      await page
        .getByRole('checkbox', { name: '3 items selected' })
        .evaluate((one) => (one as never as { indeterminate: boolean }).indeterminate),
    ).toBe(true);
    await box('b.jpg').focus();
    await page.keyboard.press('Space');
    await page.getByText('2 items selected').waitFor();
    await page.getByRole('button', { name: 'Restore selected' }).click();
    await page.getByText('Restored 2 items.').waitFor();
    await expect.poll(names).toEqual(['b.jpg', 'd.jpg']);
    for (const name of ['a.jpg', 'c.jpg']) expect(await exists(service, `old/${name}`)).toBe(true);
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Path, Z to A');
    await expect.poll(names).toEqual(['d.jpg', 'b.jpg']);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.locator('.trash-bar').getByRole('button', { name: 'Delete permanently' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete 2 items permanently?' });
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('The trash is empty').waitFor();
    expect(await (await service.authorized('/trash')).json()).toMatchObject({ items: [] });
  });

  test('restores everything', async () => {
    await discard('x.jpg', 'y.jpg');
    const page = await open();
    await page.getByRole('button', { name: 'Restore all' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore all' }).click();
    await page.getByText('Restored 2 items.').waitFor();
    await page.getByText('The trash is empty').waitFor();
    for (const name of ['x.jpg', 'y.jpg']) expect(await exists(service, `old/${name}`)).toBe(true);
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
