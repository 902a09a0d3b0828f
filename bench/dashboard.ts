import { measureFirstRow } from './dashboard/first-row.ts';
import { type LargeLibrary, startLargeLibrary } from './dashboard/library.ts';
import { startChromium } from './dashboard/page.ts';
import { measureScrolling } from './dashboard/scrolling.ts';
import { measureUploads } from './dashboard/uploads.ts';
import type { Benchmark } from './tools/benchmark.ts';
import { whole } from './tools/report.ts';

/** Measures this checkout, and with `--against=FOLDER` another one in alternation with it. */
export const dashboard: Benchmark = {
  name: 'dashboard',
  about: 'the dashboard with a folder of 100,000 files',
  async run({ quick, against }) {
    const count = quick ? 5000 : 100_000;
    const browser = await startChromium();
    const libraries: LargeLibrary[] = [];
    try {
      libraries.push(await startLargeLibrary(count));
      if (against) libraries.push(await startLargeLibrary(count, against));
      const parts = [
        await measureFirstRow(browser, libraries, quick),
        await measureScrolling(browser, libraries, quick),
        await measureUploads(browser, libraries, quick),
      ];
      return [
        `The dashboard in Chromium ${browser.version()}, 1440 by 900, with a folder of ${whole(count)} images on the disk. The`,
        'service and the browser share the host.',
        ...parts.map((lines) => ['', ...lines].join('\n')),
      ].join('\n');
    } finally {
      await browser.close();
      for (const library of libraries) await library.stop();
    }
  },
};
