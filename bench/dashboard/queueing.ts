import type { Browser } from 'playwright-core';
import { table, verdict, whole } from '../tools/report.ts';
import { openPage, watchTasks } from './browser.ts';
import { type LargeLibrary, picture } from './library.ts';

/** Chooses many small pictures at once and waits until all have arrived. */
export async function measureQueueing(browser: Browser, library: LargeLibrary, quick: boolean): Promise<string[]> {
  const count = quick ? 200 : 10_000;
  const { page, close } = await openPage(browser, library);
  await page.goto(`${library.url}/dashboard/files/uploaded`);
  await page.locator('input[type=file]').first().waitFor({ state: 'attached' });
  const bytes = [...(await picture(7))];
  await page.evaluate(`{
    globalThis.chosen = new DataTransfer();
    for (let n = 0; n < ${count}; n++)
      globalThis.chosen.items.add(new File([new Uint8Array(${JSON.stringify(bytes)}), String(n)], 'upload ' + n + '.png', { type: 'image/png' }));
  }`);
  const tasks = await watchTasks(page);
  const begun = performance.now();
  await page.evaluate(`setTimeout(() => {
    const field = document.querySelector('input[type=file]');
    field.files = globalThis.chosen.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  })`);
  await page
    .getByRole('heading', { name: `Uploaded ${count.toLocaleString('en')} files` })
    .waitFor({ timeout: 600_000 });
  const seconds = (performance.now() - begun) / 1000;
  const longest = await tasks.longest();
  await close();
  return [
    '### Uploads',
    '',
    `${whole(count)} pictures of a few hundred bytes, chosen at once in the page of the folder that they go to.`,
    '',
    table(
      ['', ''],
      [
        ['longest task, ms', longest === 0 ? 'below 50' : longest.toFixed(0)],
        ['until all have arrived, s', seconds.toFixed(1)],
      ],
    ),
    '',
    verdict(`longest task with ${whole(count)} queued uploads`, longest, 'at most', 100, ' ms'),
  ];
}
