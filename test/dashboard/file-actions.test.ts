import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, lookAtAll, openWindow, type Window } from './browser.ts';
import { focused, gradient, open, openLibrary, redirectsIn, sendJson, thumbnailsOf, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
let image: Buffer;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  image = await gradient(1);
  await service.upload({ 'logo.jpg': image, 'banner.jpg': await gradient(2), 'old.jpg': await gradient(3) });
  await service.upload({ 'inside.jpg': await gradient(4) }, { folder: 'Campaigns/Spring' });
  await service.upload({ 'inside.jpg': await gradient(5) }, { folder: 'Archive' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const begin = async (path?: string) => (await openLibrary(service, path)).page;

const redirects = () => redirectsIn(service);
const statusOf = async (path: string) => (await service.authorized(path)).status;
/** Selected part of the focused field. */
const SELECTED = `(({ activeElement: { value, selectionStart, selectionEnd } }) => value.slice(selectionStart, selectionEnd))(document)`;

describeInBrowser('renaming', () => {
  test('selects the stem, names what a name cannot have, and keeps the old URL', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'logo.jpg');
    await tile(page, 'logo').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByText('The URL changes with the name.').waitFor();
    await expect.poll(() => page.evaluate(SELECTED)).toBe('logo');
    await page.keyboard.type('brand?');
    await dialog.getByText('Names cannot contain ?. Choose another name.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Rename' }).isDisabled()).toBe(true);
    await page.keyboard.press('Backspace');
    await dialog.getByRole('alert').waitFor({ state: 'detached' });
    expect(await dialog.getByRole('checkbox', { name: /^Keep the old URL working/ }).isChecked()).toBe(true);
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByText('Renamed to brand.jpg. The old URL keeps working.').waitFor();
    await thumbnailsOf(page, 'brand.jpg');
    const response = await service.authorized('/t/logo.jpg');
    expect([response.status, response.headers.get('link')]).toEqual([200, '</t/brand.jpg>; rel="canonical"']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'logo').waitFor();
    expect(await redirects()).toEqual([]);
  });

  test('keeps the extension unless its change is confirmed', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'old.jpg');
    const rename = async (from: string, to: string) => {
      await tile(page, from).focus();
      await page.keyboard.press('F2');
      const name = page.getByRole('textbox', { name: 'Name' });
      await expect.poll(() => name.inputValue()).toMatch(new RegExp(`^${from}`));
      await name.fill(to);
      await page.keyboard.press('Enter');
    };
    await rename('old', 'new.png');
    const question = page.getByRole('dialog', { name: 'Change the extension?' });
    await question.getByText('The file is named new.png.').waitFor();
    await question.getByRole('button', { name: 'Back' }).click();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('new.png');
    await page.getByRole('button', { name: 'Rename' }).click();
    // "Keep .jpg" has the focus.
    await question.getByRole('button', { name: 'Keep .jpg' }).waitFor();
    await page.keyboard.press('Enter');
    await tile(page, 'new.jpg').waitFor();
    await thumbnailsOf(page, 'new.jpg');
    await rename('new', 'new');
    await question.getByRole('button', { name: 'Use no extension' }).click();
    await page
      .getByText('Renamed to new. The old URL has ended: no redirect leads to a file of another kind.')
      .waitFor();
    await tile(page, 'new').waitFor();
    await expect.poll(() => statusOf('/storage/new/metadata')).toBe(200);
    await rename('new', 'old.jpg');
    await question.getByRole('button', { name: 'Use .jpg' }).click();
    await tile(page, 'old.jpg').waitFor();
  });

  test('of a folder keeps the URLs below it, and undone leaves nothing behind', async () => {
    const page = await begin();
    await tile(page, 'Archive').focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await expect.poll(() => page.evaluate(SELECTED)).toBe('Archive');
    await page.keyboard.type('Attic');
    expect(await dialog.getByRole('checkbox', { name: /^Keep the old URLs working/ }).isChecked()).toBe(true);
    await page.keyboard.press('Enter');
    await tile(page, 'Attic').waitFor();
    expect(await statusOf('/t/Archive/inside.jpg')).toBe(200);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'Archive').waitFor();
    expect([await redirects(), await statusOf('/t/Attic/inside.jpg')]).toEqual([[], 404]);
  });

  test('explains the characters that a new folder cannot have', async () => {
    const page = await begin();
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('a/b:c?');
    await page.getByText('Names cannot contain / ?. Choose another name.').waitFor();
    expect(await page.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true);
  });
});

