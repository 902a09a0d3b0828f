import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fixture } from '../../http.ts';
import { startService, type TestService } from '../../service.ts';
import { FROM_ANYWHERE } from '../../session.ts';
import { ADMIN, describeInBrowser, hold, openWindow } from '../browser.ts';
import { choose, exists, openLibrary, photo, tile } from '../library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const image = fixture('portrait-face.jpg');
  await service.upload({ 'one.jpg': image, 'two.jpg': image, 'three.jpg': image }, { folder: 'photos' });
  await service.upload({ 'other.jpg': image }, { folder: 'other' });
});
afterAll(() => service.close());

describeInBrowser('a line that is cut', () => {
  test('is said, what was shown stays, and what has changed meanwhile is there when it is back', async () => {
    const { page, context } = await openLibrary(service, 'files/photos');
    await context.setOffline(true);
    const banner = page.getByText('You are offline.', { exact: false });
    await banner.waitFor();
    expect(await tile(page, 'one.jpg').count()).toBe(1);
    await service.upload({ 'meanwhile.jpg': fixture('no-face.jpg') }, { folder: 'photos' });
    await page.getByRole('link', { name: 'Library', exact: true }).click();
    await context.setOffline(false);
    await tile(page, 'photos').click();
    await tile(page, 'meanwhile.jpg').waitFor();
    expect(await banner.count()).toBe(0);
  });

  test('lets uploads go on by themselves when it is back', async () => {
    const { page, context } = await openLibrary(service, 'files/other');
    await choose(page, photo('first.jpg'));
    await tile(page, 'first.jpg').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/upload', async (route) => {
      await held.promise;
      await route.abort('internetdisconnected');
    });
    await choose(page, photo('cut.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await context.setOffline(true);
    held.resolve();
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await page.unroute('**/upload');
    await context.setOffline(false);
    await tile(page, 'cut.jpg').waitFor();
    expect(await exists(service, 'other/cut.jpg')).toBe(true);
  });
});

describeInBrowser('a session that ends in the library', () => {
  test('costs neither what is selected nor what is being uploaded', async () => {
    const { page, context } = await openLibrary(service, 'files/photos');
    const release = await hold(page, '**/upload');
    await choose(page, photo('late.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await tile(page, 'one.jpg').click({ modifiers: ['Control'] });
    await tile(page, 'two.jpg').click({ modifiers: ['Control'] });
    await page.getByText('2 selected').first().waitFor();
    await context.clearCookies();
    release();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await tile(page, 'late.jpg').waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText('2 selected').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('combobox', { name: 'Add tags' }).fill('kept');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Tagged 2 items.').waitFor();
  });
});

test('with MODE=api a browser is led nowhere, and finds no dashboard', async () => {
  const bare = await startService({ ...ADMIN, MODE: 'api' });
  const window = await openWindow();
  onTestFinished(window.close);
  const start = await window.page.goto(`${bare.url}/`);
  expect([start?.url(), start?.status()]).toEqual([`${bare.url}/`, 404]);
  for (const path of ['dashboard', 'dashboard/files', 'dashboard/setup'])
    expect((await window.page.goto(`${bare.url}/${path}`))?.status()).toBe(404);
  await bare.close();
});
