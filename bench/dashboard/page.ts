import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { LargeLibrary } from './library.ts';

const FIND_CHROMIUM = fileURLToPath(new URL('../../test/dashboard/find-chromium.sh', import.meta.url));
/** CPU and network of a phone. */
const CPU_RATE = 4;
const LATENCY_MS = 40;
const BYTES_PER_SECOND = 10e6 / 8;
const TIMEOUT_MS = 120_000;

/** Starts Debian's Chromium. It refuses a sandbox as root; the pages are our own. */
export async function startChromium(): Promise<Browser> {
  const executablePath = execFileSync('bash', [FIND_CHROMIUM], { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info'] });
}

export interface SignedInPage {
  page: Page;
  session: CDPSession;
  close(): Promise<void>;
}

/** Opens a window with an empty cache and a session of the admin. */
export async function openPage(browser: Browser, library: LargeLibrary): Promise<SignedInPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  context.setDefaultTimeout(TIMEOUT_MS);
  await context.addCookies([{ ...library.cookie, url: library.url }]);
  const page = await context.newPage();
  return { page, session: await context.newCDPSession(page), close: () => context.close() };
}

/** Slows the page down to a phone with 10 Mbit/s. */
export async function slowDown(session: CDPSession): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_RATE });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
}

/** Records the longest task of the page from now on. @returns a function that returns it, in ms; 0 if below 50 */
export async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`{
    globalThis.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration);
    }).observe({ type: 'longtask' });
  }`);
  return () => page.evaluate('globalThis.longestTask');
}
