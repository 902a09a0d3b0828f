import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { choose as chooseFiles, tile } from './library.ts';
import { arrivedBytes, LARGE_IMAGE, MEGABYTE, uploadThrottle } from './slow-uploads.ts';

let service: TestService;
let file: string;
let window: Window;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  file = join(service.data, 'large.jpg');
  await writeFile(file, LARGE_IMAGE);
});
afterEach(() => window.close());
afterAll(async () => {
  await rm(file);
  await service.close();
});

const arrived = () => arrivedBytes(service);

/** Opens a folder at a limited bandwidth (bytes per second) and records requests to resumable uploads. */
async function open(folder: string) {
  window = await openWindow({ service });
  const { page } = window;
  page.on('dialog', (dialog) => dialog.accept());
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/upload/resumable')) asked.push(request.method());
  });
  const limitTo = await uploadThrottle(page);
  await page.goto(`${service.url}/dashboard/files/${folder}`);
  const choose = async () => {
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    await chooseFiles(page, file);
  };
  return { page, asked, limitTo, choose };
}

describeInBrowser('a large file', () => {
  test('goes on after a pause, and after a reload when it is chosen again', async () => {
    const { page, asked, limitTo, choose } = await open('tour');
    await limitTo(MEGABYTE);
    await choose();
    await expect.poll(arrived).not.toEqual([]);
    await expect.poll(async () => (await arrived())[0]).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Pause uploads' }).click();
    await page.getByText('larger files resume', { exact: false }).waitFor();
    const [paused = 0] = await arrived();
    await page.getByRole('button', { name: 'Resume uploads' }).click();
    await expect.poll(async () => (await arrived())[0]).toBeGreaterThan(paused);
    await page.reload();
    await page.getByRole('heading', { name: '1 upload was interrupted' }).waitFor();
    await choose();
    await expect.poll(() => page.getByText('was interrupted').count()).toBe(0);
    await limitTo(-1);
    await tile(page, 'large.jpg').waitFor();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    expect(asked.filter((method) => method !== 'PATCH' && method !== 'GET')).toEqual(['POST', 'HEAD', 'HEAD', 'HEAD']);
    expect((await ask(service.url, '/t/tour/large.jpg')).body.equals(LARGE_IMAGE)).toBe(true);
    expect(window.problems).toEqual([]);
  });

  test('is forgotten by the service when it is given up, and says why when it is refused', async () => {
    const { page, limitTo, choose } = await open('given-up');
    await limitTo(MEGABYTE);
    await choose();
    await expect.poll(async () => (await arrived())[0]).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Cancel large.jpg' }).click();
    await page.getByText('No files uploaded').waitFor();
    await expect.poll(arrived).toEqual([]);
    await writeFile(file, randomBytes(8 * MEGABYTE));
    await limitTo(-1);
    await choose();
    await page.getByRole('listitem').getByText('large.jpg is not a JPEG image', { exact: false }).waitFor();
    await writeFile(file, LARGE_IMAGE);
  });
});
