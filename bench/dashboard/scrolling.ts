import type { Browser, CDPSession, Page } from 'playwright-core';
import { quantile, table, verdict, whole } from '../tools/report.ts';
import { FOLDER, type LargeLibrary } from './library.ts';
import { openPage, watchTasks } from './page.ts';

const MEGABYTE = 1e6;
const WHEEL_EVENTS = 200;
const WHEEL_PIXELS = 900;

interface Size {
  megabytes: number;
  elements: number;
}

interface Scrolled {
  before: Size;
  /** Maxima while scrolling. */
  most: Size;
  longestTaskMs: number;
  /** Time from each jump until all names in view are there. */
  jumpMs: number[];
}

/** Measures tasks, heap and elements of the page while a large folder is scrolled. */
export async function measureScrolling(
  browser: Browser,
  libraries: readonly LargeLibrary[],
  quick: boolean,
): Promise<string[]> {
  const jumps = quick ? 5 : 60;
  const results: Scrolled[] = [];
  for (const library of libraries) results.push(await scroll(browser, library, jumps));
  const row = (label: string, value: (one: Scrolled) => string) => [label, ...results.map(value)];
  const [{ most, longestTaskMs }] = results as [Scrolled];
  return [
    '### Scrolling',
    '',
    `${jumps} jumps through the whole folder, each until the names are visible, and ${WHEEL_EVENTS} turns of the wheel; then as many jumps`,
    'back, with the heap measured after garbage collection. Browsers do not report tasks below 50 ms.',
    '',
    table(
      ['', ...libraries.map(({ label }) => label)],
      [
        row('heap before, MB', ({ before }) => before.megabytes.toFixed(1)),
        row('heap while scrolling, MB', (one) => one.most.megabytes.toFixed(1)),
        row('elements before', ({ before }) => whole(before.elements)),
        row('elements while scrolling', (one) => whole(one.most.elements)),
        row('longest task, ms', (one) => (one.longestTaskMs === 0 ? 'below 50' : one.longestTaskMs.toFixed(0))),
        row('jump to its names, ms, median', (one) => quantile(one.jumpMs, 0.5).toFixed(0)),
        row('jump to its names, ms, p95', (one) => quantile(one.jumpMs, 0.95).toFixed(0)),
      ],
    ),
    '',
    verdict('heap while scrolling', most.megabytes, 'at most', 40, ' MB'),
    verdict('elements while scrolling', most.elements, 'at most', 1500),
    verdict('longest task while scrolling', longestTaskMs, 'at most', 100, ' ms'),
  ];
}

async function scroll(browser: Browser, library: LargeLibrary, jumps: number): Promise<Scrolled> {
  const { page, session, close } = await openPage(browser, library);
  await page.goto(`${library.url}/dashboard/files/${FOLDER}`);
  await page.locator('[data-index="0"]').getByText('image 0.png').waitFor();
  await page.waitForLoadState('networkidle');
  const before = await sizeOf(page, session);
  const longestTask = await watchTasks(page);
  const jumpMs: number[] = [];
  for (let jump = 1; jump <= jumps; jump++) jumpMs.push(await jumpTo(page, jump / jumps));
  await page.mouse.move(800, 500);
  for (let event = 0; event < WHEEL_EVENTS; event++) {
    await page.mouse.wheel(0, -WHEEL_PIXELS);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  const longestTaskMs = await longestTask();
  // Garbage collection is a long task itself, so the heap is measured on the way back.
  const sizes = [await sizeOf(page, session)];
  for (let jump = jumps; jump > 0; jump--) {
    await jumpTo(page, jump / jumps);
    sizes.push(await sizeOf(page, session));
  }
  await close();
  const most = {
    megabytes: Math.max(...sizes.map(({ megabytes }) => megabytes)),
    elements: Math.max(...sizes.map(({ elements }) => elements)),
  };
  return { before, most, longestTaskMs, jumpMs };
}

/** Scrolls to a share of the folder. @returns ms until all names in view are there */
function jumpTo(page: Page, share: number): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const frame = document.querySelector('.files-scroll');
    const start = performance.now();
    frame.scrollTop = (frame.scrollHeight - frame.clientHeight) * ${share};
    const look = () => {
      const { top, bottom } = frame.getBoundingClientRect();
      const visible = [...frame.querySelectorAll('[data-index]')].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      const isThere = visible.length > 0 && visible.every((one) => one.textContent.includes('image'));
      if (isThere) resolve(performance.now() - start);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  })`);
}

async function sizeOf(page: Page, session: CDPSession): Promise<Size> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return { megabytes: usedSize / MEGABYTE, elements: await page.evaluate('document.querySelectorAll("*").length') };
}
