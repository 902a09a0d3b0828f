import { TOTP, URI } from 'otpauth';
import type { Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addPerson, PASSWORD, type Person } from '../people.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, saveScreenshot, type Window } from './browser.ts';

const STEP_MS = 30_000;

let service: TestService;
let window: Window;
/** The person of the test, without a second factor at first. */
let person: Person;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
beforeEach(async () => {
  person = await addPerson(service, { role: 'editor' });
  window = await openWindow({ service, cookie: person.cookie });
  await moveElsewhere(window.page);
});
afterEach(() => window.close());
afterAll(() => service.close());

/** Few passwords and codes are accepted of one address in ten seconds. */
const moveElsewhere = (page: Page) => page.context().setExtraHTTPHeaders({ 'x-forwarded-for': anotherAddress() });

const section = (page: Page) => page.getByRole('region', { name: 'Two-factor authentication' });

/** Begins to turn the second factor on; the dialog shows the QR code then. */
async function begin(page: Page, password = PASSWORD): Promise<void> {
  await page.goto(`${service.url}/dashboard/account`);
  await section(page).getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('dialog').getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
}

/** Reads the QR code from a screenshot, as a phone does. */
async function scan(page: Page): Promise<TOTP> {
  const picture = await page.getByRole('img', { name: 'QR code for the authenticator app' }).screenshot();
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const totp = URI.parse(decodeQR({ width: info.width, height: info.height, data }));
  if (!(totp instanceof TOTP)) throw new Error('The QR code is of another kind.');
  return totp;
}

/** A code of this moment, or of the step before it, which is accepted as well. Each code works once. */
const codeOf = (totp: TOTP, step: -1 | 0) => totp.generate({ timestamp: Date.now() + step * STEP_MS });

/** Turns the second factor on. */
async function turnOn(page: Page): Promise<{ totp: TOTP; codes: string[] }> {
  await begin(page);
  const totp = await scan(page);
  await page.getByLabel('Code', { exact: true }).fill(codeOf(totp, -1));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('dialog', { name: 'Save your backup codes' }).waitFor();
  const codes = await page.getByRole('list', { name: 'Backup codes' }).locator('code').allTextContents();
  return { totp, codes };
}

/** Opens the page to sign in without a session, and enters the password. */
async function enterPassword(page: Page): Promise<void> {
  await page.context().clearCookies();
  await moveElsewhere(page);
  await page.goto(`${service.url}/dashboard/login?to=%2Fstatus`);
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code', { exact: true }).waitFor();
}

describeInBrowser('two-factor authentication', () => {
  test('is turned on with an app that scans the QR code, and asks for its code from then on', async () => {
    const { page, problems } = window;
    const { totp, codes } = await turnOn(page);
    expect([totp.issuer, totp.label]).toEqual(['Darkroom', person.email]);
    expect(new Set(codes).size).toBe(10);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('darkroom-backup-codes.txt');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await section(page).getByText('On', { exact: true }).waitFor();
    await enterPassword(page);
    await page.getByLabel('Code', { exact: true }).fill(codeOf(totp, 0));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL('**/dashboard/status');
    expect(problems).toEqual([]);
  });

  test('shows the key for typing, which is that of the QR code', async () => {
    const { page } = window;
    await begin(page);
    const shown = await page.getByRole('dialog').locator('code').textContent();
    expect(shown?.replaceAll(' ', '')).toBe((await scan(page)).secret.base32);
  });

  test('says when a code or the password is wrong, and stays off', async () => {
    const { page } = window;
    await page.goto(`${service.url}/dashboard/account`);
    await section(page).getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill('wrong password');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The current password is wrong.').waitFor();
    await page.getByRole('dialog').getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue' }).click();
    const totp = await scan(page);
    await page.getByLabel('Code', { exact: true }).fill(wrongCode(totp));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('This code is wrong. Enter the current code of the app.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await section(page).getByText('Off', { exact: true }).waitFor();
  });

  test('lets a backup code in once, and is turned off with the password', async () => {
    const { page } = window;
    const { codes } = await turnOn(page);
    await enterPassword(page);
    await page.getByRole('button', { name: 'Use a backup code' }).click();
    await page.getByLabel('Backup code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL('**/dashboard/status');
    await enterPassword(page);
    await page.getByRole('button', { name: 'Use a backup code' }).click();
    await page.getByLabel('Backup code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('This backup code is wrong or was used before.').waitFor();
    await page.getByLabel('Backup code').fill(codes[1] ?? '');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.waitForURL('**/dashboard/status');
    await moveElsewhere(page);
    await page.goto(`${service.url}/dashboard/account`);
    await section(page).getByRole('button', { name: 'Turn off' }).click();
    await page.getByRole('dialog').getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await section(page).getByText('Off', { exact: true }).waitFor();
  });

  test('says when a code at the sign-in is wrong, and asks for a code in the dialog over a page too', async () => {
    const { page, context } = window;
    const { totp } = await turnOn(page);
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await enterPassword(page);
    await page.getByLabel('Code', { exact: true }).fill(wrongCode(totp));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('This code is wrong.').waitFor();
    await saveScreenshot(page, 'sign-in-code');
    await page.getByLabel('Code', { exact: true }).fill(codeOf(totp, 0));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('button', { name: 'Recalculate' }).waitFor();
    await context.clearCookies();
    await moveElsewhere(page);
    await page.getByRole('button', { name: 'Recalculate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByLabel('Code', { exact: true }).waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(service, 'two-factor', async (page) => {
      await moveElsewhere(page);
      await begin(page, ADMIN.ADMIN_PASSWORD);
    });
    await turnOn(window.page);
    await saveScreenshot(window.page, 'backup-codes');
  });
});

/** Six digits that the app shows at no time near now. */
function wrongCode(totp: TOTP): string {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((step) => totp.generate({ timestamp: Date.now() + step * STEP_MS }));
  return ['000000', '111111', '222222'].find((code) => !near.includes(code)) ?? '333333';
}
