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

async function open(): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/keys`);
  await window.page.getByRole('button', { name: 'Create key' }).waitFor();
  return window.page;
}

describeInBrowser('the page of the API keys', () => {
  test('makes a key that reads for 90 days, shows it once, and it works', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await page.getByRole('checkbox', { name: /^Read/ }).isChecked()).toBe(true);
    expect(await page.getByRole('radio', { name: '90 days' }).isChecked()).toBe(true);
    await page.getByRole('textbox', { name: 'Name' }).fill('My website');
    await page.getByRole('checkbox', { name: /^Upload/ }).check();
    await page.getByRole('textbox', { name: 'Quota' }).fill('1000');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'API key created' });
    const key = (await dialog.locator('code').textContent()) ?? '';
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${service.url}/storage`, { headers })).status).toBe(200);
    expect((await fetch(`${service.url}/api-keys/list`, { headers })).status).toBe(403);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'My website' });
    await row.getByText('Upload', { exact: true }).waitFor();
    await row.getByText(/^(1000|99\d) requests left$/).waitFor();
    expect(await page.content()).not.toContain(key);
  });

  test('makes a key of a space, which is good there only', async () => {
    const body = JSON.stringify({ id: 'acme', name: 'Acme' });
    await service.authorized('/spaces', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const page = await open();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop of Acme');
    await page.getByRole('combobox', { name: 'Space' }).selectOption('Acme');
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'API key created' });
    const key = (await dialog.locator('code').textContent()) ?? '';
    const access = await fetch(`${service.url}/access`, { headers: { authorization: `Bearer ${key}` } });
    expect(await access.json()).toMatchObject({ space: { id: 'acme' }, via: 'key' });
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Shop of Acme' }).getByText('Space acme').waitFor();
  });

  test('disables a key, limits it, renames it, and revokes it when its name is typed', async () => {
    const { apiKey } = (await (
      await service.authorized('/api-keys/create', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Old script', permissions: ['read'] }),
      })
    ).json()) as { apiKey: { key: string } };
    const status = async () =>
      (await fetch(`${service.url}/storage`, { headers: { authorization: `Bearer ${apiKey.key}` } })).status;
    const page = await open();
    const act = async (name: string, what: string) => {
      await page.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await act('Old script', 'Disable');
    await page.getByText('Disabled').waitFor();
    expect(await status()).toBe(401);
    await act('Old script', 'Enable');
    await expect.poll(status).toBe(200);
    await act('Old script', 'Limits');
    await page.getByRole('textbox', { name: 'Quota' }).fill('0');
    await page.getByRole('textbox', { name: 'Rate limit' }).fill('100');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByText('0 requests left').waitFor();
    await page.getByText('100 per minute').waitFor();
    expect(await status()).toBe(401);
    await act('Old script', 'Limits');
    await page.getByRole('textbox', { name: 'Quota' }).fill('');
    await page.getByRole('button', { name: 'Save limits' }).click();
    await expect.poll(status).toBe(200);
    await act('Old script', 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('Older script');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Older script' }).waitFor();
    await act('Older script', 'Revoke');
    const dialog = page.getByRole('alertdialog', { name: 'Revoke Older script?' });
    expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Older script');
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => page.getByRole('heading', { name: 'Older script' }).count()).toBe(0);
    expect(await status()).toBe(401);
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'keys', async (page) => {
      await page.goto(`${service.url}/dashboard/keys`);
      await page.getByRole('heading', { name: 'Environment key' }).waitFor();
    });
    await lookAtAll(service, 'keys-create', async (page) => {
      await page.goto(`${service.url}/dashboard/keys`);
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).waitFor();
    });
  });
});
