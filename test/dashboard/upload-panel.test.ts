import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, hold, lookAtAll, openWindow, SIZES, type Window } from './browser.ts';
import {
  boxOf,
  choose,
  collectCopies,
  copiesOf,
  detailsOf,
  exists,
  gradient,
  open,
  photo,
  tile,
  versionsOf,
} from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  const image = await gradient(1, 90, 60);
  const many = Array.from({ length: 40 }, (_, at) => [`a ${String(at).padStart(2, '0')}.jpg`, image]);
  await service.upload(Object.fromEntries(many), { folder: 'many' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const BROKEN = 'The file cannot be read as an image.';
/** A PNG with the name of a JPEG. */
const misnamed = () => photo('photo.jpg', fixture('flag-alpha.png'));
/** The first bytes of a JPEG alone. */
const broken = (name: string) => photo(name, fixture('no-face.jpg').subarray(0, 20));
const panelOf = (page: Window['page']) => page.getByRole('region', { name: 'Uploads', exact: true });

async function openFolder(folder: string): Promise<Window> {
  window = await openWindow({ service });
  const { page } = window;
  await page.clock.install();
  await page.goto(`${service.url}/dashboard/files/${folder}`);
  await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  return window;
}

describeInBrowser('the panel of uploads', () => {
  test('names what has arrived, and goes by itself, but not while the focus or the pointer is on it', async () => {
    const { page, problems } = await openFolder('named');
    const panel = panelOf(page);
    const release = await hold(page, '**/upload');
    await choose(page, ...['1', '2', '3', '4', '5', '6', '7'].map((name) => photo(`${name}.jpg`)));
    await panel.hover();
    release();
    await panel.getByRole('heading', { name: 'Uploaded 7 files' }).waitFor();
    expect(await panel.getByRole('link').allTextContents()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg', '5.jpg']);
    await panel.getByText('and 2 more').waitFor();
    await panel.getByRole('link', { name: '3.jpg' }).focus();
    await page.getByText('7 selected').first().waitFor();
    await page.mouse.move(10, 10);
    await page.clock.runFor('01:00');
    await panel.hover();
    await tile(page, '1.jpg').focus();
    await page.clock.runFor('01:00');
    expect(await panel.count()).toBe(1);
    await page.mouse.move(10, 10);
    await page.clock.runFor('00:10');
    await panel.waitFor({ state: 'detached' });
    // What it has named is selected.
    expect(await page.locator('[data-index][aria-selected="true"]').count()).toBe(7);
    expect(problems).toEqual([]);
  });

  test('shows each of its files, also from another page', async () => {
    const { page } = await openFolder('linked');
    await choose(page, photo('one.jpg'), photo('two.jpg'));
    const panel = panelOf(page);
    await panel.getByRole('link', { name: 'two.jpg' }).click();
    await detailsOf(page, 'two.jpg').waitFor();
    // The pointer stays on the panel.
    await page.getByRole('link', { name: 'Status' }).focus();
    await panel.hover();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    await panel.getByRole('link', { name: 'one.jpg' }).click();
    await detailsOf(page, 'one.jpg').waitFor();
  });

  test('says in plain words why a file was refused, until that is dismissed, and sends it under the right name', async () => {
    const { page } = await openFolder('misnamed');
    await collectCopies(page);
    const reason = 'photo.jpg is a PNG image with the name of a JPEG. Rename it to photo.png and upload it again.';
    await choose(page, misnamed());
    const panel = panelOf(page);
    await panel.getByText(reason, { exact: true }).waitFor();
    await page.getByRole('navigation', { name: 'Folder' }).getByRole('link', { name: 'Library' }).click();
    await tile(page, 'many').waitFor();
    await page.clock.runFor('05:00');
    const row = panel.getByRole('listitem').filter({ hasText: 'photo.jpg' });
    await row.getByText(reason).waitFor();
    await panel.getByRole('button', { name: 'Copy the reasons' }).click();
    expect(await copiesOf(page)).toEqual([`photo.jpg: ${reason}`]);
    await panel.getByRole('button', { name: 'Rename and upload as photo.png' }).click();
    await panel.getByRole('link', { name: 'photo.png' }).click();
    await detailsOf(page, 'photo.png').waitFor();
    expect(await row.count()).toBe(0);
    expect((await service.authorized('/storage/misnamed/photo.png/metadata')).status).toBe(200);
  });

  test('asks before a file takes a name that is taken, also under the right one', async () => {
    await service.upload({ 'photo.png': fixture('flag-alpha.png') }, { folder: 'taken' });
    const { page } = await openFolder('taken');
    await choose(page, misnamed());
    const panel = panelOf(page);
    const rename = panel.getByRole('button', { name: 'Rename and upload as photo.png' });
    const dialog = page.getByRole('dialog', { name: 'photo.png already exists' });
    await rename.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    // Nothing is lost by the question.
    await rename.click();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('Replaced photo.png.').waitFor();
    expect(await rename.count()).toBe(0);
    expect(await versionsOf(service, 'taken/photo.png')).toHaveLength(1);
    expect(await exists(service, 'taken/photo (1).png')).toBe(false);
  });

  test.each<[where: string, go: (page: Window['page']) => Promise<void>]>([
    [
      'the details',
      async (page) => {
        await tile(page, 'a 00.jpg').click();
        await detailsOf(page, 'a 00.jpg').waitFor();
      },
    ],
    [
      'the playground',
      async (page) => {
        await page.getByRole('link', { name: 'Playground' }).click();
        await page.getByRole('heading', { name: 'Playground', exact: true }).waitFor();
      },
    ],
  ])('collapses to its title when it would cover %s, and can be opened again', async (_where, go) => {
    const { page } = await openFolder('many');
    await choose(page, misnamed());
    const panel = panelOf(page);
    const rename = panel.getByRole('button', { name: 'Rename and upload as photo.png' });
    await rename.waitFor();
    await go(page);
    await rename.waitFor({ state: 'detached' });
    await panel.getByRole('heading', { name: '1 file failed' }).waitFor();
    expect((await boxOf(panel)).height).toBeLessThan(60);
    await panel.getByRole('button', { name: 'Expand' }).click();
    await rename.waitFor();
  });

  test('lists of an earlier batch only what can still be helped, and opens for the next one', async () => {
    const { page } = await openFolder('batches');
    const panel = panelOf(page);
    await choose(
      page,
      photo('first.jpg'),
      misnamed(),
      photo('text.jpg', Buffer.from('no picture at all')),
      photo('empty.jpg', Buffer.alloc(0)),
    );
    await panel.getByRole('heading', { name: '2 files failed, 1 left out' }).waitFor();
    await panel.getByRole('link', { name: 'first.jpg' }).click();
    await panel.getByRole('button', { name: 'Expand' }).waitFor();
    await choose(page, photo('second.jpg'));
    await panel.getByRole('link', { name: 'second.jpg' }).waitFor();
    await panel.getByRole('heading', { name: '1 file failed' }).waitFor();
    expect(await panel.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('photo.jpg'),
      'second.jpg',
    ]);
  });

  test('counts every file of the batch in its title, and those that have arrived beside the bytes', async () => {
    const { page } = await openFolder('counted');
    const large = (name: string) => photo(name, Buffer.concat([fixture('no-face.jpg'), Buffer.alloc(300_000)]));
    let passed = 0;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/upload', async (route) => {
      if (passed++ > 0) await held;
      await route.continue();
    });
    await choose(page, ...['1', '2', '3', '4', '5', '6', '7', '8'].map((name) => large(`${name}.jpg`)));
    const panel = panelOf(page);
    await page.clock.runFor(1000);
    await panel.getByText('1 of 8 files', { exact: false }).waitFor();
    await panel.getByRole('heading', { name: 'Uploading 8 files' }).waitFor();
    release();
    await panel.getByRole('heading', { name: 'Uploaded 8 files' }).waitFor();
  });

  test('says which files cannot be decoded, as do their tiles, and stays', async () => {
    const { page } = await openFolder('undecodable');
    await choose(page, photo('good.jpg'), broken('bad 1.jpg'), broken('bad 2.jpg'));
    const panel = panelOf(page);
    // It stays while the pointer is on it: on a busy host the description takes longer.
    await panel.hover();
    await panel.getByText(`2 of the 3 uploaded files cannot be shown: ${BROKEN}`).waitFor();
    const rows = panel.getByRole('region', { name: 'Upload queue' }).getByRole('listitem');
    await expect.poll(() => rows.filter({ hasText: `Cannot be shown: ${BROKEN}` }).count()).toBe(2);
    await tile(page, 'bad 1.jpg').getByText('Cannot be decoded.', { exact: false }).first().waitFor();
    await page.clock.runFor('05:00');
    expect(await panel.getByRole('link').allTextContents()).toEqual(['bad 1.jpg', 'bad 2.jpg', 'good.jpg']);
    await panel.getByRole('button', { name: 'Dismiss' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  test('comes back when the service knows later that a file cannot be decoded', async () => {
    const { page } = await openFolder('later');
    await page.route('**/assets?*', (route) => route.abort());
    await choose(page, photo('good.jpg'), broken('bad.jpg'));
    const panel = panelOf(page);
    await panel.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    await page.clock.runFor('00:10');
    await panel.waitFor({ state: 'detached' });
    await page.unroute('**/assets?*');
    await page.clock.runFor('00:10');
    await panel.getByText(`The uploaded file cannot be shown: ${BROKEN}`).waitFor();
    expect(await panel.getByRole('link').allTextContents()).toEqual(['bad.jpg']);
  });

  test.each(Object.entries(SIZES))('covers neither the last row nor the selection bar: %s', async (_name, size) => {
    window = await openWindow({ service });
    const { page } = window;
    await page.setViewportSize(size);
    await open(page, service, 'files/many');
    await choose(page, misnamed());
    const panel = panelOf(page);
    await panel.getByRole('button', { name: 'Rename and upload as photo.png' }).waitFor();
    const top = async () => (await boxOf(panel)).y;
    const bottomOf = async (name: string) => {
      const { y, height } = await boxOf(tile(page, name));
      return y + height;
    };
    await tile(page, 'a 00').focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await bottomOf('a 39')) <= (await top())).toBe(true);
    await page.locator('.files-scroll').evaluate('(grid) => grid.scrollTo(0, grid.scrollHeight)');
    await expect.poll(async () => (await bottomOf('a 39')) <= (await top())).toBe(true);
    await page.keyboard.press('Control+a');
    const bar = await boxOf(page.getByRole('toolbar'));
    expect(bar.y + bar.height).toBeLessThanOrEqual(await top());
    await panel.getByRole('button', { name: 'Dismiss' }).click();
    // The room goes with the panel.
    await page.locator('.files-scroll').evaluate('(grid) => grid.scrollTo(0, grid.scrollHeight)');
    const { y, height } = await boxOf(page.getByRole('grid'));
    await expect.poll(async () => y + height - (await bottomOf('a 39')) < 40).toBe(true);
  });

  test('leaves the end of other pages to be seen', async () => {
    const { page } = await openFolder('pages');
    await choose(page, misnamed());
    const panel = panelOf(page);
    await panel.getByRole('button', { name: 'Rename and upload as photo.png' }).waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    const end = "[...document.querySelectorAll('main > *')].at(-1).getBoundingClientRect().bottom";
    await expect
      .poll(async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        return Number(await page.evaluate(end)) <= (await boxOf(panel)).y;
      })
      .toBe(true);
  });

  test('looks well when it names what has arrived, and what has not', async () => {
    await lookAtAll(service, 'uploads-over', async (page) => {
      await page.goto(`${service.url}/dashboard/files/look`);
      await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
      await choose(page, photo('harbour.jpg'), photo('market.jpg'), broken('old town.jpg'), misnamed());
      const dialog = page.getByRole('dialog', { name: '3 files already exist' });
      const panel = panelOf(page);
      await dialog.or(panel).first().waitFor();
      if ((await dialog.count()) > 0) await dialog.getByRole('button', { name: 'Keep both' }).click();
      await panel.getByText('cannot be shown', { exact: false }).first().waitFor();
    });
  });
});
