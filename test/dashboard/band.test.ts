import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, saveScreenshot } from './browser.ts';
import { boxOf, openLibrary, tagCounts, tile } from './library.ts';

const COUNT = 300;

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (let at = 0; at < COUNT; at++) await service.place(`many/${String(at).padStart(4, '0')}.txt`, 'text');
});
afterAll(() => service.close());

const begin = async (query = '') => (await openLibrary(service, `files/many${query}`)).page;
const item = (page: Page, index: number) => page.locator(`[data-index="${index}"]`);

/** Presses the mouse in the gap before an item and moves it into the middle of another one. */
async function draw(page: Page, from: number, to: number): Promise<void> {
  const one = await boxOf(item(page, from));
  const other = await boxOf(item(page, to));
  await page.mouse.move(one.x - 5, one.y + 20);
  await page.mouse.down();
  await page.mouse.move(other.x + other.width / 2, other.y + other.height / 2, { steps: 4 });
}

describeInBrowser('a rectangle drawn with the mouse', () => {
  test('selects the tiles that it touches, row by row, and the click at its end opens none', async () => {
    const page = await begin();
    const columns = Number(await page.getByRole('grid').getAttribute('aria-colcount'));
    await draw(page, 1, columns + 2);
    await page.getByText('4 selected').first().waitFor();
    await page.locator('.files-band').waitFor();
    await saveScreenshot(page, 'files-band-wide-light');
    await page.mouse.up();
    await expect.poll(() => page.locator('.files-band').count()).toBe(0);
    const chosen = await page
      .locator('[aria-selected="true"]')
      .evaluateAll((items) =>
        items.map((item) => Number((item as unknown as { dataset: { index: string } }).dataset.index)),
      );
    expect(chosen).toEqual([1, 2, columns + 1, columns + 2]);
    expect(page.url()).not.toContain('open=');
    // Ctrl keeps the existing selection.
    await page.keyboard.down('Control');
    await draw(page, 3, 3);
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.getByText('5 selected').first().waitFor();
  });

  test('is let go of with Escape, and everything is as before', async () => {
    const page = await begin();
    await tile(page, '0000').click({ modifiers: ['Control'] });
    await draw(page, 1, 3);
    await page.getByText('3 selected').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').first().waitFor();
    await page.mouse.up();
    await page.getByText('1 selected').first().waitFor();
  });

  test.each(['grid', 'list'])('scrolls a %s at its edge, and selects what has never arrived', async (view) => {
    const page = await begin(`?view=${view}`);
    const asked: string[] = [];
    page.on('request', (request) => /[?&]offset=/.test(request.url()) && asked.push(request.url()));
    const grid = await boxOf(page.getByRole('grid'));
    const first = await boxOf(item(page, 0));
    // The gap before a tile, and the side of a row, are empty ground.
    await page.mouse.move(first.x + (view === 'grid' ? -6 : 2), first.y + 4);
    await page.mouse.down();
    await page.mouse.move(grid.x + grid.width - 40, grid.y + grid.height + 60, { steps: 4 });
    await page.getByText(`${COUNT} selected`).first().waitFor();
    await page.mouse.up();
    await page.getByRole('button', { name: 'Tag' }).click();
    await page.getByRole('combobox', { name: 'Add tags' }).fill(view);
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText(`Tagged ${COUNT} items.`).waitFor();
    expect(await tagCounts(service)).toMatchObject({ [view]: COUNT });
    // Pages scrolled past are not requested: only the pages of the folder, and those again for the action and after it.
    expect(asked.length).toBeLessThanOrEqual(12);
  });
});
