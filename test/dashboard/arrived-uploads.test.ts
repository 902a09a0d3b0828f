import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { gradient, open, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const image = await gradient(1, 90, 60);
  const many = Array.from({ length: 80 }, (_, at) => [`a ${String(at).padStart(2, '0')}.jpg`, image]);
  await service.upload(Object.fromEntries(many), { folder: 'many' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const photo = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: fixture('no-face.jpg') });
const choose = (page: Window['page'], ...names: string[]) =>
  page.locator('input[type=file]').first().setInputFiles(names.map(photo));
const chosen = (page: Window['page']) => page.locator('[data-index][aria-selected="true"]');

describeInBrowser('uploaded files', () => {
  test('are selected and in view, and the focus stays where it is', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await open(page, service, 'files/many');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Upload', exact: true }).click(),
    ]);
    await chooser.setFiles([photo('z 1.jpg'), photo('z 2?.jpg')]);
    await page.getByText('2 selected').first().waitFor();
    await expect.poll(() => chosen(page).count()).toBe(2);
    await expect.poll(() => tile(page, 'z 1.jpg').isVisible()).toBe(true);
    const box = await tile(page, 'z 1.jpg').boundingBox();
    expect(box !== null && box.y > 0 && box.y + box.height < 900).toBe(true);
    // The panel names the file whose name has changed.
    await page.getByText(/It is stored as z 2\.jpg, because names cannot contain/).waitFor();
    await tile(page, 'z 2.jpg').waitFor();
  });

  test('are not selected where something else is, or where another folder is shown by then', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await open(page, service, 'files/many');
    const held = Promise.withResolvers<void>();
    await page.route('**/upload', async (route) => {
      await held.promise;
      await route.continue();
    });
    await choose(page, 'late.jpg');
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await tile(page, 'a 01').click({ modifiers: ['Control'] });
    held.resolve();
    await page.getByText('81 items').or(page.getByText('83 items')).or(page.getByText('84 items')).first().waitFor();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    await expect.poll(() => chosen(page).allTextContents()).toEqual([expect.stringContaining('a 01')]);
  });
});
