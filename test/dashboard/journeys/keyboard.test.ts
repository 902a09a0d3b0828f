import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../service.ts';
import { FROM_ANYWHERE } from '../../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from '../browser.ts';
import { focused, photo, thumbnailsOf, tile } from '../library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

/** More tab stops than any page has. */
const MAX_STOPS = 60;

const hasFocus = (one: Locator): Promise<boolean> =>
  one.first().evaluate((element) => element.matches(':focus, :has(:focus)'));

/** Presses Tab until an element has the focus. */
async function tabTo({ keyboard }: Window['page'], one: Locator, key = 'Tab'): Promise<void> {
  await one.first().waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await hasFocus(one)) return;
    await keyboard.press(key);
  }
  throw new Error(`Tab does not lead to ${one}.`);
}

/** The only grid item in the tab order. */
const tabStop = (page: Window['page']) => page.locator('[data-index][tabindex="0"]');
const isOn = (page: Window['page'], name: string) =>
  expect
    .poll(() =>
      focused(page)
        .textContent({ timeout: 1000 })
        .catch(() => ''),
    )
    .toContain(name);

/**
 * Intercepts the next file chooser and waits until the page knows: a key pressed earlier would overtake the request.
 */
async function catchChooser(page: Window['page']) {
  const opened = page.waitForEvent('filechooser');
  await page.evaluate('');
  return { opened };
}

describeInBrowser('the whole library, by keyboard alone', () => {
  test('is reached by signing in, filled, tidied and searched', async () => {
    window = await openWindow();
    const { page, problems } = window;
    const { keyboard } = page;
    await page.goto(`${service.url}/dashboard`);
    await tabTo(page, page.getByRole('textbox', { name: 'Email' }));
    await keyboard.type(ADMIN.ADMIN_EMAIL);
    await tabTo(page, page.getByLabel('Password', { exact: true }));
    await keyboard.type(ADMIN.ADMIN_PASSWORD);
    await keyboard.press('Enter');

    // Empty library: its only action opens the file chooser at once.
    await page.getByText('Your library is empty').waitFor();
    const upload = page.locator('.files-bar').getByRole('button', { name: 'Upload', exact: true });
    await tabTo(page, upload);
    const chooser = await catchChooser(page);
    await keyboard.press('Enter');
    await (await chooser.opened).setFiles([photo('one.jpg'), photo('three.jpg'), photo('two.jpg')]);
    await tile(page, 'two.jpg').waitFor();
    // What has arrived is selected.
    await page.getByText('3 selected').first().waitFor();
    await keyboard.press('Escape');

    // Through the navigation into the grid; create a folder.
    await tabTo(page, tabStop(page));
    await isOn(page, 'one.jpg');
    await keyboard.press('n');
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
    await keyboard.type('Trips');
    await keyboard.press('Enter');
    await tile(page, 'Trips').waitFor();
    await isOn(page, 'Trips');

    // Edit the metadata of a file; the focus returns to it.
    await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    await tabTo(page, page.getByRole('textbox', { name: 'Alt text' }));
    await keyboard.type('A face in the sun');
    await keyboard.press('Tab');
    await page.getByText('Saved.').waitFor();
    // The file moves next: an image that is still loading would not be found.
    const preview = page.getByRole('complementary').locator('img').first();
    await expect
      .poll(() => preview.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBeGreaterThan(0);
    await keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await isOn(page, 'one.jpg');

    // Move with the toolbar, then undo with the keyboard, because the "Undo" button disappears after a while.
    await thumbnailsOf(page, 'one.jpg', 'three.jpg');
    await keyboard.press('Space');
    await keyboard.press('Shift+ArrowRight');
    await page.getByText('2 selected').first().waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Move to folder' }), 'Shift+Tab');
    await keyboard.press('Enter');
    const move = page.getByRole('dialog', { name: /^Move 2 items/ });
    await tabTo(page, move.getByRole('button', { name: 'Trips' }));
    await keyboard.press('Enter');
    await move.getByText('No subfolders.').waitFor();
    await tabTo(page, move.getByRole('button', { name: 'Move here' }));
    await keyboard.press('Enter');
    await page.getByText('Moved 2 items to Trips. The old URLs keep working.').waitFor();
    await expect.poll(() => page.getByRole('gridcell').count()).toBe(2);
    // The folder shows a preview of its content. Wait for thumbnails: their requests would fail after the move.
    const widths = `[...document.querySelectorAll('.thumb.is-folder img')].map((image) => image.naturalWidth)`;
    await expect.poll(() => page.evaluate(widths)).toEqual([320, 320]);
    await keyboard.press('Control+z');
    await tile(page, 'three.jpg').waitFor();

    // Rename and move to the trash: the focus stays in the grid.
    await tabTo(page, tabStop(page));
    await keyboard.press('End');
    await isOn(page, 'two.jpg');
    await thumbnailsOf(page, 'two.jpg');
    await keyboard.press('F2');
    await page.getByRole('dialog', { name: 'Rename' }).waitFor();
    await keyboard.press('Control+a');
    await keyboard.type('zwei.jpg');
    await keyboard.press('Enter');
    await tile(page, 'zwei.jpg').waitFor();
    await isOn(page, 'zwei.jpg');
    await thumbnailsOf(page, 'zwei.jpg');
    await keyboard.press('Delete');
    await page.getByText('Deleted zwei.jpg.').waitFor();
    await isOn(page, 'three.jpg');

    // Search, sort, switch to the list; enter a folder and leave it.
    await keyboard.press('/');
    await tabTo(page, page.getByRole('searchbox'));
    await keyboard.type('sun');
    // It is a tag: no name has it.
    await tabTo(page, page.getByRole('button', { name: 'Search titles, alt texts and tags (1)' }));
    await keyboard.press('Enter');
    await page.getByText('1 item found for “sun”').waitFor();
    await tabTo(page, page.getByRole('searchbox'));
    await keyboard.press('Escape');
    await tile(page, 'Trips').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Sort and filter' }));
    await keyboard.press('ArrowDown');
    await expect.poll(() => hasFocus(page.getByRole('menuitem', { name: 'By name' }))).toBe(true);
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await page.waitForURL('**/files?sort=mtime');
    await tabTo(page, tabStop(page));
    await keyboard.press('v');
    await page.getByRole('columnheader', { name: 'Size' }).waitFor();
    await tabTo(page, tabStop(page));
    await keyboard.press('Home');
    await isOn(page, 'Trips');
    await keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await tabTo(
      page,
      page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Library' }),
      'Shift+Tab',
    );
    await keyboard.press('Enter');
    await page.getByRole('row', { name: /^one.jpg/ }).waitFor();
    expect(problems).toEqual([]);
  });
});
