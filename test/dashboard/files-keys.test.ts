import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, type Window } from './browser.ts';
import { exists, focused, gradient, open, openLibrary, settled, tile } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['alps', 'harbour', 'hills', 'market', 'night', 'old town'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
  await service.upload({ 'inside.jpg': await gradient(9) }, { folder: 'Holidays' });
});
afterAll(() => service.close());

const begin = async (path?: string) => (await openLibrary(service, path)).page;

async function makeFolder(name: string): Promise<void> {
  const form = new FormData();
  form.set('folder', name);
  expect((await service.authorized('/upload/createfolder', { method: 'POST', body: form })).status).toBe(201);
}

describeInBrowser('the keys of the library', () => {
  test('go to a name that is typed, and on to the next one that begins with the same letter', async () => {
    const page = await begin();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.type('ha');
    await expect.poll(() => focused(page).textContent()).toMatch(/^harbour/);
    await page.keyboard.type('r');
    await expect.poll(() => focused(page).textContent()).toMatch(/^harbour/);
    await page.keyboard.press('End');
    // Shift types a shortcut letter as part of a name.
    await page.keyboard.press('Shift+N');
    await expect.poll(() => focused(page).textContent()).toMatch(/^night/);
  });

  test('copy into an empty folder that was gone to by keys alone, and take it back', async () => {
    await makeFolder('Copies');
    const page = await begin();
    await tile(page, 'alps').focus();
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 item.').waitFor();
    await tile(page, 'Copies').focus();
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await page.keyboard.press('Control+v');
    await tile(page, 'alps').waitFor();
    await expect.poll(() => exists(service, 'Copies/alps.jpg')).toBe(true);
    expect(await exists(service, 'alps.jpg')).toBe(true);
    await page.keyboard.press('Control+z');
    await page.getByText('This folder is empty').waitFor();
    expect(await exists(service, 'Copies/alps.jpg')).toBe(false);
    await page.keyboard.press('Alt+ArrowUp');
    // The focus returns to the folder that was left.
    await expect.poll(() => focused(page).textContent()).toMatch(/^Copies/);
  });

  test('cut files, which look so until they are moved, and move them back', async () => {
    await makeFolder('Moved');
    const page = await begin();
    await tile(page, 'harbour').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+x');
    await page.getByText('Cut 2 items.').waitFor();
    expect(await page.locator('.is-cut').count()).toBe(2);
    await page.getByRole('gridcell', { description: 'Cut' }).first().waitFor();
    // Pasting into the source folder is rejected.
    await page.keyboard.press('Control+v');
    await page.getByText('The items are already in this folder.').waitFor();
    await tile(page, 'Moved').focus();
    await page.keyboard.press('Enter');
    await page.getByText('This folder is empty').waitFor();
    await page.keyboard.press('Control+v');
    await tile(page, 'hills').waitFor();
    expect([await exists(service, 'Moved/harbour.jpg'), await exists(service, 'harbour.jpg')]).toEqual([true, false]);
    await page.keyboard.press('Control+z');
    await page.getByText('This folder is empty').waitFor();
    expect([await exists(service, 'harbour.jpg'), await exists(service, 'hills.jpg')]).toEqual([true, true]);
    await page.keyboard.press('Control+z');
    await page.getByText('Nothing to undo.').waitFor();
    await page.keyboard.press('Backspace');
    await tile(page, 'harbour').waitFor();
    expect(await page.locator('.is-cut').count()).toBe(0);
  });

  test('let go of what was cut', async () => {
    const page = await begin();
    await tile(page, 'market').focus();
    await page.keyboard.press('Control+x');
    await page.locator('.is-cut').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.is-cut').count()).toBe(0);
    await page.keyboard.press('Control+v');
    await page.getByText('Nothing to paste. Copy or cut items first.').waitFor();
  });

  test('open the menu of what can be done, and give the focus back', async () => {
    const page = await begin();
    await tile(page, 'market').focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    const names = await page.getByRole('menuitem').allTextContents();
    expect(names).toEqual([
      'OpenEnter',
      'Copy URL',
      'Copy as',
      'Open in playground',
      'Duplicate',
      'Download',
      'RenameF2',
      'Replace file',
      'CutCtrl+X',
      'CopyCtrl+C',
      'Move to folder',
      'Copy to folder',
      'Tag',
      'Clear cached variants',
      'DeleteDel',
      'Delete permanentlyShift+Del',
    ]);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page).textContent()).toMatch(/^market/);
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog', { name: 'Rename' }).waitFor();
  });
});

