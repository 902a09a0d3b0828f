import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (let request = 0; request < 3; request++) await ask(service.url, '/t/missing.jpg');
  await ask(service.url, '/storage');
});
afterEach(() => window?.close());
afterAll(() => service.close());

const HOUR_MS = 3_600_000;

/** Answers with the hours of a month. */
async function mockMonth(page: Window['page']): Promise<void> {
  const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const samples = Array.from({ length: 720 }, (_, hour) => ({
    at: new Date(now - (719 - hour) * HOUR_MS).toISOString(),
    requests: 4000 + 900 * Math.round(Math.sin(hour / 4) * 3),
    hits: 90,
    misses: 10,
    bytesSent: 3e8,
    renders: 40,
    renderP50Ms: hour % 24 === 3 ? null : 60 + (hour % 24),
    renderP95Ms: hour % 24 === 3 ? null : 240 + 5 * (hour % 24),
  }));
  const refusals = [
    { code: 'rate_limited', status: 429, meaning: 'The client has sent too many requests.', count: 1234 },
    { code: 'wrong_signature', status: 401, meaning: 'The signature does not match this URL.', count: 40 },
    { code: 'file_too_large', status: 400, meaning: 'A file is too large; the message names the setting.', count: 3 },
  ];
  await page.route('**/stats/activity?*', (route) => route.fulfill({ json: { stepSeconds: 3600, samples, refusals } }));
}

describeInBrowser('the figures of the status page', () => {
  test('go back 30 days, with axes and a point that moves by mouse and by keyboard', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await mockMonth(page);
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByLabel('Time span', { exact: true }).selectOption('30 days');
    const chart = page.getByRole('figure', { name: 'Render time' });
    await page.getByText('All nodes, by hour').waitFor();
    await expect.poll(() => chart.getByText('500 ms').count()).toBe(1);
    expect(await chart.getByText('p95', { exact: true }).count()).toBe(2);
    expect(await chart.locator('.chart-x span').count()).toBe(3);
    const slider = chart.getByRole('slider', { name: 'Render time: point in time' });
    await slider.focus();
    const value = () => slider.getAttribute('aria-valuetext');
    const last = await value();
    expect(last).toMatch(/: p50 \d+ ms, p95 \d+ ms$/);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(value).not.toBe(last);
    expect(await chart.locator('.chart-tip').textContent()).toBe(await value());
    await page.keyboard.press('Home');
    await expect.poll(() => slider.inputValue()).toBe('0');
    await slider.blur();
    await expect.poll(() => chart.locator('.chart-tip').count()).toBe(0);
    const { x, y, width, height } = (await slider.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(x + width / 2, y + height / 2);
    await expect.poll(() => slider.inputValue()).toMatch(/^(359|360)$/);
    await chart.locator('.chart-tip').waitFor();
    await saveScreenshot(page, 'status-tip');
    await page.mouse.move(x, y - 200);
    await expect.poll(() => chart.locator('.chart-tip').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('request the month once for charts and refusals', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await mockMonth(page);
    const requested: string[] = [];
    page.on('request', (request) => {
      const days = /\/stats\/activity\?days=(\d+)/.exec(request.url())?.[1];
      if (days) requested.push(days);
    });
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByLabel('Time span', { exact: true }).selectOption('30 days');
    await page.getByText('All nodes, by hour').waitFor();
    const card = page.getByRole('region', { name: 'Refused requests' });
    await card.getByRole('combobox').selectOption('30 days');
    await card.getByRole('row', { name: /rate_limited/ }).waitFor();
    await expect.poll(() => card.getByRole('combobox').inputValue()).toBe('30');
    expect(requested).toEqual(['1', '30']);
  });

  test('say what was refused, and why', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    const card = page.getByRole('region', { name: 'Refused requests' });
    await card.getByRole('row', { name: /The file does not exist.* 404 file_not_found 3$/ }).waitFor();
    await card.getByRole('row', { name: /401 unauthorized \d+$/ }).waitFor();
    const link = card.getByRole('link', { name: 'Documentation of Refused requests' });
    expect(await link.getAttribute('href')).toBe('/api/docs/guide/errors');
  });

  test('look well in both themes and at both widths', async () => {
    await lookAtAll(service, 'status-month', async (page) => {
      await mockMonth(page);
      await page.goto(`${service.url}/dashboard/status`);
      await page.getByLabel('Time span', { exact: true }).selectOption('30 days');
      await page.getByText('All nodes, by hour').waitFor();
      await page.getByRole('rowheader', { name: /too many requests/ }).waitFor();
      await page.getByRole('figure', { name: 'Render time' }).scrollIntoViewIfNeeded();
    });
  });
});
