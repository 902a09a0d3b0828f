import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('a button that waits', () => {
  test('cannot be pressed again, and leaves no image without a name when its dialog is replaced', async () => {
    window = await openWindow({ service });
    const { page } = window;
    let requests = 0;
    await page.route('**/api-keys/create', async (route) => {
      // The request is answered once the button has been seen waiting, and a second press makes no second key.
      const button = page.getByRole('dialog').getByRole('button', { name: 'Create key' });
      await button.and(page.locator('[aria-disabled=true]')).waitFor();
      await button.press('Enter');
      requests++;
      await route.continue();
    });
    await page.goto(`${service.url}/dashboard/keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('My website');
    // The announcement is made when the button has the focus.
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).press('Enter');
    await page.getByRole('dialog', { name: 'API key created' }).waitFor();
    expect(requests).toBe(1);
    expect(await page.locator('div[role=img]').count()).toBe(0);
    expect(await faultsOf(page)).toEqual([]);
  });
});
