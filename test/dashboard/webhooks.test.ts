import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { type PurgeTarget, startPurgeTarget, status } from '../purge-target.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let receiver: PurgeTarget;
let window: Window | undefined;
beforeAll(async () => {
  receiver = await startPurgeTarget();
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, OUTGOING_PRIVATE_NETWORKS: '127.0.0.1' });
  await service.services.webhooks.start();
});
afterEach(() => window?.close());
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const address = () => `${service.url}/dashboard/webhooks`;

async function open(): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(address());
  await window.page.getByRole('button', { name: 'Create webhook' }).waitFor();
  return window.page;
}

describeInBrowser('the page of the webhooks', () => {
  test('makes a webhook, shows its secret once, and tells of what was sent', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Create webhook' });
    await form.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/');
    await form.getByRole('button', { name: 'Create webhook' }).click();
    await form.getByText('public internet').waitFor();
    await form.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/media`);
    await form.getByRole('checkbox', { name: /^Video failed/ }).uncheck();
    await form.getByRole('textbox', { name: 'Folder' }).fill('shop');
    await form.getByRole('button', { name: 'Create webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'Webhook secret' });
    const secret = (await shown.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: `${receiver.url}/media` });
    await row.getByText('in shop').waitFor();
    expect(await page.content()).not.toContain(secret);

    await service.upload({ 'shoe.png': fixture('flag-alpha.png') }, { folder: 'shop' });
    await receiver.count(1);
    await row.getByRole('button', { name: 'Log' }).click();
    await row.getByText('shop/shoe.png').waitFor();
    await row.getByText('Delivered').waitFor();
  });

  test('sends a test, shows why it failed, and sends it again', async () => {
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: receiver.url });
    const act = async (what: string) => {
      await row.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    receiver.answer(status(500, {}, 'out of order'));
    await act('Send test event');
    await row.getByText('status 500: out of order').waitFor();
    receiver.answer(status(204, {}, ''));
    await row.getByRole('button', { name: 'Resend webhook.test' }).click();
    await expect.poll(() => row.getByText('Delivered').count()).toBe(2);
    await row.getByText('2 attempts').waitFor();
  });

  test('disables a webhook, changes it, gives it a new secret, and deletes it', async () => {
    const page = await open();
    const row = page.getByRole('listitem').filter({ hasText: receiver.url });
    const act = async (what: string) => {
      await row.getByRole('button', { name: 'Actions for' }).click();
      await page.getByRole('menuitem', { name: what }).click();
    };
    await act('Disable');
    await row.getByText('Disabled').waitFor();
    await act('Enable');
    await row.getByText('Active').waitFor();
    await act('Edit');
    await page.getByRole('textbox', { name: 'Folder' }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => row.getByText('in shop').count()).toBe(0);
    await act('Rotate secret');
    await page.getByRole('dialog', { name: 'New webhook secret' }).getByText('whsec_').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await act('Delete');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'webhooks-none', async (page) => {
      await page.goto(address());
      await page.getByText('No webhooks yet').waitFor();
    });
    receiver.answer(status(204, {}, ''), status(500, {}, 'The database of the shop does not answer.'));
    const { webhooks } = service.services;
    const fields = { folder: '' as never, enabled: true, events: ['file.stored', 'file.deleted'] as const };
    await webhooks.create({ ...fields, url: `${receiver.url}/hooks/media` });
    const second = await webhooks.create({ ...fields, url: `${receiver.url}/another/place`, folder: 'shop' as never });
    await webhooks.update(second.webhook.id, { enabled: false });
    for (const name of ['one.png', 'two.png']) {
      const count = receiver.received.length;
      await service.upload({ [name]: fixture('flag-alpha.png') }, { folder: 'shop/summer' });
      await receiver.count(count + 1);
    }
    await lookAtAll(service, 'webhooks', async (page) => {
      await page.goto(address());
      await page.getByRole('button', { name: /^Log of .*media/ }).click();
      await page.getByText('does not answer').waitFor();
    });
    await lookAtAll(service, 'webhooks-create', async (page) => {
      await page.goto(address());
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByRole('textbox', { name: 'URL' }).waitFor();
    });
  });
});
