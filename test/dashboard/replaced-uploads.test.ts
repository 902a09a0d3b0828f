import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, openWindow, saveScreenshot, type Window } from './browser.ts';
import { choose, dragFiles, pasteFiles, photo, tile, versionsOf } from './library.ts';

type Page = Window['page'];

const FIRST = fixture('no-face.jpg');
const SECOND = fixture('portrait-face.jpg');
/** The first bytes of a JPEG alone. */
const BROKEN = FIRST.subarray(0, 20);

let service: TestService;
let bare: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, VERSIONS_KEEP: '3' });
  bare = await startService({ ...ADMIN, ...FROM_ANYWHERE, VERSIONS_KEEP: '0' });
  for (const one of [service, bare]) one.services.describing?.start();
});
afterEach(() => window?.close());
afterAll(() => Promise.all([service.close(), bare.close()]));

const bytesOf = async (path: string, at = service) =>
  Buffer.from(await (await at.authorized(`/t/${path}`)).arrayBuffer());

/** Opens a folder with a file that a test replaces. */
async function open(folder: string, at = service): Promise<Page> {
  await at.upload({ 'logo.jpg': FIRST }, { folder });
  window = await openWindow({ service: at });
  await window.page.goto(`${at.url}/dashboard/files/${folder}`);
  await tile(window.page, 'logo.jpg').waitFor();
  return window.page;
}

const answer = (page: Page) =>
  page.getByRole('dialog', { name: 'logo.jpg already exists' }).getByRole('button', { name: 'Replace' }).click();
const messageOf = (page: Page) => page.locator('.toast').filter({ hasText: 'Replaced logo.jpg.' });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Uploads', exact: true });

async function replaceByChoice(page: Page, bytes: typeof FIRST = SECOND): Promise<void> {
  await choose(page, photo('logo.jpg', bytes));
  await answer(page);
}

