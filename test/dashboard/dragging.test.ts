import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { REST_EVENT } from '../../web/src/files/dragging/rest-event.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ADMIN, describeInBrowser, openWindow, saveScreenshot, THEMES, type Window } from './browser.ts';
import {
  boxOf,
  dragFiles,
  exists,
  gradient,
  middleOf,
  open,
  redirectsIn,
  sendJson,
  settled,
  thumbnailsOf,
  tile,
} from './library.ts';

let service: TestService;
let window: Window | undefined;
/** Local files to drop. */
let desktop: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['alps', 'bridge', 'coast', 'dunes'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await service.upload({ 'inside.jpg': await gradient(9) }, { folder: 'Holidays/Rome' });
  await service.upload({ 'shoe.jpg': await gradient(7) }, { folder: 'Products' });
  for (let at = 0; at < 150; at++) await service.place(`many/${String(at).padStart(3, '0')}.txt`, 'text');
  desktop = await temporaryFolder();
  await mkdir(join(desktop.folder, 'more'));
  for (const name of ['new.jpg', 'newer.jpg', 'newest.jpg', 'more/last.jpg'])
    await writeFile(join(desktop.folder, name), await gradient(name.length));
});
afterEach(() => window?.close());
afterAll(async () => {
  await service.close();
  await desktop.close();
});

/** The drag of a slow test would rest on a folder by chance, and open it. */
const NEVER_RESTS = `
  document.addEventListener('${REST_EVENT}', (event) => {
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
`;

async function begin(path?: string, { canRest = false } = {}): Promise<Page> {
  window = await openWindow({ service });
  if (!canRest) await window.page.addInitScript(NEVER_RESTS);
  await open(window.page, service, path);
  return window.page;
}

/** Presses the mouse on an item and moves it over another element. */
async function drag(page: Page, item: Locator, target: Locator): Promise<void> {
  const from = await middleOf(item);
  const to = await middleOf(target);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 12, from.y + 6, { steps: 2 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  // The code of a drag is loaded with the first one, which begins with the next movement.
  const nudge = async () => {
    await page.mouse.move(to.x + 1, to.y);
    await page.mouse.move(to.x, to.y);
    return badge(page).count();
  };
  await expect.poll(nudge).toBe(1);
}

const badge = (page: Page) => page.locator('.drag-badge');
const crumb = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name });