/** Delays the next animation frame of the page, as a busy host does. @returns releases the frame */
async function holdFrames(page: Window['page']): Promise<() => Promise<void>> {
  await page.evaluate(`
    window.framesToCome = [];
    window.frame = window.requestAnimationFrame;
    window.requestAnimationFrame = (callback) => window.framesToCome.push(callback);
  `);
  return async () => {
    await page.evaluate(`
      window.requestAnimationFrame = window.frame;
      for (const callback of window.framesToCome) window.requestAnimationFrame(callback);
    `);
  };
}

describeInBrowser('a file that is deleted by keys', () => {
  test('leaves the focus to its neighbour, also when it is gone before a dialog has given it back', async () => {
    await service.upload({ 'zebra.jpg': await gradient(11) });
    const page = await begin();
    await tile(page, 'zebra').focus();
    await page.keyboard.press('Shift+Delete');
    const button = page.getByRole('alertdialog').getByRole('button', { name: 'Delete permanently' });
    await button.focus();
    const letFramesGo = await holdFrames(page);
    await page.keyboard.press('Enter');
    await tile(page, 'zebra').waitFor({ state: 'detached' });
    await letFramesGo();
    await expect
      .poll(() =>
        focused(page)
          .textContent({ timeout: 1000 })
          .catch(() => ''),
      )
      .toMatch(/^old town/);
  });
});

describeInBrowser('the menu at the pointer', () => {
  test('is about what is under it, and about all that is selected where that is', async () => {
    const page = await begin();
    await tile(page, 'harbour').click({ modifiers: ['Control'] });
    await tile(page, 'market').click({ modifiers: ['Control'] });
    await tile(page, 'hills').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Delete permanently' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete 1 item permanently?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await tile(page, 'market').click({ button: 'right' });
    const move = page.getByRole('menuitem', { name: 'Move to folder' });
    await move.waitFor();
    expect(await page.getByRole('menuitem', { name: 'Rename' }).count()).toBe(0);
    await move.click();
    await page.getByRole('dialog', { name: /^Move 2 items/ }).waitFor();
  });

  test('beside the files is about the folder', async () => {
    const page = await begin();
    await page.locator('.files-count').click({ button: 'right' });
    expect(await page.getByRole('menuitem', { name: 'Paste' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('menuitem', { name: 'Select all' }).click();
    await page.getByRole('toolbar').waitFor();
  });

  test('looks well', async () => {
    await lookAtAll(service, 'files-menu', async (page) => {
      await open(page, service);
      await settled(page);
      await tile(page, 'hills').focus();
      await page.keyboard.press('Shift+F10');
      await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    });
  });

  test('and what was cut look well', async () => {
    await lookAtAll(service, 'files-cut', async (page) => {
      await open(page, service);
      await settled(page);
      await tile(page, 'hills').focus();
      await page.keyboard.press('Control+x');
      await page.locator('.is-cut').waitFor();
    });
  });
});

describeInBrowser('shortcuts of a single letter', () => {
  test('are turned off in the settings, for this browser', async () => {
    const page = await begin();
    await page.goto(`${service.url}/dashboard/settings`);
    await page.getByRole('checkbox', { name: /^Single-letter shortcuts/ }).uncheck();
    await open(page, service);
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('n');
    await expect.poll(() => focused(page).textContent()).toMatch(/^night/);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.goto(`${service.url}/dashboard/settings`);
    await page.getByRole('checkbox', { name: /^Single-letter shortcuts/ }).check();
    await open(page, service);
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New folder' }).waitFor();
  });
});
