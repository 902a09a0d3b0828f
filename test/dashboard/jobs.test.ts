import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'clip.mp4': fixture('schizo_90.mp4') }, { folder: 'films' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const order = async (transformation: string) =>
  expect((await service.authorized(`/t/${transformation}/films/clip.mp4`)).status).toBe(202);

async function orderBroken(transformation: string): Promise<void> {
  const { queue } = service.services;
  await order(transformation);
  for (const claimed of await queue.claim(1)) await queue.fail(claimed, 'The video is broken.', true);
}

async function open(): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/jobs`);
  await window.page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor();
  return window.page;
}

const row = (page: Window['page'], transformation: string) =>
  page.getByRole('listitem').filter({ has: page.getByText(transformation, { exact: true }) });

describeInBrowser('the page of the jobs', () => {
  test('shows a job as it comes, and cancels it', async () => {
    const page = await open();
    await page.getByText('No jobs yet').waitFor();
    await order('w_100');
    const job = row(page, 'w_100');
    await job.getByRole('button', { name: 'Cancel films/clip.mp4' }).click();
    await job.getByText(/^Cancelled/).waitFor();
    expect(await job.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  });

  test('takes one job off the list', async () => {
    const page = await open();
    const remove = row(page, 'w_100').getByRole('button', { name: 'Remove films/clip.mp4 from the list' });
    await remove.click();
    await page.getByText('No jobs yet').waitFor();
  });

  test('retries a failed job', async () => {
    await orderBroken('w_110');
    const page = await open();
    const job = row(page, 'w_110');
    await job.getByText('The video is broken.').waitFor();
    await job.getByRole('button', { name: 'Remove films/clip.mp4 from the list' }).waitFor();
    await job.getByRole('button', { name: 'Retry films/clip.mp4' }).click();
    await job.getByRole('button', { name: 'Cancel films/clip.mp4' }).click();
    await job.getByText(/^Cancelled/).waitFor();
  });

  test('shows the jobs of one state, and clears them', async () => {
    const page = await open();
    await page.getByRole('button', { name: /^Waiting/ }).click();
    await page.getByText('No waiting jobs').waitFor();
    await page.getByRole('button', { name: /^Cancelled/ }).click();
    await row(page, 'w_110').waitFor();
    await page.getByRole('button', { name: 'Clear cancelled' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Clear cancelled' }).click();
    await page.getByText('No cancelled jobs').waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await orderBroken('w_130');
    await order('w_120');
    await order('w_140,h_100,c_fill');
    await lookAtAll(service, 'jobs', async (page) => {
      await page.goto(`${service.url}/dashboard/jobs`);
      await row(page, 'w_120').waitFor();
    });
  });

  test('shows a job to its end, and opens what was made', async () => {
    const page = await open();
    await row(page, 'w_120')
      .getByRole('button', { name: /^Cancel/ })
      .waitFor();
    service.services.worker?.start();
    const link = row(page, 'w_120').getByRole('link', { name: 'Open' });
    await link.waitFor({ timeout: 60_000 });
    const made = await fetch(new URL((await link.getAttribute('href')) ?? '', service.url));
    expect([made.status, made.headers.get('content-type')]).toEqual([200, 'video/mp4']);
    await service.services.worker?.stop();
  }, 120_000);
});
