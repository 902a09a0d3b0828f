import type { Browser, CDPSession, Page } from 'playwright-core';
import { quantile, table, verdict, whole } from '../tools/report.ts';
import { openPage, watchTasks } from './browser.ts';
import { type LargeLibrary, MANY } from './library.ts';

const MEGABYTE = 1e6;
const TURNS = 200;
const TURN_PIXELS = 900;

interface Size {
  megabytes: number;
  elements: number;
}

/** Scrolls through a large folder, by jumps and by the wheel, and looks at what the page keeps. */
export async function measureScrolling(browser: Browser, library: LargeLibrary, quick: boolean): Promise<string[]> {
  const { page, session, close } = await openPage(browser, library);
  await page.goto(`${library.url}/dashboard/files/${MANY}`);
  await page.locator('[data-index="0"]').getByText('picture 0.png').waitFor();
  await page.waitForLoadState('networkidle');
  const before = await sizeOf(page, session);
  const tasks = await watchTasks(page);
  const count = quick ? 5 : 60;
  const jumps: number[] = [];
  for (let jump = 1; jump <= count; jump++) jumps.push(await jumpTo(page, jump / count));
  await page.mouse.move(800, 500);
  for (let turn = 0; turn < (quick ? 10 : TURNS); turn++) {
    await page.mouse.wheel(0, -TURN_PIXELS);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  const longest = await tasks.longest();
  // A collection is a long task itself: what is kept is looked at on the way back.
  const sizes = [await sizeOf(page, session)];
  for (let jump = count; jump > 0; jump--) {
    await jumpTo(page, jump / count);
    sizes.push(await sizeOf(page, session));
  }
  await close();
  const heap = Math.max(...sizes.map(({ megabytes }) => megabytes));
  const elements = Math.max(...sizes.map(({ elements: each }) => each));
  return [
    '### Scrolling',
    '',
    `${count} jumps through the whole folder, each until the names are there, and ${TURNS} turns of the wheel; then as many jumps back, after`,
    'each of which the heap is looked at when it has been collected. Browsers report no task that is shorter than 50 ms.',
    '',
    table(
      ['', 'before', 'most while scrolling'],
      [
        ['heap, MB', before.megabytes.toFixed(1), heap.toFixed(1)],
        ['elements', whole(before.elements), whole(elements)],
        ['longest task, ms', '', longest === 0 ? 'below 50' : longest.toFixed(0)],
        ['jump to its names, ms, median', '', quantile(jumps, 0.5).toFixed(0)],
        ['jump to its names, ms, 95 of 100', '', quantile(jumps, 0.95).toFixed(0)],
      ],
    ),
    '',
    verdict('heap while scrolling', heap, 'at most', 40, ' MB'),
    verdict('elements while scrolling', elements, 'at most', 1500),
    verdict('longest task while scrolling', longest, 'at most', 100, ' ms'),
  ];
}

/** @returns milliseconds until every name in view is there */
function jumpTo(page: Page, share: number): Promise<number> {
  return page.evaluate(`new Promise((there) => {
    const scroller = document.querySelector('[role=grid]');
    const begun = performance.now();
    scroller.scrollTop = (scroller.scrollHeight - scroller.clientHeight) * ${share};
    const look = () => {
      const { top, bottom } = scroller.getBoundingClientRect();
      const seen = [...scroller.querySelectorAll('[data-index]')].filter((one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > top && box.top < bottom;
      });
      if (seen.length > 0 && seen.every((one) => one.textContent.includes('picture'))) there(performance.now() - begun);
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
