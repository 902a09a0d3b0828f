import type { Browser } from 'playwright-core';
import { table, verdict, whole } from '../tools/report.ts';
import { type LargeLibrary, smallImage } from './library.ts';
import { openPage, watchTasks } from './page.ts';

const TIMEOUT_MS = 600_000;

/** Measures the page while many small images are uploaded at once. */
export async function measureUploads(
  browser: Browser,
  libraries: readonly LargeLibrary[],
  quick: boolean,
): Promise<string[]> {
  const count = quick ? 200 : 10_000;
  const results: { longestTaskMs: number; seconds: number }[] = [];
  for (const library of libraries) results.push(await upload(browser, library, count));
  return [
    '### Uploads',
    '',
    `${whole(count)} images of a few hundred bytes, selected together on the page of their folder.`,
    '',
    table(
      ['', ...libraries.map(({ label }) => label)],
      [
        ['longest task, ms', ...results.map(({ longestTaskMs }) => (longestTaskMs || 'below 50').toString())],
        ['until all are uploaded, s', ...results.map(({ seconds }) => seconds.toFixed(1))],
      ],
    ),
    '',
    verdict(`longest task with ${whole(count)} uploads`, results[0]?.longestTaskMs ?? 0, 'at most', 100, ' ms'),
  ];
}

async function upload(browser: Browser, library: LargeLibrary, count: number) {
  const { page, close } = await openPage(browser, library);
  await page.goto(`${library.url}/dashboard/files/uploaded`);
  await page.locator('input[type=file]').first().waitFor({ state: 'attached' });
  const bytes = [...(await smallImage(7))];
  await page.evaluate(`{
    globalThis.selected = new DataTransfer();
    for (let n = 0; n < ${count}; n++)
      selected.items.add(new File([new Uint8Array(${JSON.stringify(bytes)}), String(n)], 'upload ' + n + '.png', { type: 'image/png' }));
  }`);
  const longestTask = await watchTasks(page);
  const start = performance.now();
  await page.evaluate(`setTimeout(() => {
    const field = document.querySelector('input[type=file]');
    field.files = selected.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  })`);
  await page.getByRole('heading', { name: `Uploaded ${whole(count)} files` }).waitFor({ timeout: TIMEOUT_MS });
  const seconds = (performance.now() - start) / 1000;
  const longestTaskMs = Math.round(await longestTask());
  await close();
  return { longestTaskMs, seconds };
}
