import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addPerson, PASSWORD, type Person } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE, signIn } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
/** The person of the test, with one session. */
let person: Person;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
beforeEach(async () => {
  person = await addPerson(service, { role: 'editor' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function open(): Promise<Window['page']> {
  window = await openWindow({ service, cookie: person.cookie });
  // Few passwords are accepted of one address in ten seconds.
  await window.context.setExtraHTTPHeaders({ 'x-forwarded-for': anotherAddress() });
  await window.page.goto(`${service.url}/dashboard/account`);
  await window.page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  return window.page;
}

/** Signs the person in elsewhere. */
const signInElsewhere = ({ email = person.email, password = PASSWORD } = {}) =>
  signIn(service, { ADMIN_EMAIL: email, ADMIN_PASSWORD: password });
const isGood = async (cookie: string) =>
  (await fetch(`${service.url}/storage`, { headers: { cookie } })).status === 200;

describeInBrowser('the page of the account', () => {
  test('changes the name, and the address when the password is given', async () => {
    const page = await open();
    const profile = page.getByRole('region', { name: 'Profile' });
    await profile.getByLabel('Name').fill('Augusta');
    await profile.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account' }).getByText('Augusta', { exact: true }).waitFor();
    await profile.getByLabel('Email').fill('augusta@example.com');
    await profile.getByLabel('Current password').fill('wrong password');
    await profile.getByRole('button', { name: 'Save' }).click();
    await profile.getByRole('alert').waitFor();
    await profile.getByLabel('Current password').fill(PASSWORD);
    await profile.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Account' }).getByText('augusta@example.com').waitFor();
    expect(await isGood(await signInElsewhere({ email: 'augusta@example.com' }))).toBe(true);
  });

  test('asks to sign in again when its session was ended elsewhere, and goes on', async () => {
    const page = await open();
    const profile = page.getByRole('region', { name: 'Profile' });
    await profile.getByLabel('Name').fill('Countess');
    await window?.context.clearCookies();
    await profile.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Account' }).getByText('Countess', { exact: true }).waitFor();
  });

  test('changes the password, and signs out everywhere else', async () => {
    const other = await signInElsewhere();
    const page = await open();
    const part = page.getByRole('region', { name: 'Password' });
    await part.getByLabel('Current password').fill(PASSWORD);
    await part.getByLabel('New password').fill('another long password');
    await part.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    expect(await isGood(other)).toBe(false);
    await page.reload();
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
    expect(await isGood(await signInElsewhere({ password: 'another long password' }))).toBe(true);
  });

  test('shows where one is signed in, and ends what one does not know', async () => {
    const other = await signInElsewhere();
    const page = await open();
    const part = page.getByRole('region', { name: 'Sessions' });
    await part.getByText('This session', { exact: true }).waitFor();
    expect(await part.getByRole('listitem').count()).toBe(2);
    await part.getByRole('button', { name: /^Sign out (?!all)/ }).click();
    const dialog = page.getByRole('alertdialog', { name: /^Sign out .*\?$/ });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await isGood(other)).toBe(true);
    await part.getByRole('button', { name: /^Sign out (?!all)/ }).click();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => part.getByRole('listitem').count()).toBe(1);
    expect(await isGood(other)).toBe(false);
  });

  test('asks before it ends all other sessions', async () => {
    const others = [await signInElsewhere(), await signInElsewhere()];
    const page = await open();
    const part = page.getByRole('region', { name: 'Sessions' });
    await part.getByRole('button', { name: 'Sign out all others' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Sign out 2 other sessions?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await Promise.all(others.map(isGood))).toEqual([true, true]);
    await part.getByRole('button', { name: 'Sign out all others' }).click();
    await dialog.getByRole('button', { name: 'Sign out all others' }).click();
    await expect.poll(() => part.getByRole('listitem').count()).toBe(1);
    expect(await Promise.all(others.map(isGood))).toEqual([false, false]);
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'account', async (page) => {
      await page.goto(`${service.url}/dashboard/account`);
      await page.getByText('This session', { exact: true }).waitFor();
    });
  });
});
