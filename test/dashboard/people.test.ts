import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addPerson, PASSWORD, type Person, type PersonOptions } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let windows: Window[] = [];
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  await createSpace('acme', 'Acme');
});
afterEach(async () => {
  for (const window of windows) await window.close();
  windows = [];
});
afterAll(() => service.close());

const createSpace = (id: string, name: string) => post('/spaces', { id, name });

const post = (path: string, body: object) => send('POST', path, body);

function send(method: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return service.authorized(path, { method, headers, body: JSON.stringify(body) });
}

/** Opens a page as the owner, as another person, or without a session. */
async function open(path: string, who: 'owner' | 'stranger' | Person = 'owner'): Promise<Page> {
  const window = await openWindow(sessionOf(who));
  windows.push(window);
  // Unknown tokens and sign-ins are limited for each address.
  await window.context.setExtraHTTPHeaders({ 'x-forwarded-for': anotherAddress() });
  await window.page.goto(path.startsWith('http') ? path : `${service.url}/dashboard/${path}`);
  return window.page;
}

function sessionOf(who: 'owner' | 'stranger' | Person): Parameters<typeof openWindow>[0] {
  if (who === 'stranger') return {};
  return who === 'owner' ? { service } : { service, cookie: who.cookie };
}

const person = (options: PersonOptions) => addPerson(service, options);
const rowOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

/** Creates an invitation by the dialog of the page, and returns its link. */
async function invite(page: Page, { role, email }: { role: string; email?: string }): Promise<string> {
  await page.getByRole('button', { name: 'Invite', exact: true }).first().click();
  await page.getByRole('radio', { name: new RegExp(`^${role}`) }).check();
  if (email !== undefined) await page.getByLabel('Email (optional)').fill(email);
  await page.getByRole('button', { name: 'Create link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invitation created' });
  await dialog.getByRole('button', { name: 'Copy link' }).waitFor();
  const link = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  return link;
}

async function linkOf(terms: object, space = ''): Promise<string> {
  return String(((await (await post(`${space}/members/invitations`, terms)).json()) as { url: string }).url);
}

