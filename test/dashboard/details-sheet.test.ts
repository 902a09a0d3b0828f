import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAt, openWindow, SIZES, type Window } from './browser.ts';
import { changeAsset, detailsOf, focused, isInView, open, openLibrary, settled, tile } from './library.ts';

const COUNT = 120;
const nameOf = (number: number) => `image-${String(number).padStart(3, '0')}.png`;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: '#c96' } })
    .png()
    .toBuffer();
  await service.upload(Object.fromEntries(Array.from({ length: COUNT }, (_, at) => [nameOf(at), png])));
  await changeAsset(service, nameOf(0), { title: 'First' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const cursorIn = (field: Locator) =>
  field.evaluate((element) => (element as unknown as { selectionEnd: number }).selectionEnd);
const focusedLabel = (page: Page) => page.evaluate('document.activeElement?.getAttribute("aria-label")');

describeInBrowser('the details on a tablet and a phone', () => {
  test('are a sheet over the grid, which keeps its columns and gets the focus back', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    for (const size of ['laptop', 'tablet', 'narrow'] as const) {
      await page.setViewportSize(SIZES[size]);
      await open(page, service);
      await settled(page);
      const before = await tile(page, nameOf(1)).boundingBox();
      await tile(page, nameOf(1)).click();
      await detailsOf(page, nameOf(1)).getByRole('heading', { name: 'Information' }).waitFor();
      await expect.poll(() => focusedLabel(page)).toBe(`Details of ${nameOf(1)}`);
      const covered = page.locator('[data-index="1"]');
      expect([size, await covered.boundingBox()]).toEqual([size, before]);
      await lookAt(page, 'sheet', [size]);
      await page.getByRole('button', { name: 'Close details' }).click();
      await expect.poll(() => focused(page).textContent()).toMatch(new RegExp(`^${nameOf(1)}`));
    }
    expect(problems).toEqual([]);
  });

  test('close by a swipe, by Escape and by a click beside them', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.setViewportSize({ width: 768, height: 900 });
    await open(page, service, `files?open=${nameOf(3)}`);
    const sheet = detailsOf(page, nameOf(3));
    const touch = (type: string, clientX: number) =>
      sheet.dispatchEvent(type, { pointerType: 'touch', isPrimary: true, clientX, clientY: 300, bubbles: true });
    await touch('pointerdown', 400);
    await touch('pointermove', 430);
    await touch('pointerup', 430);
    expect(await sheet.count()).toBe(1);
    await touch('pointerdown', 400);
    await touch('pointermove', 600);
    await touch('pointerup', 600);
    await expect.poll(() => sheet.count()).toBe(0);
    await expect.poll(() => focused(page).textContent()).toMatch(new RegExp(`^${nameOf(3)}`));
    await page.keyboard.press('Enter');
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page).textContent()).toMatch(new RegExp(`^${nameOf(3)}`));
    await page.keyboard.press('Enter');
    await sheet.waitFor();
    await page.mouse.click(200, 500);
    await expect.poll(() => sheet.count()).toBe(0);
  });
});