describeInBrowser('a file that an upload has replaced', () => {
  test.each<[way: string, replace: (page: Page) => Promise<void>]>([
    ['chosen', replaceByChoice],
    [
      'dropped',
      async (page) => {
        const path = join(await mkdtemp(join(tmpdir(), 'drop-')), 'logo.jpg');
        await writeFile(path, SECOND);
        await (await dragFiles(page, [path], page.getByRole('grid')))();
        await answer(page);
      },
    ],
    [
      'pasted',
      async (page) => {
        await pasteFiles(page, photo('logo.jpg', SECOND));
        await answer(page);
      },
    ],
    [
      'by-menu',
      async (page) => {
        await tile(page, 'logo.jpg').click({ button: 'right' });
        const choosing = page.waitForEvent('filechooser');
        await page.getByRole('menuitem', { name: 'Replace file' }).click();
        await (await choosing).setFiles(photo('new.jpg', SECOND));
        await page.getByRole('alertdialog').getByRole('button', { name: 'Replace file' }).click();
      },
    ],
  ])('comes back by the "Undo" of the message: %s', async (way, replace) => {
    const page = await open(`undo-${way}`);
    await replace(page);
    await messageOf(page).getByRole('button', { name: 'Undo' }).waitFor();
    expect(await bytesOf(`undo-${way}/logo.jpg`)).toEqual(SECOND);
    await messageOf(page).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored the earlier logo.jpg. The uploaded file is now a version.').waitFor();
    expect(await bytesOf(`undo-${way}/logo.jpg`)).toEqual(FIRST);
    expect(await versionsOf(service, `undo-${way}/logo.jpg`)).toHaveLength(1);
    expect(await messageOf(page).count()).toBe(0);
    await expect.poll(() => panelOf(page).count()).toBe(0);
    expect(window?.problems).toEqual([]);
  });

  test('comes back by Ctrl+Z, several at once', async () => {
    await service.upload({ 'mark.jpg': FIRST }, { folder: 'several' });
    const page = await open('several');
    await choose(page, photo('logo.jpg', SECOND), photo('mark.jpg', SECOND));
    await page.getByRole('dialog', { name: '2 files already exist' }).getByRole('button', { name: 'Replace' }).click();
    await page
      .locator('.toast')
      .filter({ hasText: 'Replaced 2 files.' })
      .getByRole('button', { name: 'Undo' })
      .waitFor();
    await tile(page, 'logo.jpg').focus();
    await page.keyboard.press('Control+z');
    await page.getByText('Restored 2 earlier files. The uploaded ones are now versions.').waitFor();
    for (const name of ['logo.jpg', 'mark.jpg']) expect(await bytesOf(`several/${name}`)).toEqual(FIRST);
  });

  test('comes back as it was before an upload that had to be sent twice', async () => {
    const page = await open('twice');
    await page.route(
      '**/storage/twice/logo.jpg',
      async (route) => {
        // It arrives, but its answer does not.
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await replaceByChoice(page);
    await messageOf(page).getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored the earlier logo.jpg.', { exact: false }).waitFor();
    expect(await bytesOf('twice/logo.jpg')).toEqual(FIRST);
  });

  test('comes back from the row of one that cannot be decoded', async () => {
    const page = await open('undecodable');
    await replaceByChoice(page, BROKEN);
    const row = panelOf(page).getByRole('listitem').filter({ hasText: 'logo.jpg' });
    await row.getByText('Cannot be shown: The file cannot be read as an image.').waitFor();
    await messageOf(page).waitFor();
    await saveScreenshot(page, 'uploads-restore');
    expect(await faultsOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'Restore the earlier file: logo.jpg' }).click();
    await page.getByText('Restored the earlier logo.jpg. The uploaded file is now a version.').waitFor();
    expect(await bytesOf('undecodable/logo.jpg')).toEqual(FIRST);
    await panelOf(page).waitFor({ state: 'detached' });
    expect(await messageOf(page).count()).toBe(0);
    await tile(page, 'logo.jpg').focus();
    await page.keyboard.press('Control+z');
    await page.getByText('Nothing to undo').waitFor();
    expect(await bytesOf('undecodable/logo.jpg')).toEqual(FIRST);
  });

  test('is no longer offered to come back once its version is gone', async () => {
    const page = await open('gone');
    await replaceByChoice(page, BROKEN);
    const restore = panelOf(page).getByRole('button', { name: 'Restore the earlier file: logo.jpg' });
    await restore.waitFor();
    const [version] = await versionsOf(service, 'gone/logo.jpg');
    await service.authorized(`/storage/gone/logo.jpg/versions/${version?.id}`, { method: 'DELETE' });
    await restore.click();
    await page.getByText('There is no version', { exact: false }).waitFor();
    await restore.waitFor({ state: 'detached' });
    await panelOf(page).getByRole('link', { name: 'logo.jpg' }).waitFor();
  });

  test('takes its message and row along when it is restored from the details', async () => {
    const page = await open('by-details');
    await replaceByChoice(page, BROKEN);
    await panelOf(page).getByRole('button', { name: 'Restore the earlier file: logo.jpg' }).waitFor();
    await panelOf(page).getByRole('link', { name: 'logo.jpg' }).click();
    const versions = page.getByRole('region', { name: 'Versions' });
    await versions.getByRole('button', { name: /^Actions for the version/ }).click();
    await page.getByRole('menuitem', { name: 'Restore' }).click();
    await page.getByText('Version restored.', { exact: false }).waitFor();
    await panelOf(page).waitFor({ state: 'detached' });
    expect(await messageOf(page).count()).toBe(0);
  });

  test('is not offered to come back where no versions are kept', async () => {
    const page = await open('bare', bare);
    await replaceByChoice(page, BROKEN);
    await messageOf(page).waitFor();
    await panelOf(page).getByText('Cannot be shown: The file cannot be read as an image.', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^(Undo|Restore)/ }).count()).toBe(0);
    expect(await bytesOf('bare/logo.jpg', bare)).toEqual(BROKEN);
  });
});
