import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, faultsOf, saveScreenshot } from './browser.ts';
import { assetOf, changeAsset, detailsOf, focused, gradient, open, openLibrary, tile } from './library.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  for (const [seed, name] of ['a', 'b', 'c', 'd', 'e', 'f'].entries())
    await service.upload({ [`${name}.jpg`]: await gradient(seed) });
});
afterAll(() => service.close());

const storedText = async (name: string, field: 'title' | 'alt' | 'description') =>
  (await assetOf(service, name))[field];

const field = (page: Page, name: string) => page.getByRole('textbox', { name });
const hasFocus = (page: Page, name: string) =>
  expect.poll(() => field(page, name).evaluate((element) => element.matches(':focus'))).toBe(true);

describeInBrowser('a text about a file', () => {
  test('is saved when its field is left, with the focus where it went, and can be undone and redone', async () => {
    const { page, problems } = await openLibrary(service, 'files?open=a.jpg');
    await field(page, 'Title').fill('Dawn');
    await field(page, 'Alt text').click();
    const status = detailsOf(page, 'a.jpg').getByRole('region', { name: 'Metadata' }).getByRole('status');
    await status.filter({ hasText: /^Saved\.$/ }).waitFor();
    expect(await storedText('a.jpg', 'title')).toBe('Dawn');
    await hasFocus(page, 'Alt text');
    await page.keyboard.type('The sky at dawn');
    await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await expect.poll(() => storedText('a.jpg', 'alt')).toBe('The sky at dawn');
    await hasFocus(page, 'Description');
    await saveScreenshot(page, 'details-saved');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => storedText('a.jpg', 'alt')).toBe(null);
    await status.filter({ hasText: /^Undone\.$/ }).waitFor();
    expect(await field(page, 'Alt text').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(() => storedText('a.jpg', 'alt')).toBe('The sky at dawn');
    expect(await storedText('a.jpg', 'title')).toBe('Dawn');
    expect(problems).toEqual([]);
  });

  test('is saved by closing, Escape, another tile, another page, and leaving the page', async () => {
    const { page } = await openLibrary(service, 'files?open=b.jpg');
    await field(page, 'Description').fill('By the button');
    await page.getByRole('button', { name: 'Close details' }).click();
    await expect.poll(() => storedText('b.jpg', 'description')).toBe('By the button');
    await page.getByText('Saved the metadata of b.jpg.').waitFor();

    await tile(page, 'b.jpg').click();
    await field(page, 'Description').fill('By Escape');
    const listed = page.waitForRequest(/\/storage\?/);
    await page.keyboard.press('Escape');
    await listed;
    expect(await storedText('b.jpg', 'description')).toBe('By Escape');
    await expect.poll(() => focused(page).textContent()).toMatch(/^b.jpg/);
    await page.keyboard.press('Control+z');
    await expect.poll(() => storedText('b.jpg', 'description')).toBe('By the button');

    await tile(page, 'b.jpg').click();
    await field(page, 'Description').fill('By another tile');
    await tile(page, 'c.jpg').click();
    await detailsOf(page, 'c.jpg').locator('.details-parts:not([inert])').waitFor({ state: 'attached' });
    await expect.poll(() => storedText('b.jpg', 'description')).toBe('By another tile');
    expect(await storedText('c.jpg', 'description')).toBe(null);

    await field(page, 'Description').fill('By another page');
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor();
    await expect.poll(() => storedText('c.jpg', 'description')).toBe('By another page');

    await open(page, service, 'files?open=c.jpg');
    await field(page, 'Description').fill('By leaving');
    await page.goto('about:blank');
    await expect.poll(() => storedText('c.jpg', 'description')).toBe('By leaving');
  });

  test('stays when it cannot be saved, which is said, also after closing and reloading', async () => {
    const { page } = await openLibrary(service, 'files?open=d.jpg');
    let isRefused = true;
    await page.route('**/assets/d.jpg', (route, request) =>
      request.method() === 'PATCH' && isRefused
        ? route.fulfill({ status: 503, json: { code: 'database_unavailable', message: 'The database is away.' } })
        : route.continue(),
    );
    await field(page, 'Title').fill('Dunes');
    await page.keyboard.press('Tab');
    const alert = page.getByRole('alert').filter({ hasText: 'The database is away.' });
    await alert.waitFor();
    await page.getByText('Not saved. Your text is kept here until it is.').waitFor();
    expect(await field(page, 'Title').inputValue()).toBe('Dunes');
    await saveScreenshot(page, 'details-not-saved');
    expect(await faultsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Close details' }).click();
    await page.getByText('The metadata of d.jpg could not be saved. Your text is kept.').waitFor();
    expect(await storedText('d.jpg', 'title')).toBe(null);
    await tile(page, 'd.jpg').click();
    await expect.poll(() => field(page, 'Title').inputValue()).toBe('Dunes');
    await alert.waitFor();
    await page.reload();
    await alert.waitFor();
    expect(await field(page, 'Title').inputValue()).toBe('Dunes');
    isRefused = false;
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => storedText('d.jpg', 'title')).toBe('Dunes');
    await alert.waitFor({ state: 'detached' });
  });

  test('is shown next to that of another person, and merged with what does not concern it', async () => {
    const { page } = await openLibrary(service, 'files?open=e.jpg');
    await field(page, 'Title').fill('Mine');
    await changeAsset(service, 'e.jpg', { alt: 'By another person' });
    await field(page, 'Description').click();
    await expect.poll(() => storedText('e.jpg', 'title')).toBe('Mine');
    expect(await storedText('e.jpg', 'alt')).toBe('By another person');
    await expect.poll(() => field(page, 'Alt text').inputValue()).toBe('By another person');

    await field(page, 'Title').fill('Mine again');
    await changeAsset(service, 'e.jpg', { title: 'Theirs' });
    await field(page, 'Description').click();
    await page.getByText('Somebody else changed the same text.').waitFor();
    expect(await field(page, 'Title').inputValue()).toBe('Mine again');
    await page.getByText('Theirs Theirs').waitFor();
    await saveScreenshot(page, 'details-conflict');
    // Below its header a control is cut off.
    await page
      .locator('.details')
      .evaluate((panel) => (panel as unknown as { scrollTo(x: number, y: number): void }).scrollTo(0, 0));
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep my title' }).click();
    await expect.poll(() => storedText('e.jpg', 'title')).toBe('Mine again');

    await field(page, 'Title').fill('Mine at last');
    await changeAsset(service, 'e.jpg', { title: 'Theirs at last' });
    await page.getByRole('button', { name: 'Close details' }).click();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('button', { name: 'Use their title' }).click();
    await expect.poll(() => field(page, 'Title').inputValue()).toBe('Theirs at last');
    expect(await storedText('e.jpg', 'title')).toBe('Theirs at last');
  });

  test('can be copied when its file is gone', async () => {
    const { page } = await openLibrary(service, 'files?open=f.jpg');
    await field(page, 'Title').fill('Farewell');
    expect((await service.authorized('/storage/f.jpg', { method: 'DELETE' })).status).toBe(200);
    await page.keyboard.press('Tab');
    await page.getByText('File not found').waitFor();
    await page.getByText('Title Farewell').waitFor();
    await page.getByRole('button', { name: 'Copy title' }).waitFor();
  });
});

