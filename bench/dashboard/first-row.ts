import type { Browser } from 'playwright-core';
import { alternate, median, ratios, spread, table, verdict } from '../tools/report.ts';
import { FOLDER, type LargeLibrary } from './library.ts';
import { openPage, slowDown } from './page.ts';

/** Promise of the time when the name of the first file was painted, in ms since the navigation. */
const FIRST_ROW = `globalThis.firstRow = new Promise((resolve) => {
  // A message that is posted before a frame is painted arrives after it.
  const { port1, port2 } = new MessageChannel();
  port2.onmessage = () => resolve(performance.now());
  const look = () => {
    if (document.querySelector('[data-index="0"]')?.textContent) port1.postMessage('');
    else requestAnimationFrame(look);
  };
  look();
});`;
const LOADED = `new Promise((resolve) => {
  const look = () => {
    const end = performance.getEntriesByType('navigation')[0].loadEventEnd;
    if (end > 0) resolve(end); else setTimeout(look, 10);
  };
  look();
})`;

/** Chromium caches compiled scripts from the third visit on. */
const VISITS_BETWEEN = 2;
/** Gzip bytes of the first load. */
const MAX_KILOBYTES = 200;

interface Visit {
  coldMs: number;
  warmMs: number;
  /** Transferred scripts, style sheets and the page, until the first row. */
  kilobytes: number;
}

/** Measures the first row of a large folder next to the load of the API reference, on a slow host and line. */
export async function measureFirstRow(
  browser: Browser,
  libraries: readonly LargeLibrary[],
  quick: boolean,
): Promise<string[]> {
  const [first] = libraries as [LargeLibrary];
  const contestants = Object.fromEntries([
    ...libraries.map((one) => [one.label, () => visit(browser, one, `/dashboard/files/${FOLDER}`, 'firstRow')]),
    ['`/api/docs`', () => visit(browser, first, '/api/docs', LOADED)],
  ]) as Record<string, () => Promise<Visit>>;
  await alternate(contestants, 1);
  const visits = await alternate(contestants, quick ? 1 : 9);
  const msOf = (label: string, visit: 'coldMs' | 'warmMs') => (visits[label] ?? []).map((one) => one[visit]);
  const ratioOf = (visit: 'coldMs' | 'warmMs') => ratios(msOf(first.label, visit), msOf('`/api/docs`', visit));
  const other = libraries[1]?.label;
  const row = (label: string) => [label, spread(msOf(label, 'coldMs'), 0), spread(msOf(label, 'warmMs'), 0)];
  const kilobytes = Math.max(...(visits[first.label] ?? []).map((one) => one.kilobytes));
  return [
    '### First row',
    '',
    'From the navigation until the name of the first file is visible, and until `/api/docs` has loaded, with the CPU slowed',
    `down four times, 10 Mbit/s and 40 ms latency. Cold is a new browser profile, warm its fourth visit. Medians of ${quick ? 1 : 9}, in ms.`,
    '',
    table(['', 'cold', 'warm'], Object.keys(contestants).map(row)),
    '',
    verdict('cold first row, of the load of `/api/docs`', median(ratioOf('coldMs')), 'at most', 4),
    verdict('warm first row, of the load of `/api/docs`', median(ratioOf('warmMs')), 'at most', 2),
    verdict('first load, as transferred', kilobytes, 'at most', MAX_KILOBYTES, ' KB'),
    ...(other === undefined
      ? []
      : (['coldMs', 'warmMs'] as const).map(
          (visit) =>
            `- ${visit === 'coldMs' ? 'Cold' : 'Warm'} first row, of the other version: ${spread(ratios(msOf(first.label, visit), msOf(other, visit)))}.`,
        )),
  ];
}

async function visit(browser: Browser, library: LargeLibrary, path: string, time: string): Promise<Visit> {
  const { page, session, close } = await openPage(browser, library);
  await slowDown(session);
  await page.addInitScript(FIRST_ROW);
  const once = async () => {
    await page.goto(library.url + path);
    const ms: number = await page.evaluate(time);
    const kilobytes: number = await page.evaluate(TRANSFERRED);
    await page.waitForLoadState('networkidle');
    return { ms, kilobytes };
  };
  const cold = await once();
  for (let visit = 0; visit < VISITS_BETWEEN; visit++) await once();
  const warm = await once();
  await close();
  return { coldMs: cold.ms, warmMs: warm.ms, kilobytes: cold.kilobytes };
}

/** KB of the page, its scripts and its style sheets, as transferred. */
const TRANSFERRED = `performance.getEntriesByType('navigation').concat(
  performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)(\\?|$)/.test(name)),
).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000`;
