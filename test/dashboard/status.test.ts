import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const folder of [
    'holidays/2026',
    'products',
    'a folder with a rather long name, as there are some in every library',
  ])
    await service.upload({ 'face.jpg': fixture('portrait-face.jpg') }, { folder });
  await service.authorized('/t/w_40/products/face.jpg');
});
afterEach(() => window?.close());
afterAll(() => service.close());

const chartIn = (page: Window['page']) => page.getByRole('figure', { name: 'Cache hit rate' });

/** Opens the status page with an hour of recorded history. */
async function openHistory(page: Window['page']): Promise<void> {
  const samples = Array.from({ length: 60 }, (_, minute) => ({
    at: new Date(Date.now() - (60 - minute) * 60_000).toISOString(),
    requests: 900 + 40 * (minute % 7),
    hits: 80,
    misses: minute === 3 ? 0 : 20,
    bytesSent: 3_000_000 + 90_000 * minute,
    renders: 20,
    renderP95Ms: minute < 20 ? null : 120 + minute,
    queued: 0,
    rss: 300_000_000,
    jobs: minute % 5,
  }));
  await page.route('**/stats/history?*', (route) => route.fulfill({ json: { stepSeconds: 60, samples } }));
  await page.goto(`${service.url}/dashboard/status`);
  await page.getByText('Healthy', { exact: true }).waitFor();
  await chartIn(page).waitFor();
}

describeInBrowser('the status page', () => {
  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'status', async (page) => {
      await page.goto(`${service.url}/dashboard/status`);
      await page.getByText('Healthy', { exact: true }).waitFor();
      await page.getByRole('rowheader', { name: 'Images' }).waitFor();
      await page.getByRole('rowheader', { name: 'holidays' }).waitFor();
    });
  });

  test('shows what is stored, of which kind and where', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('region', { name: 'Originals' }).getByText('3 files').waitFor();
    await page.getByRole('region', { name: 'Cache' }).getByText('1 variant').waitFor();
    await page.getByRole('row', { name: /^Images 3 / }).waitFor();
    await page.getByRole('row', { name: /^products 1 / }).waitFor();
    expect(problems).toEqual([]);
  });

  test('draws what the machine did, in both themes and at both widths', async () => {
    await lookAtAll(service, 'history', async (page) => {
      await openHistory(page);
      await chartIn(page).scrollIntoViewIfNeeded();
      await page.getByText('Table', { exact: true }).first().click();
    });
  });

  test('has a table behind each chart, and looks back as far as one likes', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await openHistory(page);
    await chartIn(page).getByRole('img', { name: 'Cache hit rate: 80 % now, maximum 100 %' }).waitFor();
    await chartIn(page).getByText('Table', { exact: true }).click();
    expect(await chartIn(page).getByRole('row').count()).toBe(61);
    const asked = page.waitForRequest('**/stats/history?minutes=1440');
    await page.getByLabel('Time span').selectOption('24 hours');
    await asked;
    expect(problems).toEqual([]);
  });

  test('clears the cache when it was asked twice', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Clear cache' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Clear the cache?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await service.cachedFiles()).toHaveLength(1);
    await page.getByRole('button', { name: 'Clear cache' }).click();
    await dialog.getByRole('button', { name: 'Clear cache' }).click();
    await page.getByText('Cache cleared.').waitFor();
    expect(await service.cachedFiles()).toEqual([]);
  });

  test('says when the browser is offline, and that something could not be read', async () => {
    window = await openWindow({ service });
    const { page, context } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByText('Healthy', { exact: true }).waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline.', { exact: false }).waitFor({ state: 'detached' });
  });

  test('keeps the theme that somebody chooses', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Theme: Dark' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  });

  test('is a page that is not there for an address that is not', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/nowhere`);
    await page.getByText('Page not found').waitFor();
    await page.getByRole('link', { name: 'Go to library' }).click();
    await page.getByRole('heading', { name: 'Library', level: 1 }).waitFor();
  });
});
