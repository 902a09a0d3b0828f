import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { LargeLibrary } from './library.ts';

const FIND_CHROMIUM = fileURLToPath(new URL('../../test/dashboard/find-chromium.sh', import.meta.url));
/** A phone's processor and a fair line. */
const CPU_RATE = 4;
const LATENCY_MS = 40;
const BYTES_PER_SECOND = 10e6 / 8;
const TIMEOUT_MS = 120_000;

export async function startBrowser(): Promise<Browser> {
  const executablePath = execFileSync('bash', [FIND_CHROMIUM], { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-precise-memory-info'] });
}

export interface BenchPage {
  page: Page;
  session: CDPSession;
  close(): Promise<void>;
}

/** A window of its own, with an empty cache; somebody is signed in. */
export async function openPage(browser: Browser, library: LargeLibrary): Promise<BenchPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  context.setDefaultTimeout(TIMEOUT_MS);
  await context.addCookies([{ ...library.session, url: library.url }]);
  const page = await context.newPage();
  return { page, session: await context.newCDPSession(page), close: () => context.close() };
}

/** Makes the page as slow as on a phone. */
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

/** From here on the page keeps how long its longest task took. */
export async function watchTasks(page: Page): Promise<{ longest(): Promise<number> }> {
  await page.evaluate(`{
    globalThis.longestTask = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longestTask = Math.max(globalThis.longestTask, duration);
    }).observe({ type: 'longtask' });
  }`);
  return { longest: () => page.evaluate('globalThis.longestTask') };
}
