import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  const quota = { bytes: 1_073_741_824, transferPerMonth: 100_000 };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'acme', name: 'Acme', quota });
  await service.authorized('/spaces', { method: 'POST', headers, body });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg') });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg') }, { folder: 'acme' });
  for (const path of ['/t/w_40/face.jpg', '/t/w_40/face.jpg', '/b/acme/t/w_900/face.jpg']) await deliver(path);
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function deliver(path: string): Promise<void> {
  const answer = await fetch(service.url + path);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
}

async function open(path: string): Promise<Page> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/${path}`);
  await window.page.getByRole('heading', { name: 'Usage' }).waitFor();
  return window.page;
}

const dataRows = (page: Page) => page.getByRole('table').locator('tbody tr');

/** Values of the first row, by their columns. */
async function firstRow(page: Page): Promise<Record<string, string>> {
  await dataRows(page).first().waitFor();
  const names = await page.getByRole('columnheader').allTextContents();
  const values = await dataRows(page).first().locator('th, td').allTextContents();
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
}

describeInBrowser('the usage page', () => {
  test('counts a delivery in the table and draws it', async () => {
    const page = await open('usage');
    const before = await firstRow(page);
    await deliver('/t/w_60/face.jpg');
    await page.reload();
    const after = await firstRow(page);
    expect(Number(after.Requests)).toBeGreaterThan(Number(before.Requests));
    expect(Number(after.Renders)).toBe(Number(before.Renders) + 1);
    await page.getByRole('img', { name: /^Delivered, maximum/ }).waitFor();
    expect(await page.getByRole('figure', { name: 'Delivered' }).locator('rect').count()).toBe(1);
    await page.getByRole('combobox', { name: 'Chart', exact: true }).selectOption('Renders');
    await page.getByRole('img', { name: `Renders, maximum ${after.Renders}` }).waitFor();
    expect(window?.problems).toEqual([]);
  });

  test('groups by space and by key, with their names', async () => {
    const page = await open('usage');
    await page.getByRole('button', { name: 'By space' }).click();
    await page.getByRole('rowheader', { name: 'Acme' }).waitFor();
    await page.getByRole('rowheader', { name: 'Library, outside spaces' }).waitFor();
    await page.getByRole('button', { name: 'By key' }).click();
    await page.getByRole('rowheader', { name: 'Environment key' }).waitFor();
    await page.getByRole('rowheader', { name: 'All other clients' }).waitFor();
  });

  test('shows other days, and says when they are in the wrong order', async () => {
    const page = await open('usage');
    await page.getByRole('combobox', { name: 'Time span', exact: true }).selectOption('7 days');
    await page.waitForURL('**/usage?days=7');
    await page.getByRole('combobox', { name: 'Time span', exact: true }).selectOption('Other days');
    await page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await page.getByText('At most 400 days.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('No usage in this time span').waitFor();
    await page.getByLabel('From', { exact: true }).fill('2020-02-02');
    await page.getByText('The first day is after the last one.').waitFor();
  });

  test('shows what a space has used of its limits', async () => {
    const page = await open('b/acme/usage');
    await page.getByRole('meter', { name: 'Storage' }).waitFor();
    const transfer = page.getByRole('meter', { name: 'Transfer this month' });
    expect(Number(await transfer.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'By space' }).count()).toBe(0);
  });

  test('looks well in both themes and at both widths', async () => {
    const days = Array.from({ length: 30 }, (_, index) => new Date(Date.now() - index * 86_400_000));
    const rows = days.map((day, index) => ({
      day: day.toISOString().slice(0, 10),
      requests: 40_000 + 3000 * (index % 7),
      deliveredBytes: 2_000_000_000 + 300_000_000 * (index % 5),
      uploadedBytes: 90_000_000 * (index % 3),
      renders: 900 + 31 * index,
      renderSeconds: 131.4 + index,
      transcodeSeconds: index % 4 === 0 ? 640 : 0,
      storedBytes: index > 20 ? null : 91_220_114_432 - index * 1e9,
    }));
    const total = { ...rows[0], requests: 1_446_330, deliveredBytes: 78_000_000_000, storedBytes: 91_220_114_432 };
    const quota = { bytes: 1e11, usedBytes: 91_220_114_432, transferPerMonth: 2e11, usedTransfer: 78_000_000_000 };
    await lookAtAll(service, 'usage', async (page) => {
      await page.route('**/usage?*', (route) =>
        route.fulfill({ json: { space: '', from: rows.at(-1)?.day, to: rows[0]?.day, rows, total, quota } }),
      );
      await page.goto(`${service.url}/dashboard/usage`);
      await page.getByRole('img', { name: /^Delivered, maximum/ }).waitFor();
    });
    await lookAtAll(service, 'usage-by-space', async (page) => {
      await page.goto(`${service.url}/dashboard/usage?by=space`);
      await page.getByRole('rowheader', { name: 'Acme' }).waitFor();
    });
  });
});