describeInBrowser('dragging', () => {
  test('moves the selection onto a folder, says how many and where to, and is undone', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'alps.jpg', 'bridge.jpg');
    await tile(page, 'alps').click({ modifiers: ['Control'] });
    await tile(page, 'bridge').click({ modifiers: ['Control'] });
    await drag(page, tile(page, 'bridge'), tile(page, 'Holidays'));
    await badge(page).getByText('Move to Holidays').waitFor();
    expect(await badge(page).locator('strong').textContent()).toBe('2');
    expect(await tile(page, 'Holidays').getAttribute('data-drop-mark')).toBe('taken');
    expect(await page.locator('.files-band').count()).toBe(0);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(page, `dragging-${theme}`);
    }
    await page.mouse.up();
    await page.getByText('Moved 2 items to Holidays. The old URLs keep working.').waitFor();
    expect(await redirectsIn(service)).toEqual(['alps.jpg -> Holidays/alps.jpg', 'bridge.jpg -> Holidays/bridge.jpg']);
    expect(await badge(page).count()).toBe(0);
    expect(await tile(page, 'Holidays').getAttribute('data-drop-mark')).toBeNull();
    expect([
      await exists(service, 'Holidays/alps.jpg'),
      await exists(service, 'Holidays/bridge.jpg'),
      await exists(service, 'alps.jpg'),
    ]).toEqual([true, true, false]);
    // The selection has gone with them, and the final click has opened nothing.
    await page.getByRole('searchbox').waitFor();
    expect(page.url()).not.toContain('Holidays');
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'alps').waitFor();
    await expect.poll(() => redirectsIn(service)).toEqual([]);
    expect([await exists(service, 'alps.jpg'), await exists(service, 'bridge.jpg')]).toEqual([true, true]);
  });

  test('copies with Ctrl, and Escape cancels it and nothing else', async () => {
    const page = await begin();
    await tile(page, 'coast').click({ modifiers: ['Control'] });
    await drag(page, tile(page, 'dunes'), tile(page, 'Products'));
    await badge(page).getByText('Move to Products').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => badge(page).count()).toBe(0);
    await page.mouse.up();
    // The item was not in the selection, which stays.
    await page.getByText('1 selected').first().waitFor();
    await drag(page, tile(page, 'dunes'), tile(page, 'Products'));
    await page.keyboard.down('Control');
    await badge(page).getByText('Copy to Products').waitFor();
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.getByText('Copied 1 item.').waitFor();
    expect([await exists(service, 'Products/dunes.jpg'), await exists(service, 'dunes.jpg')]).toEqual([true, true]);
  });

  test('onto itself, or where the items are, is refused and says why', async () => {
    const page = await begin();
    await drag(page, tile(page, 'Holidays'), tile(page, 'Holidays'));
    await badge(page).getByText('A folder cannot move into itself').waitFor();
    expect(await tile(page, 'Holidays').getAttribute('data-drop-mark')).toBe('refused');
    await saveScreenshot(page, 'dragging-refused-light');
    await page.mouse.up();
    await page.getByText('A folder cannot move into itself').waitFor();
    await tile(page, 'Holidays').waitFor();
    await drag(page, tile(page, 'coast'), crumb(page, 'Library'));
    await badge(page).getByText('Already in this folder').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    // On the ground of its own folder nothing happens.
    await drag(page, tile(page, 'coast'), page.locator('.files-count'));
    await expect.poll(() => badge(page).textContent()).toBe('1Move');
    await page.mouse.up();
    expect(await exists(service, 'coast.jpg')).toBe(true);
  });

  test('opens folders on which it rests, one after the other, and drops on their ground', async () => {
    const page = await begin('files', { canRest: true });
    await thumbnailsOf(page, 'coast.jpg');
    await drag(page, tile(page, 'coast'), tile(page, 'Holidays'));
    await page.waitForURL('**/files/Holidays');
    await tile(page, 'Rome').waitFor();
    const rome = await middleOf(tile(page, 'Rome'));
    await page.mouse.move(rome.x, rome.y, { steps: 3 });
    await page.waitForURL('**/files/Holidays/Rome');
    await tile(page, 'inside').waitFor();
    const ground = await middleOf(page.getByRole('grid'));
    await page.mouse.move(ground.x, ground.y, { steps: 3 });
    await badge(page).getByText('Move to Rome').waitFor();
    await page.mouse.up();
    await tile(page, 'coast').waitFor();
    expect(await exists(service, 'Holidays/Rome/coast.jpg')).toBe(true);
    // And back, over the breadcrumbs.
    await thumbnailsOf(page, 'coast.jpg');
    await drag(page, tile(page, 'coast'), crumb(page, 'Library'));
    await page.waitForURL(/\/files\/?$/);
    await tile(page, 'Products').waitFor();
    await badge(page).getByText('Move to Library').waitFor();
    await page.mouse.up();
    await tile(page, 'coast').waitFor();
    expect(await exists(service, 'coast.jpg')).toBe(true);
  });

  test('keeps old URLs by the last choice: a folder by one redirect, and what cannot have one without', async () => {
    for (const name of ['one', 'two']) await service.upload({ [`${name}.jpg`]: await gradient(1) }, { folder: 'Set' });
    const space = { id: 'acme', name: 'Acme', folder: 'Acme' };
    expect((await sendJson(service, 'POST', '/spaces', space)).ok).toBe(true);
    const own = async () => (await redirectsIn(service)).filter((one) => one.startsWith('Set'));
    const page = await begin();
    await drag(page, tile(page, 'Set'), tile(page, 'Products'));
    await page.mouse.up();
    await page.getByText('Moved 1 item to Products. The old URLs keep working.').waitFor();
    expect(await own()).toEqual(['Set -> Products/Set']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'Set').waitFor();
    await expect.poll(own).toEqual([]);
    // No redirect leads into a space.
    await drag(page, tile(page, 'Set'), tile(page, 'Acme'));
    await page.mouse.up();
    await page
      .getByText('Moved 1 item to Acme. The old URLs of 1 item have ended: no redirect was possible.')
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'Set').waitFor();
    await tile(page, 'Set').focus();
    await page.keyboard.press('F2');
    await page.getByRole('checkbox', { name: /^Keep the old URLs working/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await drag(page, tile(page, 'Set'), tile(page, 'Products'));
    await page.mouse.up();
    await page.getByText('Moved 1 item to Products.', { exact: true }).waitFor();
    expect(await own()).toEqual([]);
  });

  test('takes rows of the list, and scrolls at the edges', async () => {
    const page = await begin('files?view=list');
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
    await drag(page, row('coast'), row('Products'));
    await badge(page).getByText('Move to Products').waitFor();
    await page.mouse.up();
    await page.getByText('Moved 1 item to Products. The old URL keeps working.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await row('coast').waitFor();
    await page.goto(`${service.url}/dashboard/files/many`);
    await tile(page, '000').waitFor();
    const grid = page.getByRole('grid');
    const box = await boxOf(grid);
    const from = await middleOf(tile(page, '000'));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x, box.y + box.height - 4, { steps: 4 });
    await tile(page, '149').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
  });
});