describeInBrowser('the sheet of details', () => {
  test('steps to the next and previous file by arrow keys and buttons, like the panel and the viewer', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    for (const size of ['laptop', 'narrow'] as const) {
      await page.setViewportSize(SIZES[size]);
      await open(page, service, `files?open=${nameOf(0)}`);
      await detailsOf(page, nameOf(0)).getByRole('heading', { name: 'Information' }).waitFor();
      await expect.poll(() => focusedLabel(page)).toBe(`Details of ${nameOf(0)}`);
      await page.keyboard.press('ArrowRight');
      await detailsOf(page, nameOf(1)).getByRole('heading', { name: 'Information' }).waitFor();
      // The button goes with its file, the keys stay.
      await detailsOf(page, nameOf(1)).getByRole('button', { name: 'Copy URL' }).focus();
      await page.keyboard.press('ArrowRight');
      await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':not([readonly])')).waitFor();
      await detailsOf(page, nameOf(2)).waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await detailsOf(page, nameOf(0)).waitFor();
      const previous = page.getByRole('button', { name: 'Previous file' });
      const next = page.getByRole('button', { name: 'Next file' });
      expect(await previous.getAttribute('aria-disabled')).toBe('true');
      await next.click();
      await detailsOf(page, nameOf(1)).getByRole('heading', { name: 'Information' }).waitFor();
      await previous.click();
      await detailsOf(page, nameOf(0)).getByRole('heading', { name: 'Information' }).waitFor();
      // In a field they move the cursor.
      const title = page.getByRole('textbox', { name: 'Title' });
      await title.focus();
      await page.keyboard.press('Home');
      expect(await cursorIn(title)).toBe(0);
      await page.keyboard.press('ArrowRight');
      expect(await cursorIn(title)).toBe(1);
      expect(await detailsOf(page, nameOf(0)).count()).toBe(1);
      await lookAt(page, 'sheet-steps', [size]);
      await page.getByRole('button', { name: 'Close details' }).click();
      await expect.poll(() => focused(page).textContent()).toMatch(new RegExp(`^${nameOf(0)}`));
    }
    await page.setViewportSize(SIZES.wide);
    await open(page, service, `files?open=${nameOf(0)}`);
    await detailsOf(page, nameOf(0)).waitFor();
    expect(await page.getByRole('button', { name: 'Next file' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describeInBrowser('the opened tile', () => {
  test('stays in view when the number of columns changes', async () => {
    const { page } = await openLibrary(service);
    const name = nameOf(70);
    await page
      .getByRole('grid')
      .evaluate((grid) => (grid as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 2100));
    await tile(page, name).click();
    await detailsOf(page, name).waitFor();
    const columns = async () => Number(await page.getByRole('grid').getAttribute('aria-colcount'));
    await expect.poll(columns).toBe(4);
    await expect.poll(() => isInView(page, tile(page, name))).toBe(true);
    await page.setViewportSize({ width: 1240, height: 700 });
    await expect.poll(columns).toBe(3);
    await expect.poll(() => isInView(page, tile(page, name))).toBe(true);
    await page.getByRole('button', { name: 'Close details' }).click();
    await expect.poll(columns).toBe(5);
    await expect.poll(() => isInView(page, tile(page, name))).toBe(true);
    await page.setViewportSize(SIZES.wide);
    await expect.poll(columns).toBe(6);
    await expect.poll(() => isInView(page, tile(page, name))).toBe(true);
  });
});

describeInBrowser('the sidebar', () => {
  test('shows icons with names as tooltips, on tablets and by choice, which is remembered', async () => {
    const { page, problems } = await openLibrary(service);
    const main = async () => (await page.getByRole('main').boundingBox())?.x ?? 0;
    expect(await main()).toBeGreaterThan(200);
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(main).toBeLessThan(80);
    await page.reload();
    await tile(page, nameOf(0)).waitFor();
    expect(await main()).toBeLessThan(80);
    const jobs = page.getByRole('link', { name: 'Jobs' });
    const opacity = () =>
      page.evaluate(`getComputedStyle(document.querySelector('[href$="/jobs"] .side-label')).opacity`);
    expect(await opacity()).toBe('0');
    await jobs.hover();
    await expect.poll(opacity).toBe('1');
    const [icon, label] = await Promise.all([jobs.boundingBox(), jobs.locator('.side-label').boundingBox()]);
    expect(
      Math.abs((icon?.y ?? 0) + (icon?.height ?? 0) / 2 - (label?.y ?? 0) - (label?.height ?? 0) / 2),
    ).toBeLessThan(4);
    expect(icon?.width).toBeGreaterThanOrEqual(24);
    await lookAt(page, 'sidebar-icons', ['wide']);
    await page.getByRole('link', { name: 'Playground' }).focus();
    await page.keyboard.press('Tab');
    await expect.poll(opacity).toBe('1');
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await expect.poll(main).toBeGreaterThan(200);
    await page.setViewportSize(SIZES.laptop);
    await expect.poll(main).toBeLessThan(80);
    expect(await page.getByRole('button', { name: /sidebar$/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Escape');
    await lookAt(page, 'sidebar', ['laptop']);
    expect(problems).toEqual([]);
  });
});
