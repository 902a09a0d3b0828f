import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ADMIN, describeInBrowser, hold, openWindow, type Window } from './browser.ts';
import { dragFiles, tile, versionsOf } from './library.ts';

let service: TestService;
let window: Window | undefined;
let desktop: Awaited<ReturnType<typeof temporaryFolder>>;
/** Local folder to drop. */
let dropped: string;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  desktop = await temporaryFolder();
  dropped = join(desktop.folder, 'holiday');
  await mkdir(join(dropped, 'rome'), { recursive: true });
  const photo = fixture('portrait-face.jpg');
  for (const name of ['harbour.jpg', 'rome/forum.jpg', '.DS_Store']) await writeFile(join(dropped, name), photo);
});
afterEach(() => window?.close());
afterAll(async () => {
  await service.close();
  await desktop.close();
});

const stored = async () => {
  const listing = (await (await service.authorized('/storage?recursive=true')).json()) as { files: { path: string }[] };
  return listing.files.map(({ path }) => path).sort();
};

async function drop(page: Window['page']): Promise<void> {
  const letGo = await dragFiles(page, [dropped], page.locator('.files-main'));
  await letGo();
}

async function open(): Promise<Window> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files/`);
  await window.page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  return window;
}

describeInBrowser('a folder that is dropped', () => {
  test('is uploaded with its folders, and goes on when the line was cut', async () => {
    const { page, context } = await open();
    const panel = page.getByRole('region', { name: 'Uploads', exact: true });
    let requests = 0;
    await page.route('**/upload', async (route) => {
      if (++requests > 1) return route.continue();
      await panel.getByRole('heading', { name: 'Uploading 2 files' }).waitFor();
      await context.setOffline(true);
      await route.abort('connectionreset');
    });
    await drop(page);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    await panel.getByText('paused', { exact: false }).waitFor();
    expect(await stored()).toEqual([]);
    await context.setOffline(false);
    await panel.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    expect(await stored()).toEqual(['holiday/harbour.jpg', 'holiday/rome/forum.jpg']);
    await tile(page, 'holiday').waitFor();
  });

  test('once more asks about each name in each of its folders, waits while it is paused, and keeps what it replaces', async () => {
    const { page } = await open();
    const release = await hold(page, '**/storage/holiday/**');
    await drop(page);
    const dialog = page.getByRole('dialog', { name: '2 files already exist' });
    await dialog.getByRole('button', { name: 'Replace' }).click();
    const panel = page.getByRole('region', { name: 'Uploads', exact: true });
    await panel.getByRole('heading', { name: 'Uploading 2 files' }).waitFor();
    await panel.getByRole('button', { name: 'Pause uploads' }).click();
    await panel.getByText('paused; files under 8 MB restart', { exact: false }).waitFor();
    release();
    await panel.getByRole('button', { name: 'Resume uploads' }).click();
    await panel.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    expect(await stored()).toEqual(['holiday/harbour.jpg', 'holiday/rome/forum.jpg']);
    for (const path of await stored()) expect(await versionsOf(service, path)).toHaveLength(1);
  });
});