describeInBrowser('moving', () => {
  test('finds folders, remembers them, refuses those that cannot be, and keeps old URLs', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'banner.jpg');
    await tile(page, 'banner').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move to folder' }).click();
    const dialog = page.getByRole('dialog', { name: /^Move 1 item/ });
    const move = dialog.getByRole('button', { name: 'Move here' });
    await dialog.getByText('The item is already in this folder.').waitFor();
    expect(await move.isDisabled()).toBe(true);
    const sought: string[] = [];
    page.on('request', (request) => {
      const text = /\/storage\?.*search=(\w+)/.exec(request.url())?.[1];
      if (text) sought.push(text);
    });
    await dialog.getByRole('searchbox', { name: 'Search folders' }).focus();
    // Without a round trip between them, they come within the pause after which the folders are searched.
    await Promise.all([...'arch'].map((key) => page.keyboard.press(key)));
    await dialog.getByRole('button', { name: /^Archive/ }).click();
    expect(sought).toEqual(['arch']);
    await dialog.getByText('No subfolders.').waitFor();
    expect(await dialog.getByRole('checkbox', { name: /^Keep the old URL working/ }).isChecked()).toBe(true);
    await move.click();
    await page.getByText('Moved 1 item to Archive. The old URL keeps working.').waitFor();
    expect([await statusOf('/t/banner.jpg'), await redirects()]).toEqual([200, ['banner.jpg -> Archive/banner.jpg']]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await tile(page, 'banner').waitFor();
    expect(await redirects()).toEqual([]);

    await tile(page, 'Campaigns').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Move to folder' }).click();
    await dialog.getByRole('button', { name: 'Campaigns' }).click();
    await dialog.getByText('“Campaigns” cannot be moved into itself.').waitFor();
    await dialog.getByRole('button', { name: 'Spring' }).click();
    await dialog.getByText('No subfolders.').waitFor();
    expect(await move.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await expect.poll(() => move.isDisabled()).toBe(false);
    await dialog.getByRole('checkbox', { name: /^Keep the old URLs working/ }).waitFor();
  });

  test('looks well', async () => {
    await lookAtAll(service, 'files-move', async (page) => {
      await open(page, service);
      await page.evaluate(`localStorage.setItem('darkroom-recent-folders /', '["Campaigns/Spring", "Archive"]')`);
      await tile(page, 'banner').focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Move to folder', exact: true }).click();
      await page.getByRole('dialog').getByText('Recent').waitFor();
    });
  });

  test('looks well while renaming, also with another extension', async () => {
    await lookAtAll(service, 'files-rename', async (page) => {
      await open(page, service);
      await tile(page, 'banner').focus();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Name' }).waitFor();
    });
    await lookAtAll(service, 'files-extension', async (page) => {
      await open(page, service);
      await tile(page, 'banner').focus();
      await page.keyboard.press('F2');
      await page.getByRole('textbox', { name: 'Name' }).fill('banner.png');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Change the extension?' }).waitFor();
    });
  });
});

