import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';

const COUNT = 3000;
/** Whatever the number of files. */
const MAX_NODES = 1500;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (let at = 0; at < COUNT; at++) await service.place(`many/${String(at).padStart(5, '0')}.txt`, 'text');
});
afterEach(() => window?.close());
afterAll(() => service.close());

const nodes = (page: Window['page']) => page.evaluate('document.querySelectorAll("*").length') as Promise<number>;

describeInBrowser('a large folder', () => {
  test.each(['grid', 'list'])('is scrolled to its end by one key as a %s, in a page that stays small', async (view) => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many?view=${view}`);
    await page.getByText('3,000 items').waitFor();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('[data-index]:focus').textContent()).toContain('02999.txt');
    expect(await nodes(page)).toBeLessThan(MAX_NODES);
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('[data-index]:focus').textContent()).toContain('00000.txt');
    expect(await nodes(page)).toBeLessThan(MAX_NODES);
  });

  test('is selected as a whole but for one, and acted on with progress', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many`);
    await page.locator('[data-index="1"]').click({ modifiers: ['Control'] });
    await page.getByRole('button', { name: 'Select all 3,000' }).click();
    await page.locator('[data-index="0"]').click();
    await page.getByText('2,999 selected').first().waitFor();
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('textbox', { name: 'Tags' }).fill('archived');
    await page.getByRole('dialog').getByRole('button', { name: 'Tag' }).click();
    await page.getByText('Tagged 2,999 items.').waitFor();
    const { tags } = (await (await service.authorized('/tags')).json()) as { tags: { tag: string; count: number }[] };
    expect(tags).toEqual([{ tag: 'archived', count: 2999 }]);
  });

  test('is selected from one file to another far away, which the page has never shown', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/many`);
    await page.locator('[data-index="2"]').click({ modifiers: ['Control'] });
    await page.locator('[data-index="2"]').focus();
    await page.keyboard.press('Shift+End');
    await page.getByText('2,998 selected').first().waitFor();
  });
});
