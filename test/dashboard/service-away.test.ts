import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import {
  ADMIN,
  describeInBrowser,
  faultsOf,
  hold,
  lookAt,
  openWindow,
  SIZES,
  saveScreenshot,
  type Window,
} from './browser.ts';
import { choose, photo, tile } from './library.ts';

const data = await temporaryFolder();
const settings = { ...ADMIN, ...FROM_ANYWHERE, DATA_DIR: data.folder };
let service: TestService;
let window: Window | undefined;
let isUp = false;

beforeEach(async () => {
  service = await startService(settings);
  isUp = true;
  await service.upload({ 'one.jpg': fixture('portrait-face.jpg') });
});
afterEach(async () => {
  await window?.close();
  await stop();
});
afterAll(data.close);

async function stop(): Promise<void> {
  if (isUp) await service.close();
  isUp = false;
}

/** Starts the service again at the same address, with the same data. */
async function start(): Promise<void> {
  service = await startService({ ...settings, PORT: new URL(service.url).port });
  isUp = true;
}

/** Opens the library in a document whose mark a reload would delete. @param savesData nothing is loaded ahead */
async function open(savesData: boolean, { hasClock = false } = {}): Promise<Window> {
  window = await openWindow({ service });
  const { page } = window;
  if (hasClock) await page.clock.install();
  await page.addInitScript(
    `Object.defineProperty(navigator, 'connection', { value: { saveData: ${savesData}, effectiveType: '4g' } })`,
  );
  await page.goto(`${service.url}/dashboard/files`);
  await tile(page, 'one.jpg').waitFor();
  await page.evaluate('document.mark = true');
  return window;
}

const isSameDocument = (page: Page) => page.evaluate('document.mark === true');
const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'Reconnecting …' });

/** Presses "Try now" until the page is connected, which it may be by itself before. */
async function reconnect(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Try now' });
  const isAway = async () => {
    await button.click({ timeout: 500 }).catch(() => undefined);
    return banner(page).isVisible();
  };
  await expect.poll(isAway).toBe(false);
}

describeInBrowser('while the service is away', () => {
  test('a page that was not loaded yet fails within the layout, and appears when the service is back', async () => {
    const { page } = await open(true);
    await stop();
    await page.getByRole('link', { name: 'Status' }).click();
    await banner(page)
      .getByText(/Next try in \d+ s|Trying …/)
      .waitFor();
    const content = page.getByRole('main');
    await content.getByRole('heading', { name: 'Failed to load this page' }).waitFor();
    await content.getByRole('alert').waitFor();
    await page.getByRole('link', { name: 'Playground' }).waitFor();
    await lookAt(page, 'away');
    await page.setViewportSize(SIZES.wide);
    await content.getByRole('button', { name: 'Try again' }).click();
    await content.getByRole('heading', { name: 'Failed to load this page' }).waitFor();
    await start();
    await reconnect(page);
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    await page.getByText('Healthy', { exact: true }).waitFor();
    await expect.poll(() => banner(page).count()).toBe(0);
    expect(await isSameDocument(page)).toBe(true);
  });

  test('"Try now" asks the service before the next try is due', async () => {
    const { page } = await open(true, { hasClock: true });
    await stop();
    await page.getByRole('link', { name: 'Status' }).click();
    const secondsToNextTry = async () => {
      const text = await banner(page).getByRole('timer').textContent();
      return Number(/^Next try in (\d+) s$/.exec(text ?? '')?.[1] ?? 0);
    };
    // Each failed try doubles the delay.
    const isFarAway = async () => {
      const seconds = await secondsToNextTry();
      if (seconds <= 20) await page.clock.runFor(seconds * 1000);
      return seconds > 20;
    };
    await expect.poll(isFarAway).toBe(true);
    // No try comes by itself.
    await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 1000);
    await start();
    expect(await secondsToNextTry()).toBeGreaterThan(15);
    await banner(page).getByRole('button', { name: 'Try now' }).click();
    await expect.poll(() => banner(page).count()).toBe(0);
    await page.clock.resume();
    await page.getByText('Healthy', { exact: true }).waitFor();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('a dialog that was not loaded yet says so, and opens when it is tried again', async () => {
    const { page } = await open(true);
    await stop();
    await page.getByRole('button', { name: 'New folder' }).click();
    const failure = page.getByRole('alert').filter({ hasText: 'could not be loaded' });
    await failure.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await start();
    await failure.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('pages that were loaded ahead open, the status is grey, and what was shown stays', async () => {
    const { page } = await open(false);
    await page.waitForResponse(/assets\/settings-page-.*\.js/);
    const loaded = () =>
      page.evaluate(
        "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /-page-/.test(name)).length",
      );
    await expect.poll(loaded).toBeGreaterThan(15);
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByText('Healthy', { exact: true }).waitFor();
    await stop();
    await page.getByRole('heading', { name: 'Unreachable' }).waitFor();
    await banner(page).waitFor();
    expect(await page.getByText('Healthy', { exact: true }).count()).toBe(0);
    await saveScreenshot(page, 'away-status');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await tile(page, 'one.jpg').waitFor();
    await start();
    await service.upload({ 'two.jpg': fixture('no-face.jpg') });
    await reconnect(page);
    await tile(page, 'two.jpg').waitFor();
    expect(await isSameDocument(page)).toBe(true);
  });

  test('uploads wait, and go on when it is back', async () => {
    const { page } = await open(false);
    await choose(page, photo('before.jpg'));
    await tile(page, 'before.jpg').waitFor();
    const release = await hold(page, '**/upload');
    await choose(page, photo('after.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await stop();
    release();
    await banner(page).waitFor();
    await start();
    await reconnect(page);
    await tile(page, 'after.jpg').waitFor();
    expect(await isSameDocument(page)).toBe(true);
  });
});
