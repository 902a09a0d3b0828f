import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, openWindow } from './browser.ts';
import { boxOf, choose, detailsOf, focused, gradient, middleOf, open, openLibrary, photo, tile } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const image = await gradient(1, 90, 60);
  const many = Array.from({ length: 80 }, (_, at) => [`a ${String(at).padStart(2, '0')}.jpg`, image]);
  await service.upload(Object.fromEntries(many), { folder: 'many' });
  for (const folder of ['few', 'focus', 'left', 'click', 'tap'])
    await service.upload({ 'a 00.jpg': image, 'a 01.jpg': image }, { folder });
});
afterAll(() => service.close());

const chosen = (page: Page) => page.locator('[data-index][aria-selected="true"]');

describeInBrowser('uploaded files', () => {
  test('are selected and in view', async () => {
    const { page } = await openLibrary(service, 'files/many');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload', exact: true }).click(),
    ]);
    await chooser.setFiles([photo('z 1.jpg'), photo('z 2?.jpg')]);
    await page.getByText('2 selected').first().waitFor();
    await expect.poll(() => chosen(page).count()).toBe(2);
    await expect.poll(() => tile(page, 'z 1.jpg').isVisible()).toBe(true);
    const box = await boxOf(tile(page, 'z 1.jpg'));
    expect(box.y > 0 && box.y + box.height < 900).toBe(true);
    // The panel names the file whose name has changed.
    await page.getByText(/It is stored as z 2\.jpg, because names cannot contain/).waitFor();
    await tile(page, 'z 2.jpg').waitFor();
  });

  test('open with a click, which leaves only that one selected', async () => {
    const { page } = await openLibrary(service, 'files/click');
    await choose(page, photo('z 1.jpg'), photo('z 2.jpg'));
    await expect.poll(() => chosen(page).count()).toBe(2);
    await tile(page, 'z 1.jpg').click();
    await detailsOf(page, 'z 1.jpg').waitFor();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('z 1.jpg')]);
    await tile(page, 'a 00.jpg').click();
    await detailsOf(page, 'a 00.jpg').waitFor();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('a 00.jpg')]);
    await tile(page, 'z 2.jpg').click({ modifiers: ['Shift'] });
    await expect.poll(() => chosen(page).count()).toBe(4);
    await tile(page, 'z 1.jpg').click({ modifiers: ['Control'] });
    await expect.poll(() => chosen(page).count()).toBe(3);
  });

  test('open with a tap, while taps select after a long press', async () => {
    const { page, context, close } = await openWindow({ service, size: 'narrow', hasTouch: true });
    onTestFinished(close);
    await open(page, service, 'files/tap');
    await choose(page, photo('z 1.jpg'), photo('z 2.jpg'));
    await expect.poll(() => chosen(page).count()).toBe(2);
    await tile(page, 'z 1.jpg').tap();
    await detailsOf(page, 'z 1.jpg').waitFor();
    await page.getByRole('button', { name: 'Close details' }).tap();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('z 1.jpg')]);
    const touch = await context.newCDPSession(page);
    await touch.send('Input.dispatchTouchEvent', {
      type: 'touchStart',
      touchPoints: [await middleOf(tile(page, 'a 00.jpg'))],
    });
    await expect.poll(() => chosen(page).count()).toBe(2);
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await tile(page, 'a 01.jpg').tap();
    await expect.poll(() => chosen(page).count()).toBe(3);
    expect(page.url()).not.toContain('open=');
  });

  test('take the place of those that were uploaded before', async () => {
    const { page } = await openLibrary(service, 'files/click');
    await choose(page, photo('again 1.jpg'));
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('again 1.jpg')]);
    await choose(page, photo('again 2.jpg'));
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('again 2.jpg')]);
  });

  test('leave the focus to the item that has it', async () => {
    const { page } = await openLibrary(service, 'files/focus');
    const release = await hold(page, '**/upload');
    await choose(page, photo('z 3.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await tile(page, 'a 01').focus();
    release();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('z 3.jpg')]);
    expect(await focused(page).textContent()).toMatch(/^a 01/);
  });

  test('are not selected where something else is', async () => {
    const { page } = await openLibrary(service, 'files/few');
    const release = await hold(page, '**/upload');
    await choose(page, photo('late.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await tile(page, 'a 01').click({ modifiers: ['Control'] });
    release();
    await page.getByText(/^3 items/).waitFor();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('a 01')]);
  });

  test('are not selected where another folder is shown by then, nor in theirs afterwards', async () => {
    const { page } = await openLibrary(service, 'files/left');
    const release = await hold(page, '**/upload');
    await choose(page, photo('late.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    const crumbs = page.getByRole('navigation', { name: 'Folder' });
    await crumbs.getByRole('link', { name: 'Library' }).click();
    await tile(page, 'few').waitFor();
    const listed = page.waitForResponse((response) => response.url().includes('/storage?'));
    release();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    await listed;
    expect(await chosen(page).count()).toBe(0);
    await tile(page, 'left').click();
    await tile(page, 'late.jpg').waitFor();
    expect(await chosen(page).count()).toBe(0);
  });
});
