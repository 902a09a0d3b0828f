import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { thumbnailsOf, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg'), 'other.jpg': fixture('no-face.jpg') });
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('what is said in passing', () => {
  test('goes by itself, but not while somebody is about to press what it offers', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.clock.install();
    await page.goto(`${service.url}/dashboard/files`);
    const remove = async (name: string) => {
      await thumbnailsOf(page, name);
      await tile(page, name).focus();
      await page.keyboard.press('Delete');
      await tile(page, name).waitFor({ state: 'detached' });
    };
    const undo = page.getByRole('button', { name: 'Undo' });
    await remove('other.jpg');
    await undo.focus();
    await page.clock.runFor('01:00');
    await page.keyboard.press('Enter');
    await thumbnailsOf(page, 'other.jpg');

    await remove('face.jpg');
    await undo.waitFor();
    await page.clock.runFor('00:10');
    await undo.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });
});
