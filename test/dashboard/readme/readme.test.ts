import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../service.ts';
import { FROM_ANYWHERE } from '../../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from '../browser.ts';
import { drawLandscapes } from './landscapes.ts';

const IMAGES = join(import.meta.dirname, '../../../docs/images');
const README = join(import.meta.dirname, '../../../README.md');
const WIDTH = 1440;

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  const landscapes = await drawLandscapes();
  const names = Object.keys(landscapes);
  const some = (from: number, to: number) =>
    Object.fromEntries(names.slice(from, to).map((name) => [name, landscapes[name] ?? '']));
  await service.upload(landscapes);
  for (const [at, folder] of ['Campaigns', 'Journal', 'Shop'].entries())
    await service.upload(some(at * 3, at * 3 + 4), { folder });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const settled = (page: Window['page'], selector: string) =>
  expect
    .poll(() =>
      page
        .locator(selector)
        .evaluateAll((pictures) =>
          pictures.every((one) => (one as unknown as { naturalWidth: number }).naturalWidth > 0),
        ),
    )
    .toBe(true);

/** Samples of an hour of traffic. */
function anHour(): object[] {
  return Array.from({ length: 60 }, (_, minute) => {
    const wave = 1 + Math.sin(minute / 9) * 0.35 + Math.sin(minute / 2.3) * 0.08;
    return {
      at: new Date(Date.now() - (60 - minute) * 60_000).toISOString(),
      requests: Math.round(1400 * wave),
      hits: Math.round(1330 * wave),
      misses: Math.round(70 + 30 * Math.sin(minute / 4)),
      bytesSent: Math.round(42e6 * wave),
      renders: 60,
      renderP50Ms: Math.round(70 + 12 * Math.sin(minute / 5)),
      renderP95Ms: Math.round(180 + 40 * Math.sin(minute / 5)),
      queued: 0,
      rss: Math.round(310e6 + 12e6 * Math.sin(minute / 7)),
      jobs: minute % 11 === 0 ? 2 : 0,
    };
  });
}

/** Takes a screenshot for the README. `SCREENSHOTS=docs/images` replaces the committed one. */
async function show(page: Window['page'], name: string): Promise<void> {
  const picture = await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toBuffer();
  if (process.env.SCREENSHOTS !== undefined) await writeFile(join(process.env.SCREENSHOTS, `${name}.webp`), picture);
  // Screenshots differ between hosts: only their presence and size are checked.
  expect((await sharp(join(IMAGES, `${name}.webp`)).metadata()).width).toBe(WIDTH);
  expect(await readFile(README, 'utf8')).toContain(`docs/images/${name}.webp`);
}

describeInBrowser('the images in the README', () => {
  test('show the library with the details of an image', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/files?open=alpine-morning.jpg`);
    await page.getByRole('heading', { name: 'Information' }).waitFor();
    await page.getByText('1500 × 1000', { exact: true }).first().waitFor();
    await settled(page, 'main img:not([hidden])');
    await show(page, 'dashboard-library');
    expect(problems).toEqual([]);
  });

  test('show the playground', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/playground/violet-hour.jpg?t=w_960,ar_16:10,r_32,q_70&as=picture`);
    await page.getByRole('img', { name: 'Result' }).waitFor();
    // The size of the file is known.
    await page.getByText(' 1500w').waitFor();
    await page.waitForLoadState('networkidle');
    await show(page, 'dashboard-playground');
    expect(problems).toEqual([]);
  });

  test('show how the service is', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.route('**/stats/history?*', (route) => route.fulfill({ json: { stepSeconds: 60, samples: anHour() } }));
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByText('Healthy', { exact: true }).waitFor();
    await page.getByRole('figure').first().waitFor();
    await show(page, 'dashboard-status');
    expect(problems).toEqual([]);
  });
});
