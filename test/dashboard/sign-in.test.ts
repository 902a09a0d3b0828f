import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function fill(page: Window['page'], password: string): Promise<void> {
  await page.getByLabel('Email').fill(ADMIN.ADMIN_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describeInBrowser('signing in', () => {
  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(undefined, 'sign-in', async (page) => {
      await page.goto(`${service.url}/dashboard/login`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  test('leads a browser from / through signing in to where it wanted to be', async () => {
    window = await openWindow();
    const { page, problems } = window;
    await page.goto(`${service.url}/`);
    await page.waitForURL('**/dashboard/login');
    await page.goto(`${service.url}/dashboard/status`);
    await page.waitForURL('**/dashboard/login?to=%2Fstatus');
    await fill(page, ADMIN.ADMIN_PASSWORD);
    await page.waitForURL('**/dashboard/status');
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('says what is wrong with a password, and lets it be looked at', async () => {
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/login`);
    await fill(page, 'wrong password');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Invalid email or password');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
  });

  test('goes to no other site afterwards, whatever the address says', async () => {
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/login?to=//example.com/`);
    await fill(page, ADMIN.ADMIN_PASSWORD);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(new URL(page.url()).origin).toBe(service.url);
  });

  test('ends with signing out, and the page before is not shown again', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/dashboard/login');
    await page.goto(`${service.url}/dashboard/status`);
    await page.waitForURL('**/dashboard/login?to=%2Fstatus');
  });

  test('forgets the rights of a session that has ended elsewhere', async () => {
    window = await openWindow({ service });
    const { page, context } = window;
    const rights = () => page.evaluate<string[]>("Object.keys(localStorage).filter((key) => key.includes('access'))");
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Recalculate' }).waitFor();
    expect(await rights()).toEqual(['darkroom-access /']);
    await context.clearCookies();
    await page.goto(`${service.url}/dashboard/status`);
    await page.waitForURL('**/dashboard/login?to=%2Fstatus');
    expect(await rights()).toEqual([]);
  });

  test('counts down after too many tries', async () => {
    // Without a proxy all attempts share one address, limited to three in ten seconds.
    const strict = await startService(ADMIN);
    window = await openWindow();
    const { page } = window;
    await page.goto(`${strict.url}/dashboard/login`);
    await page.getByLabel('Email').fill(ADMIN.ADMIN_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill('wrong password');
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'wrong password' });
    const tried = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    await Promise.all([1, 2, 3].map(() => ask(strict.url, '/api/auth/sign-in/email', tried)));
    await page.getByRole('button', { name: 'Sign in' }).click();
    const waiting = page.getByRole('button', { name: /^Wait \d+ second/ });
    await waiting.waitFor();
    expect(await waiting.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await strict.close();
  });
});

describeInBrowser('a session that ends midway', () => {
  test('is begun again in a dialog over the page, and what was asked for is done', async () => {
    window = await openWindow({ service });
    const { page, context } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Recalculate' }).waitFor();
    // A poll of the page would notice the end of the session before the click.
    const release = await hold(page, new RegExp(`^${service.url}/(?!dashboard|api/)`), 'GET');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Recalculate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
    release();
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Usage recalculated.').waitFor();
    expect(page.url()).toBe(`${service.url}/dashboard/status`);
  });
});
