import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, SIZES, saveScreenshot, type Window } from './browser.ts';
import { boxOf, gradient, open, settled } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const names = Array.from({ length: 12 }, (_, at) => `image ${at}.jpg`);
  await service.upload(
    Object.fromEntries(await Promise.all(names.map(async (name, at) => [name, await gradient(at, 300, 200)]))),
  );
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('compact density', () => {
  test('makes tiles and rows dense, with targets of 24 pixels in the middle of their rows', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.addInitScript("localStorage.setItem('darkroom-density', 'compact')");
    for (const size of ['wide', 'narrow'] as const) {
      await page.setViewportSize(SIZES[size]);
      await open(page, service);
      await settled(page);
      await saveScreenshot(page, `compact-grid-${size}`);
      const first = await boxOf(page.locator('[data-index="0"]').first());
      const second = await boxOf(page.locator('[data-index="1"]').first());
      expect(Math.round(second.x - first.x - first.width)).toBe(10);
      expect([size, first.width < (size === 'wide' ? 140 : 110)]).toEqual([size, true]);
      const name = await boxOf(page.locator('.tile-facts').first());
      const below = await page.locator('.files-row').nth(1).boundingBox();
      expect(below === null || name.y + name.height <= below.y).toBe(true);

      await open(page, service, 'files?view=list');
      await settled(page);
      await saveScreenshot(page, `compact-list-${size}`);
      const row = await boxOf(page.locator('[data-index="0"]').first());
      const thumb = await boxOf(page.locator('[data-index="0"] .thumb').first());
      const checkbox = await boxOf(page.locator('[data-index="0"] .item-checkbox').first());
      expect([row.height, thumb.width, thumb.height, checkbox.width, checkbox.height]).toEqual([40, 32, 32, 24, 24]);
      expect(Math.abs(checkbox.y + 12 - (row.y + row.height / 2))).toBeLessThan(1.5);
      expect(Math.abs(checkbox.x + 12 - (thumb.x + 16))).toBeLessThan(1.5);
    }
  });
});
