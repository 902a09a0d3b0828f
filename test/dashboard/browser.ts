import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { describe, expect, inject } from 'vitest';
import type { TestService } from '../service.ts';
import { signIn } from '../session.ts';

/** The account of the service, which has to run with `ADMIN` and `FROM_ANYWHERE`. */
export const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'correct horse battery', ADMIN_NAME: 'Ada' };

export const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;
export const THEMES = ['light', 'dark'] as const;

/** How long something on a page may take to come: for a test that fails, not for one that passes. */
const ACT_MS = 60_000;

const browserForTests = inject('browser');
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Tests that need Chromium. */
export const describeInBrowser = describe.skipIf('missing' in browserForTests);

export interface Window {
  page: Page;
  context: BrowserContext;
  /** What the browser complains of: errors, in the console too, and what the policy of the page has refused. */
  complaints: string[];
  close(): Promise<void>;
}

interface Look {
  size?: keyof typeof SIZES;
  theme?: (typeof THEMES)[number];
  /** Signed in as the admin. */
  service?: TestService;
}

let browser: Promise<Browser> | undefined;

/** Opens a window of its own, with cookies and storage of its own. */
export async function openWindow({ size = 'wide', theme = 'light', service }: Look = {}): Promise<Window> {
  if ('missing' in browserForTests) throw new Error(browserForTests.missing);
  browser ??= chromium.connect(browserForTests.address);
  const context = await (await browser).newContext({
    viewport: SIZES[size],
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
  });
  if (service) await addSession(context, service);
  context.setDefaultTimeout(ACT_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${message.location().url})`);
  });
  return { page, context, complaints, close: () => context.close() };
}

async function addSession(context: BrowserContext, service: TestService): Promise<void> {
  const cookie = await signIn(service, ADMIN);
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name, value, url: service.url }]);
}

/** Colours that are on their way from one theme to the other have no contrast of their own. */
const SETTLED = `new Promise((settle) => {
  const runs = ({ playState, effect }) => playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime);
  const look = () => (document.getAnimations().some(runs) ? requestAnimationFrame(look) : settle());
  requestAnimationFrame(look);
})`;

/** All else that axe can tell, of what is right and where it is, takes longer than to look. No rule of these needs the style sheets. */
const VIOLATIONS = { resultTypes: ['violations'], selectors: false, preload: false };

/** What is wrong with the page by WCAG 2.2 A and AA, as axe sees it; and whether it scrolls sideways. */
export async function faultsOf(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      ...{ expression, awaitPromise: true, returnByValue: true },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  await evaluate(SETTLED);
  if (!(await evaluate("'axe' in window"))) await evaluate(await readFile(axeFile, 'utf8'));
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = (await evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, ...${JSON.stringify(VIOLATIONS)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`,
  )) as string[];
  const overhang = await evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  return [...found, ...(overhang === 0 ? [] : [`scrolls sideways by ${overhang} pixels`])];
}

/** Keeps a picture of the page where `SCREENSHOTS` names a folder. They are looked at, not compared. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Looks at a page in both sizes, and in both themes, as when the system changes from one to the other. @param show goes to it and waits until it is whole */
export async function lookAtAll(
  service: TestService | undefined,
  name: string,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  for (const size of ['wide', 'narrow'] as const) {
    const { page, complaints, close } = await openWindow({ size, ...(service && { service }) });
    await show(page);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await keepPicture(page, `${name}-${size}-${theme}`);
      // A theme comes frame by frame.
      await expect.poll(async () => [size, theme, ...(await faultsOf(page))]).toEqual([size, theme]);
    }
    expect(complaints).toEqual([]);
    await close();
  }
}
