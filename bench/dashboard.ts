import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBrowser } from './dashboard/browser.ts';
import { measureFirstRow } from './dashboard/first-row.ts';
import { startLargeLibrary } from './dashboard/library.ts';
import { measureListing } from './dashboard/listing.ts';
import { measureQueueing } from './dashboard/queueing.ts';
import { measureScrolling } from './dashboard/scrolling.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { whole } from './tools/report.ts';

export const dashboard: Benchmark = {
  name: 'dashboard',
  async run({ quick }) {
    const count = quick ? 5000 : 100_000;
    const data = await mkdtemp(join(tmpdir(), 'dashboard-bench-'));
    const library = await startLargeLibrary(data, count);
    const browser = await startBrowser();
    try {
      const parts = [
        await measureListing(library, count, quick),
        await measureFirstRow(browser, library, quick),
        await measureScrolling(browser, library, quick),
        await measureQueueing(browser, library, quick),
      ];
      return [
        `The dashboard in Chromium ${browser.version()}, 1440 by 900, with a folder of ${whole(count)} pictures on the disk. The service and the`,
        'browser share the machine.',
        ...parts.map((lines) => ['', ...lines].join('\n')),
      ].join('\n');
    } finally {
      await browser.close();
      await library.stop();
      await rm(data, { recursive: true, force: true });
    }
  },
};
