import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, openWindow, saveScreenshot, type Window } from './browser.ts';
import { assetOf, exists, gradient, open, openLibrary, tile } from './library.ts';

const DEEP = 'Customers of the year/Nordic furniture/Catalogue of spring/Living rooms/Sofas and chairs';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'one.jpg': await gradient(1) });
  await service.upload({ 'sofa.jpg': await gradient(2) }, { folder: DEEP });
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('the breadcrumbs of a deep folder', () => {
  test('are the parent and the folder, with a menu of those above, and never overlap', async () => {
    const { page } = await openLibrary(service, `files/${DEEP}?open=${encodeURIComponent(`${DEEP}/sofa.jpg`)}`);
    const crumbs = page.getByRole('navigation', { name: 'Folder' });
    for (const width of [1440, 1280, 1024, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      if (width === 390) await page.getByRole('button', { name: 'Close details' }).click();
      // The crumbs are measured again after the width has changed.
      const facts = async () => {
        const boxes = await Promise.all((await crumbs.getByRole('link').all()).map((link) => link.boundingBox()));
        const [parent, current] = boxes;
        return {
          width,
          links: boxes.length,
          isLargeEnough: Math.min(parent?.width ?? 0, current?.width ?? 0) >= 24,
          isBeside: (parent?.x ?? 0) + (parent?.width ?? 0) <= (current?.x ?? 0),
        };
      };
      await expect.poll(facts).toEqual({ width, links: 2, isLargeEnough: true, isBeside: true });
      await saveScreenshot(page, `crumbs-${width}`);
      expect([width, ...(await faultsOf(page))]).toEqual([width]);
    }
    await crumbs.getByRole('button', { name: 'Parent folders' }).click();
    await page.getByRole('menuitem', { name: 'Nordic furniture' }).click();
    await tile(page, 'Catalogue of spring').waitFor();
  });
});

describeInBrowser('the focal point', () => {
  test('is set anywhere by the arrow keys', async () => {
    const { page } = await openLibrary(service, 'files?open=one.jpg');
    await page.getByRole('button', { name: 'Set focal point' }).click();
    await page.getByRole('button', { name: /^Focal point/ }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText('61 % from the left, 40 % from the top').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.getByText('Focal point saved.').waitFor();
    expect(await assetOf(service, 'one.jpg')).toMatchObject({ focal: { x: 0.61, y: 0.4 } });
  });
});

describeInBrowser('the details', () => {
  test('leave the focus in the field after a save, and show no line down the page', async () => {
    const { page } = await openLibrary(service, 'files?open=one.jpg');
    await page.getByRole('textbox', { name: 'Title' }).fill('One');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    expect(await page.evaluate('document.activeElement.value')).toBe('One');
  });
});

describeInBrowser('the keyboard shortcuts', () => {
  test('are listed in rows that do not collide, and scroll by keyboard', async () => {
    for (const size of ['wide', 'narrow'] as const) {
      window = await openWindow({ service, size });
      const { page } = window;
      await page.setViewportSize({ width: size === 'wide' ? 1440 : 390, height: 500 });
      await open(page, service);
      await page.locator('[data-index]').first().focus();
      await page.keyboard.press('?');
      const list = page.getByRole('dialog').locator('.shortcuts');
      await list.waitFor();
      await saveScreenshot(page, `shortcuts-${size}`);
      const collisions = await list.locator('> div').evaluateAll((rows) => {
        const boxes = (rows as unknown as { getBoundingClientRect(): { top: number; bottom: number } }[]).map((row) =>
          row.getBoundingClientRect(),
        );
        return boxes.filter(({ top }, at) => at > 0 && top < (boxes[at - 1]?.bottom ?? 0)).length;
      });
      expect(collisions).toBe(0);
      await list.focus();
      await page.keyboard.press('End');
      await expect
        .poll(() => list.evaluate((element) => (element as unknown as { scrollTop: number }).scrollTop))
        .toBeGreaterThan(0);
      await window.close();
    }
  });
});

describeInBrowser('a page that does not exist', () => {
  test('has its heading in the main region', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/no/such/page`);
    await page.getByRole('main').getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${service.url}/dashboard/settings/missing`);
    await page.getByRole('main').getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    expect(await page.getByRole('main').count()).toBe(1);
  });
});

describeInBrowser('a name with characters that it cannot keep', () => {
  test('is refused before it changes, for folders and files', async () => {
    const { page } = await openLibrary(service);
    await page.getByRole('button', { name: 'New folder' }).click();
    const field = page.getByRole('textbox', { name: 'Name' });
    await field.fill('a/b:c?');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Names cannot contain / ?.').waitFor();
    await page.keyboard.press('Escape');
    await tile(page, 'one').focus();
    await page.keyboard.press('F2');
    await field.fill('50%.jpg');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Names cannot contain %.').waitFor();
    expect(await exists(service, 'one.jpg')).toBe(true);
  });
});

describeInBrowser('a confirmation', () => {
  test('is confirmed by Enter', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Clear cache' }).click();
    await page.getByRole('alertdialog').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Cache cleared.').waitFor();
  });
});
