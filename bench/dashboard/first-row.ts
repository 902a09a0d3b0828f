import type { Browser } from 'playwright-core';
import { alternate, median, ratios, spread, table, verdict } from '../tools/report.ts';
import { openPage, slowDown } from './browser.ts';
import { type LargeLibrary, MANY } from './library.ts';

/** When the name of the first file had been painted, in ms since the navigation began. */
const ROW_SEEN = `globalThis.rowSeen = new Promise((seen) => {
  // What is posted before a frame is drawn arrives after it.
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = () => seen(performance.now());
  const look = () => {
    if (document.querySelector('[data-index="0"]')?.textContent) port1.postMessage('');
    else requestAnimationFrame(look);
  };
  look();
});`;
const LOADED = `new Promise((loaded) => {
  const look = () => {
    const end = performance.getEntriesByType('navigation')[0].loadEventEnd;
    if (end > 0) loaded(end); else setTimeout(look, 10);
  };
  look();
})`;

/** Chromium keeps a script compiled from its third visit on. */
const VISITS_BETWEEN = 2;

interface Times {
  cold: number;
  warm: number;
}

/** The first row of a large folder beside the load of the API reference, both on a slow machine and line. */
export async function measureFirstRow(browser: Browser, library: LargeLibrary, quick: boolean): Promise<string[]> {
  const row = () => visit(browser, library, `/dashboard/files/${MANY}`, 'globalThis.rowSeen');
  const reference = () => visit(browser, library, '/api/docs', LOADED);
  await alternate({ row, reference }, 1);
  const times = await alternate({ row, reference }, quick ? 1 : 9);
  const of = (name: 'row' | 'reference', which: keyof Times) => times[name].map((one) => one[which]);
  const [cold, warm] = (['cold', 'warm'] as const).map((which) => ratios(of('row', which), of('reference', which)));
  const line = (name: string, which: keyof Times, shares: readonly number[] = []) => [
    name,
    spread(of('row', which), 0),
    spread(of('reference', which), 0),
    spread(shares),
  ];
  return [
    '### First row',
    '',
    'From the navigation until the name of the first file can be seen, and until `/api/docs` has loaded: the processor four times',
    `slower, 10 Mbit/s, 40 ms. Cold is a new browser profile, warm its fourth visit. Medians of ${times.row.length}, in ms.`,
    '',
    table(['visit', 'first row', 'API reference', 'ratio'], [line('cold', 'cold', cold), line('warm', 'warm', warm)]),
    '',
    verdict('cold first row, by the load of `/api/docs`', median(cold ?? []), 'at most', 4),
    verdict('warm first row, by the load of `/api/docs`', median(warm ?? []), 'at most', 2),
  ];
}

async function visit(browser: Browser, library: LargeLibrary, path: string, time: string): Promise<Times> {
  const { page, session, close } = await openPage(browser, library);
  await slowDown(session);
  await page.addInitScript(ROW_SEEN);
  const once = async () => {
    await page.goto(library.url + path);
    const ms: number = await page.evaluate(time);
    await page.waitForLoadState('networkidle');
    return ms;
  };
  const cold = await once();
  for (let visit = 0; visit < VISITS_BETWEEN; visit++) await once();
  const warm = await once();
  await close();
  return { cold, warm };
}