describeInBrowser('deleting', () => {
  test('asks nothing for a folder either, and can be undone', async () => {
    const page = await begin();
    // The message has the number that the tile shows.
    await tile(page, 'Campaigns').getByText('1 item').waitFor();
    await tile(page, 'Campaigns').focus();
    await page.keyboard.press('Delete');
    await page.getByText('Deleted the folder Campaigns with 1 item.').waitFor();
    await tile(page, 'Campaigns').waitFor({ state: 'detached' });
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    await focused(page).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored the folder Campaigns with 1 item.').waitFor();
    await tile(page, 'Campaigns').waitFor();
    expect(await statusOf('/t/Campaigns/Spring/inside.jpg')).toBe(200);
  });

  test('from the details and the selection takes them along, and gives the focus to the files', async () => {
    const page = await begin();
    await thumbnailsOf(page, 'banner.jpg', 'logo.jpg');
    await tile(page, 'banner').click();
    const details = page.getByRole('complementary');
    await details.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await page.getByText('Deleted banner.jpg.').waitFor();
    await expect.poll(() => details.count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored banner.jpg.').waitFor();
    await tile(page, 'banner').waitFor();
    await thumbnailsOf(page, 'banner.jpg');
    await tile(page, 'banner').click({ modifiers: ['Control'] });
    await tile(page, 'logo').click({ modifiers: ['Control'] });
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted banner.jpg and 1 other.').waitFor();
    await focused(page).waitFor();
    await page.keyboard.press('Control+z');
    await tile(page, 'banner').waitFor();
    await tile(page, 'logo').waitFor();
  });

  test('permanently asks, and Enter confirms: at once for a file, after the number for a folder', async () => {
    await service.upload({ 'zz.jpg': image });
    await service.upload({ 'in.jpg': image }, { folder: 'Zz' });
    const page = await begin();
    await thumbnailsOf(page, 'zz.jpg');
    await tile(page, 'zz').focus();
    await page.keyboard.press('Shift+Delete');
    await page.getByRole('alertdialog', { name: 'Delete 1 item permanently?' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Deleted zz.jpg permanently.').waitFor();
    await tile(page, 'zz').waitFor({ state: 'detached' });
    await tile(page, 'Zz').focus();
    await page.keyboard.press('Shift+Delete');
    const field = page.getByLabel('Type 1 to confirm');
    await field.waitFor();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('alertdialog').count()).toBe(1);
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await tile(page, 'Zz').waitFor({ state: 'detached' });
    const { items } = (await (await service.authorized('/trash')).json()) as { items: { path: string }[] };
    expect(items.map(({ path }) => path)).toEqual([]);
  });
});

describeInBrowser('a folder that is not there', () => {
  test('says so, and leads to the nearest one that is', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/files/Campaigns/Summer/Beach`);
    await page.getByRole('heading', { name: 'There is no folder “Beach”' }).waitFor();
    await page.getByRole('link', { name: 'Go to Campaigns' }).click();
    await tile(page, 'Spring').waitFor();
    await service.authorized('/storage/Archive/inside.jpg', { method: 'DELETE' });
    await page.goto(`${service.url}/dashboard/files/Archive`);
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor();
  });
});

describeInBrowser('a session that has ended', () => {
  const signIn = (page: Window['page']) => page.getByRole('dialog', { name: 'Sign in again' });
  const hasFocus = (page: Window['page']) =>
    expect.poll(() => signIn(page).evaluate((dialog) => dialog.matches(':focus-within'))).toBe(true);
  const signInAgain = async (page: Window['page']) => {
    await signIn(page).getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
    await signIn(page).getByRole('button', { name: 'Sign in' }).click();
  };

  test('asks to sign in first, and then opens the dialog of F2', async () => {
    window = await openWindow({ service });
    const { page, context } = window;
    const release = await hold(page, '**/assets/session-dialog-*.js');
    await open(page, service);
    await thumbnailsOf(page, 'banner.jpg');
    await context.clearCookies();
    const [answer] = await Promise.all([page.waitForResponse('**/assets/banner.jpg'), tile(page, 'banner').click()]);
    expect(answer.status()).toBe(401);
    await tile(page, 'banner').focus();
    await page.keyboard.press('F2');
    release();
    await signIn(page).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await hasFocus(page);
    await signInAgain(page);
    await page.getByRole('dialog', { name: 'Rename' }).waitFor();
    await expect.poll(() => page.evaluate(SELECTED)).toBe('banner');
  });

  test('asks over a dialog that is open already, which keeps what was typed', async () => {
    const { page, context } = await openLibrary(service);
    await thumbnailsOf(page, 'banner.jpg');
    await tile(page, 'banner').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('typed.jpg');
    await context.clearCookies();
    await page.keyboard.press('Enter');
    await signIn(page).waitFor();
    // The other dialog is inert below it.
    const below = page.getByRole('dialog', { name: 'Rename', includeHidden: true });
    const isInert = () => below.evaluate((dialog) => dialog.closest('[inert], [aria-hidden="true"]') !== null);
    await expect.poll(isInert).toBe(true);
    await hasFocus(page);
    await signInAgain(page);
    await tile(page, 'typed.jpg').waitFor();
    expect((await sendJson(service, 'PATCH', '/storage/typed.jpg', { name: 'banner.jpg' })).status).toBe(200);
  });
});