describeInBrowser('the selection rectangle', () => {
  test('begins on empty ground alone', async () => {
    const page = await begin();
    await drag(page, tile(page, 'alps'), tile(page, 'dunes'));
    await badge(page).waitFor();
    expect(await page.locator('.files-band').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.mouse.up();
    const { x, y } = await boxOf(tile(page, 'alps'));
    await page.mouse.move(x - 6, y + 20);
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 40, { steps: 3 });
    await page.locator('.files-band').waitFor();
    expect(await badge(page).count()).toBe(0);
    await page.mouse.up();
    await page.getByText('1 selected').first().waitFor();
  });
});

/** Drags files of the desktop over an element. @returns drops them */
const bring = (page: Page, names: readonly string[], target: Locator) =>
  dragFiles(
    page,
    names.map((name) => join(desktop.folder, name)),
    target,
  );

describeInBrowser('files of the desktop', () => {
  test('are uploaded to the folder on which they are dropped: a tile, a row, a breadcrumb', async () => {
    const page = await begin();
    await settled(page);
    const drop = await bring(page, ['new.jpg'], tile(page, 'Products'));
    await page.getByText('Drop to upload to Products').waitFor();
    expect(await tile(page, 'Products').getAttribute('data-drop-mark')).toBe('taken');
    await saveScreenshot(page, 'dragging-files-light');
    await drop();
    await expect.poll(() => exists(service, 'Products/new.jpg')).toBe(true);
    expect(await page.getByText('Drop to upload to').count()).toBe(0);
    await page.goto(`${service.url}/dashboard/files/Holidays?view=list`);
    const row = page.getByRole('row', { name: /^Rome/ });
    await row.waitFor();
    await (await bring(page, ['newer.jpg', 'more'], row))();
    await expect.poll(() => exists(service, 'Holidays/Rome/more/last.jpg')).toBe(true);
    expect(await exists(service, 'Holidays/Rome/newer.jpg')).toBe(true);
    await (await bring(page, ['newest.jpg'], crumb(page, 'Library')))();
    await expect.poll(() => exists(service, 'newest.jpg')).toBe(true);
  });

  test('open the folder on which they rest', async () => {
    const page = await begin('files', { canRest: true });
    await bring(page, ['new.jpg'], tile(page, 'Holidays'));
    await page.waitForURL('**/files/Holidays');
    await tile(page, 'Rome').waitFor();
  });
});
