import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { addPerson, PASSWORD, type PersonOptions } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, lookAtAll, openWindow, type Window } from './browser.ts';
import { choose, detailsOf, exists, open, openLibrary, sendJson, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await ask('POST', '/spaces', { id: 'acme', name: 'Acme', folder: 'customers/acme' });
  await ask('POST', '/spaces', { id: 'globex', name: 'Globex', hosts: ['media.globex.example'] });
  await service.upload({ 'poster.jpg': fixture('no-face.jpg') }, { folder: 'customers/acme/drafts' });
  await service.upload({ 'logo.png': fixture('flag-alpha.png') }, { folder: 'customers/acme' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function ask(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await sendJson(service, method, path, body);
  return (await answer.json()) as Record<string, unknown>;
}

const ruleOf = async (id: string) =>
  ((await (await service.authorized(`/spaces/${id}`)).json()) as { space: Record<string, unknown> }).space;

async function enterAs(options: PersonOptions): Promise<Page> {
  const { cookie } = await addPerson(service, options);
  window = await openWindow({ service, cookie });
  return window.page;
}

describeInBrowser('spaces', () => {
  test('the menu leads to a space, whose files, links and trash are its own, and back', async () => {
    const { page, problems } = await openLibrary(service);
    await page.getByRole('button', { name: 'Space: Library' }).click();
    await page.getByRole('menuitem', { name: 'Acme' }).click();
    await page.waitForURL(`${service.url}/dashboard/b/acme/files`);
    await page.getByRole('button', { name: 'Space: Acme' }).waitFor();
    await tile(page, 'logo.png').click();
    await page.getByText(`${service.url}/b/acme/t/logo.png`, { exact: true }).waitFor();
    expect(await page.content()).not.toContain('customers');
    await page.reload();
    await detailsOf(page, 'logo.png').waitFor();
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.waitForURL(`${service.url}/dashboard/b/acme/trash`);
    await page.getByRole('button', { name: 'Space: Acme' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Library' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.url}/dashboard/files`);
    expect(problems).toEqual([]);
  });

  test('the root folder has the name of the space wherever it is named', async () => {
    const { page } = await openLibrary(service, 'b/acme/files?q=logo&view=list');
    await page.getByRole('row', { name: /^logo.png Acme/ }).waitFor();
    await page.getByRole('button', { name: 'Show as grid' }).click();
    await tile(page, 'logo.png').getByText('Acme', { exact: true }).waitFor();
    await tile(page, 'logo.png').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Copy to' }).click();
    const picker = page.getByRole('dialog', { name: /^Copy/ });
    await picker.getByText('Acme', { exact: true }).waitFor();
    await picker.getByRole('button', { name: 'Cancel' }).click();
    await tile(page, 'logo.png').click();
    const details = detailsOf(page, 'logo.png');
    await details.getByRole('region', { name: 'Information' }).getByText('Acme', { exact: true }).waitFor();
    await page.goto(`${service.url}/dashboard/b/acme/files`);
    await page.getByRole('button', { name: 'Upload options' }).click();
    await page.getByRole('menuitem', { name: 'Prepare variants' }).click();
    await page.getByRole('dialog', { name: 'Prepare variants in Acme' }).waitFor();
    await service.upload({ 'twin.png': fixture('flag-alpha.png') }, { folder: 'customers/acme' });
    service.services.describing?.start();
    const groups = async () =>
      ((await (await service.authorized('/b/acme/assets/duplicates?kind=exact')).json()) as { groups: [] }).groups;
    await expect.poll(groups).toHaveLength(1);
    await page.goto(`${service.url}/dashboard/b/acme/duplicates`);
    await page.getByRole('listitem').filter({ hasText: 'twin.png' }).getByText('Acme', { exact: true }).waitFor();
    await service.authorized('/b/acme/storage/twin.png?trash=true', { method: 'DELETE' });
    await page.goto(`${service.url}/dashboard/b/acme/trash`);
    await page.getByRole('listitem').filter({ hasText: 'twin.png' }).getByText('Acme', { exact: true }).waitFor();
  });

  test('uploads in a space arrive in it', async () => {
    const { page } = await openLibrary(service, 'b/acme/files');
    await choose(page, { name: 'new.png', mimeType: 'image/png', buffer: fixture('flag-alpha.png') });
    await tile(page, 'new.png').waitFor();
    expect(await exists(service, 'customers/acme/new.png')).toBe(true);
  });

  test('a space is made, and its secret shown once; what is wrong is said at the field', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/spaces`);
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    await page.getByRole('button', { name: 'New space' }).click();
    const dialog = page.getByRole('dialog', { name: 'New space' });
    const id = dialog.getByRole('textbox', { name: 'ID' });
    await id.fill('-no');
    await dialog.getByRole('button', { name: 'New space' }).click();
    await dialog.getByText('Use 2 to 40 of a to z').waitFor();
    await id.fill('Acme');
    await dialog.getByRole('button', { name: 'New space' }).click();
    await dialog.getByText('There is a space "acme" already.').waitFor();
    expect(await id.getAttribute('aria-invalid')).toBe('true');
    await id.fill('initech');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Initech');
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('customers/acme/in');
    await dialog.getByRole('button', { name: 'New space' }).click();
    await dialog.getByText('is that of the space "acme"').waitFor();
    await dialog.getByRole('textbox', { name: 'Folder' }).fill('customers/initech');
    await dialog.getByRole('button', { name: 'New space' }).click();
    const made = page.getByRole('dialog', { name: 'Initech is ready' });
    const secret = (await made.locator('code').textContent()) ?? '';
    expect(secret).toMatch(/^[\w-]{43}$/);
    await made.getByRole('button', { name: 'I have saved it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'Initech' });
    await row.getByText('customers/initech').waitFor();
    await row.getByText('0 B stored').waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(problems.filter((one) => !/ 409 /.test(one))).toEqual([]);
  });

  test('its delivery, uploads and limits change section by section', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/spaces`);
    await page.getByRole('link', { name: 'Settings of Globex' }).click();
    const delivery = page.getByRole('region', { name: 'Delivery' });
    await delivery.getByRole('radio', { name: /^Named presets only/ }).check();
    await delivery.getByRole('checkbox', { name: /^Hide original files/ }).check();
    await delivery.getByRole('textbox', { name: 'Presets' }).fill('thumb = w_40000');
    await delivery.getByRole('button', { name: 'Save' }).click();
    await delivery.locator('.field-error').waitFor();
    await delivery.getByRole('textbox', { name: 'Presets' }).fill('thumb = w_400,c_fill,h_400');
    await delivery.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    const uploads = page.getByRole('region', { name: 'Uploads' });
    await uploads.getByRole('checkbox', { name: 'Images' }).check();
    await uploads.getByRole('textbox', { name: 'Largest file' }).fill('20 MB');
    await uploads.getByRole('button', { name: 'Save' }).click();
    const limits = page.getByRole('region', { name: 'Limits' });
    await limits.getByRole('textbox', { name: 'Storage' }).fill('much');
    await limits.getByRole('button', { name: 'Save' }).click();
    await limits.getByText('Write a size such as 500 MB').waitFor();
    await limits.getByRole('textbox', { name: 'Storage' }).fill('50 GB');
    await limits.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => ruleOf('globex'))
      .toMatchObject({
        delivery: 'presets',
        originals: 'protected',
        presets: { thumb: 'w_400,c_fill,h_400' },
        types: ['image'],
        maxFileBytes: 20 * 1024 ** 2,
        quota: { bytes: 50 * 1024 ** 3, transferPerMonth: null },
      });
  });

  test('its secret is rotated and shown once, and the space deleted when its id is typed', async () => {
    await ask('POST', '/spaces', { id: 'short-lived', name: 'Short-lived' });
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/spaces/short-lived`);
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('radio', { name: 'For an hour' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
    const made = page.getByRole('dialog', { name: 'New signing secret' });
    expect(await made.locator('code').textContent()).toMatch(/^[\w-]{43}$/);
    await made.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'Delete space' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Delete Short-lived?' });
    await dialog.getByRole('radio', { name: /^Move to trash/ }).check();
    expect(await dialog.getByRole('button', { name: 'Delete space' }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('short-lived');
    await dialog.getByRole('button', { name: 'Delete space' }).click();
    await page.waitForURL(`${service.url}/dashboard/spaces`);
    await expect.poll(() => page.getByRole('heading', { name: 'Short-lived' }).count()).toBe(0);
    expect((await service.authorized('/spaces/short-lived')).status).toBe(404);
  });

  test('its own admins change its rules, but not what belongs to the installation', async () => {
    const page = await enterAs({ role: 'admin', space: 'globex' });
    await page.goto(`${service.url}/dashboard/b/globex/space`);
    const general = page.getByRole('region', { name: 'General' });
    await general.getByText('media.globex.example').waitFor();
    expect(await general.getByRole('textbox').count()).toBe(1);
    expect(await page.getByRole('region', { name: 'Limits' }).getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Delete space' }).count()).toBe(0);
    await general.getByRole('textbox', { name: 'Name' }).fill('Globex Corporation');
    await general.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await ruleOf('globex')).name).toBe('Globex Corporation');
    expect(await page.getByRole('link', { name: 'Spaces', exact: true }).count()).toBe(0);
    await ask('PATCH', '/spaces/globex', { name: 'Globex' });
  });
});

describeInBrowser('private folders', () => {
  test('are made with the menu of a folder, and show a lock in tiles, rows and the path', async () => {
    const status = async () => (await fetch(`${service.url}/b/acme/t/drafts/poster.jpg`)).status;
    expect(await status()).toBe(200);
    const { page, problems } = await openLibrary(service, 'b/acme/files');
    await tile(page, 'drafts').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Make private' }).click();
    await tile(page, 'drafts Folder Private').waitFor();
    expect(await status()).toBe(401);
    await page.getByRole('button', { name: 'Show as list' }).click();
    await page.getByRole('row', { name: /^drafts Private/ }).waitFor();
    await page.getByRole('row', { name: /^drafts Private/ }).click();
    await page.getByRole('link', { name: 'drafts Private' }).waitFor();
    await page.goto(`${service.url}/dashboard/files/customers/acme`);
    await tile(page, 'drafts').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Make public' }).click();
    await expect.poll(status).toBe(200);
    await expect.poll(() => page.getByText('Private', { exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('in a space are made by its rules, also from the library', async () => {
    const { page } = await openLibrary(service, 'files/customers');
    await tile(page, 'acme').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Make private' }).count()).toBe(0);
    await open(page, service, 'files/customers/acme');
    await tile(page, 'drafts').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Make private' }).click();
    await tile(page, 'drafts Folder Private').waitFor();
    expect((await ruleOf('acme')).privateFolders).toEqual(['drafts']);
    expect((await ruleOf('default')).privateFolders).toEqual([]);
    await tile(page, 'drafts').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Make public' }).click();
    await expect.poll(async () => (await ruleOf('acme')).privateFolders).toEqual([]);
  });
});

describeInBrowser('private folders in the settings', () => {
  test('that a move has changed since the page was loaded keep their rules, also in the moment of saving', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await ask('PATCH', '/spaces/acme', { privateFolders: ['old'] });
    await page.goto(`${service.url}/dashboard/spaces/acme`);
    const section = page.getByRole('region', { name: 'Private folders' });
    await section.getByText('old', { exact: true }).waitFor();
    await page.route('**/spaces/acme', async (route) => {
      if (route.request().method() === 'PATCH') await ask('PATCH', '/spaces/acme', { privateFolders: ['moved'] });
      await route.continue();
    });
    await section.getByRole('textbox', { name: 'Folder' }).fill('new');
    await section.getByRole('button', { name: 'Make private' }).click();
    await section.getByText('moved', { exact: true }).waitFor();
    expect((await ruleOf('acme')).privateFolders).toEqual(['moved', 'new']);
    await section.getByRole('button', { name: /^Make public.*new$/ }).click();
    await expect.poll(async () => (await ruleOf('acme')).privateFolders).toEqual(['moved']);
    expect(problems).toEqual([]);
    await ask('PATCH', '/spaces/acme', { privateFolders: null });
  });
});

describeInBrowser('people with a role in one space', () => {
  test('land there after signing in', async () => {
    await addPerson(service, { role: 'editor', space: 'acme', email: 'eve@example.com' });
    window = await openWindow();
    const { page } = window;
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.9' });
    await page.goto(`${service.url}/dashboard`);
    await page.getByLabel('Email').fill('eve@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${service.url}/dashboard/b/acme/files`);
    await tile(page, 'logo.png').waitFor();
    expect(await page.getByRole('button', { name: /^Space:/ }).count()).toBe(0);
  });

  test('sign in at the host of the space, where the dashboard is that of the space', async () => {
    await ask('PATCH', '/spaces/acme', { hosts: ['localhost'] });
    await addPerson(service, { role: 'contributor', space: 'acme', email: 'host@example.com' });
    const own = service.url.replace('127.0.0.1', 'localhost');
    window = await openWindow();
    const { page } = window;
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.10' });
    await page.goto(`${own}/`);
    await page.getByLabel('Email').fill('host@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${own}/dashboard/files`);
    await tile(page, 'logo.png').click();
    await page.getByText(`${own}/t/logo.png`, { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Acme', exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Upload', exact: true }).count()).toBe(1);
  });

  test('are told at the host of their space that they may not enter another one', async () => {
    await ask('PATCH', '/spaces/acme', { hosts: ['localhost'] });
    await addPerson(service, { role: 'viewer', space: 'acme', email: 'elsewhere@example.com' });
    const own = service.url.replace('127.0.0.1', 'localhost');
    window = await openWindow();
    const { page } = window;
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.11' });
    await page.goto(`${own}/dashboard/b/globex/files`);
    await page.getByLabel('Email').fill('elsewhere@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'No access' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'No access' }).waitFor();
    await page.getByRole('link', { name: 'Acme' }).click();
    await tile(page, 'logo.png').waitFor();
  });

  test('ask nothing of the library when they sign in', async () => {
    await addPerson(service, { role: 'viewer', space: 'acme', email: 'quiet@example.com' });
    window = await openWindow();
    const { page } = window;
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.12' });
    await page.goto(`${service.url}/dashboard`);
    await page.getByLabel('Email').fill('quiet@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await tile(page, 'logo.png').waitFor();
    await page.goto(`${service.url}/dashboard`);
    await tile(page, 'logo.png').waitFor();
    expect(refused).toEqual([]);
  });

  test('see no button that a viewer cannot use', async () => {
    const page = await enterAs({ role: 'viewer', space: 'acme' });
    await open(page, service, 'b/acme/files');
    for (const name of ['Upload', 'New folder', 'Space settings', 'API keys', 'Webhooks'])
      expect([name, await page.getByRole('button', { name }).or(page.getByRole('link', { name })).count()]).toEqual([
        name,
        0,
      ]);
    await tile(page, 'logo.png').click({ button: 'right' });
    // The list of the menu is loaded lazily.
    await expect
      .poll(() => page.getByRole('menuitem').allTextContents())
      .toEqual(['OpenEnter', 'Copy URL', 'Copy as', 'Open in playground', 'Download']);
    await page.keyboard.press('Escape');
    await tile(page, 'logo.png').click({ modifiers: ['Control'] });
    const bar = page.getByRole('toolbar', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Download' }).waitFor();
    // The first one clears the selection.
    expect(await bar.getByRole('button').allTextContents()).toEqual([
      '',
      expect.stringMatching(/^Select all \d+$/),
      'Copy URL',
      'Download',
    ]);
    await bar.getByRole('button', { name: 'Clear selection' }).click();
    await tile(page, 'logo.png').focus();
    for (const key of ['F2', 'Delete', 'u', 'n', 'Control+x']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()).toBe(0);
    await tile(page, 'logo.png').click();
    const details = detailsOf(page, 'logo.png');
    await details
      .getByText('No cached variants.')
      .or(details.getByText(/cached,/))
      .waitFor();
    for (const name of ['More', 'Set focal point', 'Clear variants', 'Replace'])
      expect([name, await details.getByRole('button', { name }).count()]).toEqual([name, 0]);
    expect(await details.getByRole('textbox', { name: 'Title' }).getAttribute('readonly')).not.toBeNull();
    await page.goto(`${service.url}/dashboard/b/acme/keys`);
    await page.getByRole('heading', { name: 'This page is not available', level: 1 }).waitFor();
    expect(await page.title()).toBe('This page is not available · Darkroom');
    expect(await faultsOf(page)).toEqual([]);
  });

  test('see a page with their spaces where they have no role', async () => {
    const page = await enterAs({ role: 'viewer', space: 'acme' });
    await page.goto(`${service.url}/dashboard/b/globex`);
    await page.getByRole('heading', { name: 'No access' }).waitFor();
    await page.getByRole('link', { name: 'Acme' }).click();
    await page.waitForURL(`${service.url}/dashboard/b/acme/files`);
  });
});

describeInBrowser('the pages of spaces', () => {
  test('look well in both themes and at both widths', async () => {
    await ask('PATCH', '/spaces/acme', { privateFolders: ['drafts'], quota: { bytes: 40 * 1024 ** 3 } });
    await lookAtAll(service, 'spaces', async (page) => {
      await page.goto(`${service.url}/dashboard/spaces`);
      await page.getByText(/of 40 GB stored/).waitFor();
    });
    await lookAtAll(service, 'spaces-new', async (page) => {
      await page.goto(`${service.url}/dashboard/spaces`);
      await page.getByRole('button', { name: 'New space' }).click();
      await page.getByRole('textbox', { name: 'Folder' }).waitFor();
    });
    await lookAtAll(service, 'space-settings', async (page) => {
      await page.goto(`${service.url}/dashboard/spaces/acme`);
      await page.getByRole('button', { name: 'Delete space' }).waitFor();
    });
    await lookAtAll(service, 'space-library', async (page) => {
      await page.goto(`${service.url}/dashboard/spaces/default`);
      await page.getByRole('region', { name: 'Private folders' }).waitFor();
    });
    await lookAtAll(service, 'space-own', async (page) => {
      await page.goto(`${service.url}/dashboard/b/acme/space`);
      await page
        .getByRole('region', { name: 'Limits' })
        .getByText(/of 40 GB stored/)
        .waitFor();
    });
    await lookAtAll(service, 'space-files', async (page) => {
      await open(page, service, 'b/acme/files');
      await tile(page, 'drafts Folder Private').waitFor();
    });
    await lookAtAll(service, 'space-menu', async (page) => {
      await open(page, service, 'b/acme/files');
      await page.getByRole('button', { name: 'Space: Acme' }).click();
      await page.getByRole('menuitem', { name: 'Globex' }).waitFor();
    });
  });
});
