import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll } from './browser.ts';
import { exists, gradient, middleOf, open, openLibrary, settled, thumbnailsOf, tile } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await service.upload({ 'alps.jpg': await gradient(1), 'bridge.jpg': await gradient(2) });
  for (const folder of ['Customers/Nordic/Spring', 'Customers/Alpine', 'Products', 'Zoo'])
    await service.upload({ 'inside.jpg': await gradient(folder.length) }, { folder });
});
afterAll(() => service.close());

async function begin(path?: string): Promise<Page> {
  const { page } = await openLibrary(service, path);
  await item(page, 'Library').waitFor();
  return page;
}

const tree = (page: Page) => page.getByRole('tree', { name: 'Folders' });
const item = (page: Page, name: string) => tree(page).getByRole('treeitem', { name, exact: true });
const names = (page: Page) => tree(page).getByRole('treeitem').allTextContents();
const focusedItem = (page: Page) => page.locator('[role="treeitem"]:focus').textContent();

describeInBrowser('the tree of folders', () => {
  test('reads a level when it is unfolded, shows the open folder, and remembers what was unfolded', async () => {
    const page = await begin();
    const read: string[] = [];
    page.on('request', (request) => {
      const path = /\/storage\?path=([^&]*)&limit=200$/.exec(request.url())?.[1];
      if (path) read.push(decodeURIComponent(path));
    });
    expect(await names(page)).toEqual(['Library', 'Customers', 'Products', 'Zoo']);
    expect(await item(page, 'Library').getAttribute('aria-current')).toBe('page');
    await item(page, 'Customers').locator('.tree-toggle').click();
    await item(page, 'Nordic').waitFor();
    expect(await names(page)).toEqual(['Library', 'Customers', 'Alpine', 'Nordic', 'Products', 'Zoo']);
    expect(read).toEqual(['Customers']);
    expect(page.url()).not.toContain('Customers');
    await item(page, 'Nordic').click();
    await tile(page, 'Spring').waitFor();
    expect(await item(page, 'Nordic').getAttribute('aria-current')).toBe('page');
    expect(await item(page, 'Nordic').getAttribute('aria-level')).toBe('3');
    // A folder that is opened in the grid unfolds those above it.
    await tile(page, 'Spring').click();
    await item(page, 'Spring').waitFor();
    expect(await item(page, 'Spring').getAttribute('aria-current')).toBe('page');
    await page.goto(`${service.url}/dashboard/files`);
    await item(page, 'Spring').waitFor();
    await item(page, 'Library').locator('.tree-toggle').click();
    await expect.poll(() => names(page)).toEqual(['Library']);
    await page.reload();
    await item(page, 'Library').waitFor();
    expect(await names(page)).toEqual(['Library']);
    await item(page, 'Library').locator('.tree-toggle').click();
    await item(page, 'Zoo').waitFor();
  });

  test('has no arrow at a folder that has been opened and has no subfolders', async () => {
    const page = await begin();
    expect(await item(page, 'Zoo').locator('.tree-toggle').count()).toBe(1);
    const read: string[] = [];
    page.on('request', (request) => {
      if (/\/storage\?path=Zoo/.test(request.url())) read.push(request.url());
    });
    await item(page, 'Zoo').click();
    await tile(page, 'inside.jpg').waitFor();
    await expect.poll(() => item(page, 'Zoo').locator('.tree-toggle').count()).toBe(0);
    expect(await item(page, 'Zoo').getAttribute('aria-expanded')).toBeNull();
    expect(read.length).toBe(1);
    await item(page, 'Products').click();
    await expect.poll(() => item(page, 'Products').locator('.tree-toggle').count()).toBe(0);
    expect(await item(page, 'Zoo').locator('.tree-toggle').count()).toBe(0);
  });

  test('is gone through by keys', async () => {
    const page = await begin('files/Products');
    await item(page, 'Products').focus();
    await page.keyboard.press('Home');
    expect(await focusedItem(page)).toBe('Library');
    await page.keyboard.press('c');
    expect(await focusedItem(page)).toBe('Customers');
    await page.keyboard.press('ArrowRight');
    await item(page, 'Alpine').waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await focusedItem(page)).toBe('Alpine');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => item(page, 'Alpine').count()).toBe(0);
    expect(await item(page, 'Customers').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('End');
    expect(await focusedItem(page)).toBe('Zoo');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/files/Zoo');
    await tile(page, 'inside').waitFor();
    expect(await focusedItem(page)).toBe('Zoo');
    // One item is in the tab order.
    expect(await tree(page).locator('[tabindex="0"]').count()).toBe(1);
  });

  test('takes what is dragged onto a folder, which unfolds when the drag rests there', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'alps.jpg');
    const from = await middleOf(tile(page, 'alps'));
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    const customers = await middleOf(item(page, 'Customers'));
    await page.mouse.move(customers.x, customers.y, { steps: 5 });
    await item(page, 'Nordic').waitFor();
    expect(page.url()).not.toContain('Customers');
    const nordic = await middleOf(item(page, 'Nordic'));
    await page.mouse.move(nordic.x, nordic.y, { steps: 2 });
    await page.locator('.drag-badge').getByText('Move to Nordic').waitFor();
    await page.mouse.up();
    await page.getByText('Moved 1 item to Nordic. The old URL keeps working.').waitFor();
    expect(await exists(service, 'Customers/Nordic/alps.jpg')).toBe(true);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'alps').waitFor();
  });

  test('is there on wide screens alone, unless the sidebar is collapsed', async () => {
    const page = await begin();
    await page.setViewportSize({ width: 1024, height: 800 });
    await expect.poll(() => tree(page).count()).toBe(0);
    await page.setViewportSize({ width: 1025, height: 800 });
    await tree(page).waitFor();
    await page.getByRole('button', { name: 'Collapse sidebar' }).click();
    await expect.poll(() => tree(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Expand sidebar' }).click();
    await tree(page).waitFor();
  });

  test('leaves the links of the sidebar where they are when another page is opened', async () => {
    const page = await begin('files/Customers/Nordic');
    const links = page.getByRole('navigation', { name: 'Main' }).locator('.side-link, .tree-item');
    await item(page, 'Nordic').waitFor();
    const boxes = () => links.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().y));
    const before = await boxes();
    for (const name of ['Trash', 'Status', 'Playground', 'Audit log', 'Files']) {
      await page.getByRole('link', { name, exact: true }).click();
      await page.locator('.side-link.is-current').getByText(name).waitFor();
      expect([name, await boxes()]).toEqual([name, before]);
      expect([name, await tree(page).locator('[aria-current]').count()]).toEqual([name, name === 'Files' ? 1 : 0]);
    }
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash', exact: true }).waitFor();
    await item(page, 'Nordic').click();
    await page.waitForURL('**/files/Customers/Nordic');
    await tile(page, 'Spring').waitFor();
  });

  test('looks well', async () => {
    await lookAtAll(service, 'files-tree', async (page) => {
      await open(page, service, 'files/Customers/Nordic');
      await settled(page);
      if ((page.viewportSize()?.width ?? 0) > 1024) await item(page, 'Nordic').waitFor();
    });
  });
});
