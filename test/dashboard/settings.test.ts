import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, TEST_KEY, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { gradient, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, CACHE_MAX_SIZE_MB: '1234' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

describeInBrowser('the page of the settings', () => {
  test('shows what is set, what is not, and no secret', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/settings`);
    await page.getByRole('row', { name: /^CACHE_MAX_SIZE_MB .* 1234 10240$/ }).waitFor();
    await page.getByRole('row', { name: /^API_KEY .* Set \(hidden\)/ }).waitFor();
    const text = await page.content();
    for (const secret of [TEST_KEY, ADMIN.ADMIN_PASSWORD]) expect(text).not.toContain(secret);
  });

  test('finds a setting', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/settings`);
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('cache_max');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('checkbox', { name: 'Set values only' }).check();
    await expect.poll(() => page.getByRole('rowheader', { name: 'CACHE_MEMORY_MB' }).count()).toBe(0);
    await page.getByRole('rowheader', { name: 'CACHE_MAX_SIZE_MB' }).waitFor();
  });

  test('says what each does, by section, and links to its documentation', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/settings`);
    const limits = page.getByRole('region', { name: 'Settings: Limits' });
    await limits.getByText('Requests to public endpoints per window and client address.').waitFor();
    const link = page.getByRole('link', { name: 'Documentation of TRUSTED_PROXIES' });
    expect(await link.getAttribute('href')).toBe('/api/docs/guide/behind-a-proxy#forwarded-headers');
    await page.getByRole('searchbox').fill('watermark nothing');
    await page.getByText('No matching settings').waitFor();
    await page.getByRole('searchbox').fill('Client Address');
    await expect.poll(() => page.getByRole('rowheader', { name: 'PUBLIC_RATE_LIMIT_MAX' }).count()).toBe(1);
    expect(await page.getByRole('rowheader', { name: 'PORT', exact: true }).count()).toBe(0);
  });

  test('chooses the theme and the density of the library', async () => {
    await service.upload({ 'one.jpg': await gradient(1) });
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files`);
    const tileWidth = async () => (await tile(page, 'one.jpg').boundingBox())?.width ?? 0;
    await expect.poll(tileWidth).toBeGreaterThan(150);
    await page.goto(`${service.url}/dashboard/settings`);
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'Dark' }).check();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.getByRole('group', { name: 'Density of the library' }).getByRole('radio', { name: 'Compact' }).check();
    await page.goto(`${service.url}/dashboard/files`);
    await expect.poll(tileWidth).toBeLessThan(150);
    await page.goto(`${service.url}/dashboard/settings`);
    expect(await page.getByRole('radio', { name: 'Compact' }).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'settings', async (page) => {
      await page.goto(`${service.url}/dashboard/settings`);
      await page.getByRole('rowheader', { name: 'PORT', exact: true }).waitFor();
    });
  });
});