describeInBrowser('an invitation', () => {
  test('is created by one person and accepted by another, who then has the role', async () => {
    const owner = await open('people');
    const link = await invite(owner, { role: 'Editor', email: 'eve@example.com' });
    const invitation = rowOf(owner, 'eve@example.com');
    await invitation.getByText('Editor').waitFor();
    expect(await owner.content()).not.toContain(link);

    const eve = await open(link, 'stranger');
    await eve.getByRole('heading', { name: 'Join Darkroom' }).waitFor();
    await eve.getByText('Ada invites you to Darkroom as Editor.').waitFor();
    expect(await eve.getByLabel('Email').inputValue()).toBe('eve@example.com');
    await eve.getByLabel('Name').fill('Eve');
    await eve.getByLabel('Password', { exact: true }).fill('a long password');
    await eve.getByRole('button', { name: 'Create account and join' }).click();
    await eve.getByRole('navigation', { name: 'Main' }).waitFor();
    await eve.getByRole('button', { name: 'Account' }).getByText('eve@example.com').waitFor();
    expect(await eve.getByRole('link', { name: 'API keys' }).count()).toBe(0);
    expect(eve.url()).not.toContain('token');

    await owner.reload();
    const row = rowOf(owner, 'eve@example.com');
    for (const text of ['Eve', 'Editor', 'Role given by a person', 'Two-factor off']) {
      await row.getByText(text, { exact: true }).waitFor();
    }
    const late = await open(link, 'stranger');
    await late.getByRole('heading', { name: 'This invitation no longer works' }).waitFor();
  });

  test('to a space leads into the space, and names an admin of the installation who sent it', async () => {
    const owner = await open('b/acme/people');
    const link = await invite(owner, { role: 'Viewer' });
    await rowOf(owner, 'Anyone with the link').getByText('Created by Ada').waitFor();
    const bob = await open(link, 'stranger');
    await bob.getByRole('heading', { name: 'Join Acme' }).waitFor();
    await bob.getByText('Ada invites you to Acme as Viewer.').waitFor();
    await bob.getByLabel('Name').fill('Bob');
    await bob.getByLabel('Email').fill('bob@example.com');
    await bob.getByLabel('Password', { exact: true }).fill('a long password');
    await bob.getByRole('button', { name: 'Create account and join' }).click();
    await bob.waitForURL('**/dashboard/b/acme/files');
    await bob.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('is accepted with the account of a session', async () => {
    const carol = await person({ role: 'viewer', email: 'carol@example.com' });
    const page = await open(await linkOf({ role: 'admin' }, '/b/acme'), carol);
    await page.getByText('Signed in as carol@example.com').waitFor();
    await page.getByRole('button', { name: 'Join as carol' }).click();
    await page.waitForURL('**/dashboard/b/acme/files');
    await page.getByRole('link', { name: 'People' }).waitFor();
  });

  test('for another address says so, and lets the person use another account', async () => {
    const dave = await person({ role: 'viewer', email: 'dave@example.com' });
    const page = await open(await linkOf({ role: 'editor', email: 'other@example.com' }), dave);
    const text = 'This invitation is for other@example.com. You are signed in as dave@example.com.';
    await page.getByText(text).waitFor();
    expect(await page.getByRole('button', { name: 'Join as dave' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Use another account' }).click();
    await page.getByRole('button', { name: 'Create account and join' }).waitFor();
  });

  test('for an address with an account leads through signing in', async () => {
    await person({ role: 'viewer', email: 'frank@example.com' });
    const page = await open(await linkOf({ role: 'editor', email: 'frank@example.com' }), 'stranger');
    await page.getByLabel('Name').fill('Frank');
    await page.getByLabel('Password', { exact: true }).fill('another password');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByText('This address has an account already.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Join as frank' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });

  test('that is incomplete or unknown says what to do', async () => {
    const page = await open('invitation', 'stranger');
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    const other = await open('invitation#token=unknown', 'stranger');
    await other.getByText('Ask the person who invited you for a new link.').waitFor();
  });

  test('is withdrawn', async () => {
    const link = await linkOf({ role: 'viewer', email: 'late@example.com' });
    const page = await open('people');
    await page.getByRole('button', { name: 'Withdraw the invitation for late@example.com' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click();
    await expect.poll(() => rowOf(page, 'late@example.com').count()).toBe(0);
    const late = await open(link, 'stranger');
    await late.getByRole('heading', { name: 'This invitation no longer works' }).waitFor();
  });
});

describeInBrowser('the page of people', () => {
  const act = async (page: Page, name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  test('changes a role and removes a member after asking', async () => {
    await person({ role: 'viewer', email: 'grace@example.com' });
    const page = await open('people');
    await act(page, 'grace', 'Change role');
    await page.getByRole('radio', { name: /^Contributor/ }).check();
    await page.getByRole('button', { name: 'Save role' }).click();
    await rowOf(page, 'grace@example.com').getByText('Contributor', { exact: true }).waitFor();
    await act(page, 'grace', 'Remove');
    const dialog = page.getByRole('alertdialog', { name: 'Remove grace?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await act(page, 'grace', 'Remove');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => rowOf(page, 'grace@example.com').count()).toBe(0);
  });

  test('says that the last owner stays', async () => {
    const page = await open('people');
    await act(page, 'Ada', 'Remove');
    const dialog = page.getByRole('alertdialog', { name: 'Remove yourself?' });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByText('This is the last owner. Make someone else an owner first.').waitFor();
  });

  test('offers an admin no role above the own one, and no changes of owners', async () => {
    const admin = await person({ role: 'admin', email: 'heidi@example.com' });
    const page = await open('people', admin);
    await rowOf(page, ADMIN.ADMIN_EMAIL).waitFor();
    await page.getByRole('button', { name: 'Actions for heidi' }).waitFor();
    expect(await page.getByRole('button', { name: 'Actions for Ada' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('radio', { name: /^Admin/ }).waitFor();
    expect(await page.getByRole('radio', { name: /^Owner/ }).count()).toBe(0);
  });

  test('offers what the own role allows once it has changed', async () => {
    const nina = await person({ role: 'owner', email: 'nina@example.com' });
    const page = await open('people', nina);
    await page.getByRole('button', { name: 'Actions for Ada' }).waitFor();
    await act(page, 'nina', 'Change role');
    await page.getByRole('radio', { name: /^Admin/ }).check();
    await page.getByRole('button', { name: 'Save role' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Actions for Ada' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Actions for nina' }).waitFor();
  });

  test('ends when a change is refused because the role has ended', async () => {
    const oscar = await person({ role: 'admin', email: 'oscar@example.com' });
    const page = await open('people', oscar);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('button', { name: 'Create link' }).waitFor();
    expect((await send('PATCH', `/members/${oscar.userId}`, { role: 'viewer' })).status).toBe(200);
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('heading', { name: 'This page is not available' }).waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await person({ role: 'editor', source: 'oidc', email: 'ivan-with-a-long-name@media.example.com' });
    await linkOf({ role: 'viewer' });
    await lookAtAll(service, 'people', async (page) => {
      await page.goto(`${service.url}/dashboard/people`);
      await page.getByText('Role from the identity provider').waitFor();
      await page.getByRole('heading', { name: 'Open invitations' }).waitFor();
    });
    await lookAtAll(service, 'people-invite', async (page) => {
      await page.goto(`${service.url}/dashboard/people`);
      await page.getByRole('button', { name: 'Invite', exact: true }).click();
      await page.getByRole('button', { name: 'Create link' }).waitFor();
    });
    const link = await linkOf({ role: 'editor', email: 'judy@example.com' }, '/b/acme');
    await lookAtAll(undefined, 'invitation', async (page) => {
      await page.goto(link);
      await page.getByRole('button', { name: 'Create account and join' }).waitFor();
    });
  });
});
