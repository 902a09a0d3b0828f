import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, expect, inject } from 'vitest';
import type { TestService } from '../service.ts';
import { signIn } from '../session.ts';

/** Account of a service that runs with `ADMIN` and `FROM_ANYWHERE`. */
export const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery', ADMIN_NAME: 'Ada' };

export const SIZES = {
  wide: { width: 1440, height: 900 },
  laptop: { width: 1024, height: 768 },
  tablet: { width: 768, height: 1024 },
  narrow: { width: 390, height: 844 },
} as const;
export const THEMES = ['light', 'dark'] as const;

type Size = keyof typeof SIZES;
type Theme = (typeof THEMES)[number];

/** Generous timeout for the page: only a failing test waits this long. */
const ACT_MS = 60_000;

const browserForTests = inject('browser');
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Tests that need Chromium. */
export const describeInBrowser = describe.skipIf('missing' in browserForTests);

export interface Window {
  page: Page;
  context: BrowserContext;
  /** Errors, console messages and policy violations that the browser reported. */
  problems: string[];
  close(): Promise<void>;
}

interface WindowOptions {
  size?: Size;
  theme?: Theme;
  /** Signs in as the admin, unless `cookie` is given. */
  service?: TestService;
  /** Cookie of the session of another person at `service`. */
  cookie?: string;
  /** True for a screen that is touched. */
  hasTouch?: boolean;
}

let browser: Promise<Browser> | undefined;

/** Opens a window with its own cookies and storage. */
export async function openWindow(options: WindowOptions = {}): Promise<Window> {
  const { size = 'wide', theme = 'light', service, cookie, hasTouch = false } = options;
  if ('missing' in browserForTests) throw new Error(browserForTests.missing);
  browser ??= chromium.connect(browserForTests.address);
  const context = await (await browser).newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    hasTouch,
  });
  if (service) await addSession(context, service.url, cookie ?? (await signIn(service, ADMIN)));
  context.setDefaultTimeout(ACT_MS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.text()} (${message.location().url})`);
  });
  return { page, context, problems, close: () => context.close() };
}

async function addSession(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name, value, url }]);
}

/** Holds the requests of a page to a URL. @returns lets them go on */
export async function hold(page: Page, url: string | RegExp, method?: string): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (method === undefined || route.request().method() === method) await held.promise;
    // The page may have aborted the request.
    await route.continue().catch(() => undefined);
  });
  return held.resolve;
}

/** Ends transitions, such as those between themes: contrast is only meaningful after them. */
const SETTLED = `new Promise((settle) => {
  const runs = ({ playState, effect }) => playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime);
  const finish = () => {
    const running = document.getAnimations().filter(runs);
    for (const animation of running) animation.finish();
    if (running.length === 0) settle();
    else requestAnimationFrame(finish);
  };
  requestAnimationFrame(finish);
})`;

/** Only violations are read, and none of these rules needs style sheets: the rest makes axe slower. */
const VIOLATIONS = { resultTypes: ['violations'], selectors: false, preload: false };

/** Parts of rows that are wider than their place, and so cover the next part. */
const COVERED = `[...document.querySelectorAll('.rows > li > *')]
  .filter((part) => part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1)
  .filter((part) => getComputedStyle(part).overflowX === 'visible')
  .map(({ className }) => 'is wider than its place: ' + className)`;

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The only ones of these rules that read colours. */
const COLOUR_RULES = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Violations of WCAG 2.2 A and AA that axe reports, horizontal overflow, and rows whose parts overlap.
 * @param rules all of these levels by default
 */
export async function faultsOf(page: Page, rules: object = LEVELS): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await evaluate(SETTLED);
  if (!(await evaluate("'axe' in window"))) await evaluate(await readFile(axeFile, 'utf8'));
  const found = (await evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, ...${JSON.stringify(VIOLATIONS)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`,
  )) as string[];
  const overhang = await evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  const covered = (await evaluate(COVERED)) as string[];
  return [...found, ...covered, ...(overhang === 0 ? [] : [`scrolls sideways by ${overhang} pixels`])];
}

/** Saves a screenshot of the page in the folder named by `SCREENSHOTS`. Screenshots are not compared. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

/**
 * Checks a page in both themes at all sizes.
 * @param show opens the page and waits until it is complete
 */
export async function lookAtAll(
  service: TestService | undefined,
  name: string,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const session = service && { service, cookie: await signIn(service, ADMIN) };
  // Rules for widths follow the window, so that a page is only opened again where it may begin otherwise: on a phone.
  for (const sizes of [['wide', 'laptop', 'tablet'], ['narrow']] as const) {
    const { page, problems, close } = await openWindow({ size: sizes[0], ...session });
    await show(page);
    await lookAt(page, name, sizes);
    expect(problems).toEqual([]);
    await close();
  }
}

/** Checks an open page in themes at sizes, from the first to the last. It stays in the last ones. */
export async function lookAt(
  page: Page,
  name: string,
  sizes: readonly Size[] = ['wide', 'laptop', 'tablet', 'narrow'],
  themes: readonly Theme[] = THEMES,
): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(SIZES[size]);
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      // Another theme has other colours; its markup is checked at one size.
      const rules = theme === themes[0] || size === sizes[0] ? LEVELS : COLOUR_RULES;
      // Theme and width change over several frames.
      await expect.poll(async () => [size, theme, ...(await faultsOf(page, rules))]).toEqual([size, theme]);
      await saveScreenshot(page, `${name}-${size}-${theme}`);
    }
  }
}
