import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { focused, nodesOf, open } from './library.ts';

/** A list of 104,000,000 pixels; browsers draw no box above 17,900,000. */
const COUNT = 2_000_000;
const MAX_NODES = 1500;
/** Limit of a box, in pixels. */
const MAX_HEIGHT = 8_000_000;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const nameOf = (index: number) => `${String(index).padStart(7, '0')}.txt`;

/** Answers listings for the service, which has no such folder. */
async function list(route: Route): Promise<void> {
  const query = new URL(route.request().url()).searchParams;
  const offset = Number(query.get('offset'));
  const limit = Number(query.get('limit'));
  const files = Array.from({ length: Math.min(limit, COUNT - offset) }, (_, at) => ({
    name: nameOf(offset + at),
    path: nameOf(offset + at),
    size: 1,
    mtime: '2026-01-01T00:00:00Z',
    type: 'document',
    width: null,
    height: null,
    duration: null,
    placeholder: null,
    problem: null,
    tags: [],
    alt: null,
  }));
  await route.fulfill({ json: { path: '', folders: [], files, nextCursor: null, total: COUNT, version: null } });
}

async function begin(view: string): Promise<Page> {
  window = await openWindow({ service });
  const { page } = window;
  await page.route(/\/storage\?/, list);
  await open(page, service, `files?view=${view}`);
  await page.getByText('2,000,000 items').waitFor();
  return page;
}

const inView = (page: Page, index: number) =>
  page.evaluate(`(() => {
    const item = document.querySelector('[data-index="${index}"]');
    if (!item) return false;
    const box = item.getBoundingClientRect();
    const frame = document.querySelector('.files-scroll').getBoundingClientRect();
    return box.top >= frame.top && box.bottom <= frame.bottom + 20;
  })()`) as Promise<boolean>;
const scrollTo = (page: Page, share: number) =>
  page.evaluate(`(() => {
    const frame = document.querySelector('.files-scroll');
    frame.scrollTop = (frame.scrollHeight - frame.clientHeight) * ${share};
  })()`);

describeInBrowser('a folder of two million files', () => {
  test.each(['grid', 'list'])('is gone through from end to end as a %s', async (view) => {
    const page = await begin(view);
    expect(await page.evaluate('document.querySelector(".files-scroll").scrollHeight')).toBeLessThanOrEqual(
      MAX_HEIGHT + 100,
    );
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page).textContent()).toContain(nameOf(COUNT - 1));
    expect(await inView(page, COUNT - 1)).toBe(true);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Home');
    await expect.poll(() => focused(page).textContent()).toContain(nameOf(0));
    expect(await inView(page, 0)).toBe(true);
    expect(await nodesOf(page)).toBeLessThan(MAX_NODES);
  });

  test('is gone through by the scroll bar to the middle and to the end, and on by the wheel row by row', async () => {
    const page = await begin('list');
    await scrollTo(page, 0.5);
    await expect.poll(() => inView(page, COUNT / 2)).toBe(true);
    await page.getByText(nameOf(COUNT / 2)).waitFor();
    const before = await page.locator(`[data-index="${COUNT / 2}"]`).boundingBox();
    await page.mouse.move(900, 500);
    await page.mouse.wheel(0, 104);
    await expect
      .poll(async () => (await page.locator(`[data-index="${COUNT / 2}"]`).boundingBox())?.y)
      .toBe((before?.y ?? 0) - 104);
    await scrollTo(page, 1);
    await expect.poll(() => inView(page, COUNT - 1)).toBe(true);
    await scrollTo(page, 0);
    await expect.poll(() => inView(page, 0)).toBe(true);
    expect(await nodesOf(page)).toBeLessThan(MAX_NODES);
  });

  test('is selected from its first file to its last one as a rule', async () => {
    const page = await begin('list');
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('Space');
    await page.getByText('1 selected').first().waitFor();
    await page.keyboard.press('Shift+End');
    await page.getByText('2,000,000 selected').first().waitFor();
    const last = page.locator(`[data-index="${COUNT - 1}"]`);
    // An item that has not arrived cannot be clicked.
    await last
      .getByText(nameOf(COUNT - 1))
      .first()
      .waitFor();
    await last.click({ modifiers: ['Control'] });
    await page.getByText('1,999,999 selected').first().waitFor();
  });
});
