import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function open(path = 'audit'): Promise<Page> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/${path}`);
  await window.page.getByRole('heading', { name: 'Audit log' }).waitFor();
  return window.page;
}

const createKey = (name: string) =>
  service.authorized('/api-keys/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, permissions: ['read', 'upload'] }),
  });
const entry = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

describeInBrowser('the audit log', () => {
  test('shows an action of a person in plain words, with its details', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/keys`);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('CI');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.goto(`${service.url}/dashboard/audit`);
    const row = entry(page, 'API key created').first();
    await row.getByText('Ada', { exact: true }).first().waitFor();
    await row.locator('summary').press('Enter');
    await row.getByText('key.created').waitFor();
    await row.getByText('Request ID').waitFor();
    expect(await row.locator('.audit-facts').textContent()).toContain('CI');
    expect(problems).toEqual([]);
  });

  test('filters by action, by family, and by whoever acted', async () => {
    await createKey('Script');
    const page = await open();
    await entry(page, 'Signed in').first().waitFor();
    await page.getByRole('combobox', { name: 'Action', exact: true }).selectOption('API keys: all');
    await expect.poll(() => entry(page, 'Signed in').count()).toBe(0);
    await entry(page, 'API key created').first().waitFor();
    await page.getByRole('combobox', { name: 'Action', exact: true }).selectOption('API key revoked');
    await page.getByText('No matching entries').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('combobox', { name: 'Person or key', exact: true }).selectOption('Ada');
    await entry(page, 'Signed in').first().waitFor();
    await expect.poll(() => entry(page, 'Environment key').count()).toBe(0);
    await page.goBack();
    await entry(page, 'Environment key').first().waitFor();
  });

  test('filters by a target and by days', async () => {
    await createKey('Other');
    const page = await open('audit?action=key.created');
    const row = entry(page, 'API key created').first();
    await row.locator('summary').click();
    await row.getByRole('button', { name: 'Only this target' }).click();
    await expect.poll(() => entry(page, 'API key created').count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByText('No matching entries').waitFor();
    expect(page.url()).toContain('to=2020-01-01');
  });

  test('shows more entries on request', async () => {
    for (let index = 0; index < 55; index++) await createKey(`Key ${index}`);
    const page = await open('audit?action=key.created');
    await entry(page, 'API key created').first().waitFor();
    expect(await entry(page, 'API key created').count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => entry(page, 'API key created').count()).toBeGreaterThan(55);
  });

  test('looks well in both themes and at both widths', async () => {
    await createKey('Shown');
    await lookAtAll(service, 'audit', async (page) => {
      await page.goto(`${service.url}/dashboard/audit`);
      const row = entry(page, 'API key created').first();
      await row.locator('summary').click();
      await row.getByText('key.created').waitFor();
    });
  });
});
