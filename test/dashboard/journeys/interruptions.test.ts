import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../../http.ts';
import { startService, type TestService } from '../../service.ts';
import { FROM_ANYWHERE } from '../../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from '../browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const photo = fixture('portrait-face.jpg');
  await service.upload({ 'one.jpg': photo, 'two.jpg': photo, 'three.jpg': photo }, { folder: 'photos' });
  await service.upload({ 'other.jpg': photo }, { folder: 'other' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const tile = (page: Window['page'], name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name}`) });
const photo = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: fixture('no-face.jpg') });
const choose = (page: Window['page'], name: string) =>
  page
    .locator('input[type=file]')
    .first()
    .setInputFiles([photo(name)]);

async function open(folder: string): Promise<Window> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files/${folder}`);
  await window.page.getByRole('gridcell').first().waitFor();
  return window;
}

describeInBrowser('a line that is cut', () => {
  test('is said, what was shown stays, and what has changed meanwhile is there when it is back', async () => {
    const { page, context } = await open('photos');
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
    const { page, context } = await open('other');
    await choose(page, 'first.jpg');
    await tile(page, 'first.jpg').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/upload', async (route) => {
      await held.promise;
      await route.abort('internetdisconnected');
    });
    await choose(page, 'cut.jpg');
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await context.setOffline(true);
    held.resolve();
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await page.unroute('**/upload');
    await context.setOffline(false);
    await tile(page, 'cut.jpg').waitFor();
    expect((await service.authorized('/storage/other/cut.jpg/metadata')).status).toBe(200);
  });
});

describeInBrowser('a session that ends in the library', () => {
  test('costs neither what is selected nor what is being uploaded', async () => {
    const { page, context } = await open('photos');
    const held = Promise.withResolvers<void>();
    await page.route('**/upload', async (route) => {
      await held.promise;
      await route.continue();
    });
    await choose(page, 'late.jpg');
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await tile(page, 'one.jpg').click({ modifiers: ['Control'] });
    await tile(page, 'two.jpg').click();
    await page.getByText('2 selected').first().waitFor();
    await context.clearCookies();
    held.resolve();
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
  window = await openWindow();
  const start = await window.page.goto(`${bare.url}/`);
  expect([start?.url(), start?.status()]).toEqual([`${bare.url}/`, 404]);
  for (const path of ['dashboard', 'dashboard/files', 'dashboard/setup'])
    expect((await window.page.goto(`${bare.url}/${path}`))?.status()).toBe(404);
  await bare.close();
});
