import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLIENT_ID, CLIENT_SECRET, type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { addPerson, PASSWORD } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

/** People at the identity provider, each with an address of their own. Eve has no group. */
const SUBJECTS = ['bob', 'carl', 'rob', 'eve'] as const;

interface Started {
  provider: IdentityProvider;
  service: TestService;
}

let usual: Started;
let provider: IdentityProvider;
let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  usual = await start();
});
beforeEach(() => {
  ({ provider, service } = usual);
});
afterEach(async () => {
  await window?.close();
  if (service !== usual.service) await close({ provider, service });
});
afterAll(() => close(usual));

async function close(started: Started): Promise<void> {
  await started.service.close();
  await started.provider.close();
}

/** Starts an identity provider with a service that signs in there. */
async function start(settings: Record<string, string> = {}): Promise<Started> {
  const started: { service?: TestService } = {};
  const issuer = await startIdentityProvider(() => `${started.service?.url}/api/auth/callback/oidc`);
  for (const subject of SUBJECTS) {
    const groups = subject === 'eve' ? [] : ['media'];
    issuer.people.set(subject, {
      email: `${subject}@example.com`,
      email_verified: true,
      name: nameOf(subject),
      groups,
    });
  }
  issuer.people.set('ada', { email: ADMIN.ADMIN_EMAIL, email_verified: true, name: 'Ada', groups: [] });
  started.service = await startService({
    ...ADMIN,
    ...FROM_ANYWHERE,
    OIDC_ISSUER: issuer.issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_NAME: 'Example ID',
    OIDC_ROLES: 'media=editor',
    ...settings,
  });
  return { provider: issuer, service: started.service };
}

const nameOf = (subject: string) => subject.charAt(0).toUpperCase() + subject.slice(1);

/** Opens a window whose visits of the identity provider sign a person in there. */
async function openAs(subject: string, options: Parameters<typeof openWindow>[0] = {}): Promise<Page> {
  window = await openWindow(options);
  const { page, context } = window;
  await context.setExtraHTTPHeaders({ 'x-forwarded-for': anotherAddress() });
  await context.route(`${provider.issuer}/**`, async (route) => {
    const location = await provider.signIn(route.request().url(), subject);
    await route.fulfill({ status: 302, headers: { location } });
  });
  return page;
}

const continueButton = (place: Pick<Page, 'getByRole'>) =>
  place.getByRole('button', { name: 'Continue with Example ID' });

describeInBrowser('signing in through an identity provider', () => {
  test('leads to the page that was requested', async () => {
    const page = await openAs('bob');
    await page.goto(`${service.url}/dashboard/status`);
    await continueButton(page).click();
    await page.waitForURL('**/dashboard/status');
    await page.getByRole('button', { name: 'Account' }).getByText('bob@example.com').waitFor();
    expect(window?.problems).toEqual([]);
  });

  test('explains a refusal in plain words', async () => {
    const page = await openAs('eve');
    await page.goto(`${service.url}/dashboard/login`);
    await continueButton(page).click();
    await page.getByText('You have no role here yet. Ask your administrator for access.').waitFor();
    await page.getByLabel('Email').waitFor();
  });

  test('shows no form for passwords where nobody signs in with one', async () => {
    ({ provider, service } = await start({ PASSWORD_SIGN_IN: 'false' }));
    const page = await openAs('bob');
    await page.goto(`${service.url}/dashboard/login`);
    await continueButton(page).waitFor();
    expect(await page.getByLabel('Email').count()).toBe(0);
  });

  test('accepts an invitation with the account of the identity provider', async () => {
    ({ provider, service } = await start({ PASSWORD_SIGN_IN: 'owners' }));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ role: 'admin', email: 'bob@example.com' });
    const created = await service.authorized('/members/invitations', { method: 'POST', headers, body });
    const { url } = (await created.json()) as { url: string };
    const page = await openAs('bob');
    await page.goto(url);
    await page.getByLabel('Name').fill('Bob');
    await page.getByLabel('Password', { exact: true }).fill('a long password');
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page.getByText('Passwords are turned off for this invitation. Sign in through Example ID to join.').waitFor();
    await continueButton(page).click();
    await page.getByRole('button', { name: 'Join as Bob' }).click();
    await page.getByRole('link', { name: 'People' }).waitFor();
  });

  test('connects an account, and says so', async () => {
    const page = await openAs('ada', { service });
    await page.goto(`${service.url}/dashboard/account`);
    await page.getByText('Example ID is not connected to this account.').waitFor();
    await page.getByRole('button', { name: 'Connect Example ID' }).click();
    await page.getByText('Example ID is connected to this account.').waitFor();
    await page.getByRole('button', { name: 'Connect another Example ID account' }).waitFor();
    await page.context().clearCookies();
    await page.goto(`${service.url}/dashboard/login`);
    await continueButton(page).click();
    await page.getByRole('button', { name: 'Account' }).getByText(ADMIN.ADMIN_EMAIL).waitFor();
  });

  test('says why an account could not be connected', async () => {
    const carl = await openAs('carl');
    await carl.goto(`${service.url}/dashboard/login`);
    await continueButton(carl).click();
    await carl.getByRole('navigation', { name: 'Main' }).waitFor();
    await window?.close();
    const page = await openAs('carl', { service });
    await page.goto(`${service.url}/dashboard/account`);
    await page.getByRole('button', { name: /^Connect / }).click();
    await page.getByText('This Example ID account is connected to another account here.').waitFor();
  });

  test('connects nothing at the host of a space, whose sessions are good there only', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ id: 'acme', hosts: ['localhost'] });
    await service.authorized('/spaces', { method: 'POST', headers, body });
    await addPerson(service, { role: 'viewer', space: 'acme', email: 'host@example.com' });
    const page = await openAs('bob');
    const own = service.url.replace('127.0.0.1', 'localhost');
    await page.goto(`${own}/dashboard/login?to=/account`);
    await continueButton(page).waitFor();
    await page.getByLabel('Email').fill('host@example.com');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('region', { name: 'Sessions' }).getByText('This session', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Connect / }).count()).toBe(0);
  });

  test('goes on with a lost session after signing in in another tab', async () => {
    const page = await openAs('rob');
    await page.goto(`${service.url}/dashboard/login`);
    await continueButton(page).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.goto(`${service.url}/dashboard/account`);
    const profile = page.getByRole('region', { name: 'Profile' });
    await profile.getByLabel('Name').fill('Robert');
    await page.context().clearCookies();
    await profile.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await page.evaluate('window.openTab = window.open; window.open = () => null');
    await continueButton(dialog).click();
    await dialog.getByText('The browser blocked the new tab.').waitFor();
    expect(page.url()).toBe(`${service.url}/dashboard/account`);
    await page.evaluate('window.open = window.openTab');
    const [tab] = await Promise.all([page.waitForEvent('popup'), continueButton(dialog).click()]);
    await tab.getByRole('navigation', { name: 'Main' }).waitFor();
    await tab.close();
    await page.bringToFront();
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.getByRole('button', { name: 'Account' }).getByText('Robert', { exact: true }).waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(undefined, 'sign-in-oidc', async (page) => {
      await page.goto(`${service.url}/dashboard/login?error=no_role`);
      await continueButton(page).waitFor();
      await page.getByRole('alert').waitFor();
    });
    await lookAtAll(service, 'account-oidc', async (page) => {
      await page.goto(`${service.url}/dashboard/account`);
      await page.getByRole('button', { name: /^Connect / }).waitFor();
      await page.getByText('This session', { exact: true }).waitFor();
    });
  });
});
