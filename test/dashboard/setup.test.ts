import { afterEach, beforeEach, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { describeInBrowser, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeEach(async () => {
  service = await startService();
});
afterEach(async () => {
  await window?.close();
  await service.close();
});

const FOCUSED = 'document.activeElement.name';

async function fill(page: Window['page']): Promise<void> {
  await page.getByLabel('Name').fill('Grace');
  await page.getByLabel('Email').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill('a long password');
  await page.getByRole('button', { name: 'Create account' }).click();
}

describeInBrowser('the first visit', () => {
  test('by the link that the start prints makes the account and is signed in', async () => {
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/setup#token=${token}`);
    await fill(page);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).getByText('Grace', { exact: true }).waitFor();
    expect(page.url()).not.toContain(String(token));
    expect(problems).toEqual([]);
    await page.goto(`${service.url}/dashboard/setup`);
    await page.getByText('This service already has an owner.').waitFor();
  });

  test('is signed in also where passwords do not sign in', async () => {
    await service.close();
    const oidc = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'darkroom', OIDC_CLIENT_SECRET: 'secret' };
    service = await startService({ ...oidc, PASSWORD_SIGN_IN: 'false' });
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/setup#token=${token}`);
    await fill(page);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('by an old link says where the new one is', async () => {
    await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/setup#token=of-yesterday`);
    await fill(page);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Invalid setup token');
  });

  test('without a link is told about it, and may type the token', async () => {
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard`);
    await page.getByText('No owner yet').waitFor();
    await page.getByRole('link', { name: 'Enter setup token' }).click();
    await page.getByLabel('Setup token').fill(String(token));
    await fill(page);
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('begins at the first field', async () => {
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/setup#token=${token}`);
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('name');
    await page.goto('about:blank');
    await page.goto(`${service.url}/dashboard/setup`);
    await expect.poll(() => page.evaluate(FOCUSED)).toBe('token');
  });

  test('takes the first click after a mended error, and says each error once', async () => {
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/setup#token=${token}`);
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('Email').fill('grace@example.com');
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('short');
    await page.getByRole('button', { name: 'Create account' }).click();
    const error = page.locator('.field-error');
    await error.waitFor();
    await saveScreenshot(page, 'setup-error');
    expect(await error.count()).toBe(1);
    expect(
      await page
        .getByText(/8 characters/)
        .filter({ visible: true })
        .count(),
    ).toBe(1);
    await password.pressSequentially(' but long enough');
    await error.waitFor({ state: 'detached' });
    const { x, y, width, height } = await page
      .getByRole('button', { name: 'Create account' })
      .boundingBox()
      .then((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
    await page.mouse.click(x + width / 2, y + height - 2, { delay: 60 });
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('keeps the hint at a length while another error is shown', async () => {
    const token = await service.services.setup.open();
    window = await openWindow();
    const { page } = window;
    await page.goto(`${service.url}/dashboard/setup#token=${token}`);
    const field = page.locator('.field', { has: page.getByLabel('Password', { exact: true }) });
    await page.getByRole('button', { name: 'Create account' }).click();
    await field.locator('.field-error').waitFor();
    expect(await field.getByText('At least 8 characters.').isVisible()).toBe(true);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByLabel('Name').focus();
    await expect.poll(() => field.getByText('At least 8 characters.').isVisible()).toBe(false);
  });

  test('looks well in both themes and at both widths', async () => {
    const token = await service.services.setup.open();
    await lookAtAll(undefined, 'setup', async (page) => {
      await page.goto(`${service.url}/dashboard/setup#token=${token}`);
      await page.getByRole('heading', { name: 'Set up Darkroom' }).waitFor();
    });
  });
});