/** Within one task, and so within the time after which a file is requested. */
const THREE_STEPS = `(async () => {
  for (let step = 0; step < 3; step++) {
    const key = new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(key);
    // React updates the page.
    await undefined;
  }
})()`;

describeInBrowser('the details panel', () => {
  test('moves along with the keys of the grid, without requests for files passed on the way', async () => {
    const { page, problems } = await openLibrary(service);
    await tile(page, 'a.jpg').click();
    await detailsOf(page, 'a.jpg').waitFor();
    const requested: string[] = [];
    page.on('request', (request) => {
      const [, name] = /\/assets\/(\w\.jpg)$/.exec(request.url()) ?? [];
      if (name !== undefined) requested.push(name);
    });
    await page.evaluate(THREE_STEPS);
    await detailsOf(page, 'd.jpg').getByRole('heading', { name: 'Information' }).waitFor();
    await expect.poll(() => focused(page).textContent()).toMatch(/^d.jpg/);
    await expect.poll(() => tile(page, 'd.jpg').getAttribute('class')).toContain('is-opened');
    // An open file is requested again until it is described.
    expect(new Set(requested).difference(new Set(['a.jpg']))).toEqual(new Set(['d.jpg']));
    await page.keyboard.press('Home');
    await detailsOf(page, 'a.jpg').waitFor();
    await page.keyboard.press('c');
    await detailsOf(page, 'c.jpg').waitFor();
    await page.keyboard.press('ArrowLeft');
    await tile(page, 'e.jpg').click();
    await detailsOf(page, 'e.jpg').waitFor();
    expect(page.url()).toContain('open=e.jpg');
    // Following adds no entries to the history: the first step back closes nothing that was not opened by a click.
    await page.goBack();
    await expect.poll(() => page.url()).toMatch(/open=(b|c)\.jpg/);
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain('open=');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});

describeInBrowser('the versions of a file', () => {
  test('are not requested under a name that has become another one', async () => {
    await service.upload({ 'present.jpg': await gradient(31) });
    const { page } = await openLibrary(service, 'files?open=present.jpg');
    await page.getByRole('region', { name: 'Versions' }).getByText('No versions yet.').waitFor();
    const failed: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400 && response.url().includes('/versions')) failed.push(response.url());
    });
    await tile(page, 'present.jpg').focus();
    await page.keyboard.press('F2');
    await page.getByRole('textbox', { name: 'Name' }).fill('future.jpg');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await detailsOf(page, 'future.jpg').getByRole('region', { name: 'Versions' }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.goto(`${service.url}/dashboard/files?open=present.jpg`);
    await page.getByRole('complementary').waitFor();
    await page.waitForLoadState('networkidle');
    expect(failed).toEqual([]);
  });
});
