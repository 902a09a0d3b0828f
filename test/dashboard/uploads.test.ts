import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, MAX_FILE_SIZE_MB: '2' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const photo = (name: string) => ({ name, mimeType: 'image/jpeg', buffer: fixture('portrait-face.jpg') });
const tile = (page: Window['page'], name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name}`) });
const isStored = async (path: string) => (await service.authorized(`/storage/${path}/metadata`)).status === 200;

async function open(folder = ''): Promise<Window> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files/${folder}`);
  await window.page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  return window;
}

const choose = (page: Window['page'], files: Parameters<ReturnType<Window['page']['locator']>['setInputFiles']>[0]) =>
  page.locator('input[type=file]').first().setInputFiles(files);

describeInBrowser('uploads', () => {
  test('begin from the empty library, and the files are there when they have arrived', async () => {
    const { page, complaints } = await open();
    await page.getByText('Your library is empty').waitFor();
    await choose(page, [photo('one.jpg'), photo('two.jpg')]);
    await tile(page, 'one.jpg').waitFor();
    await tile(page, 'two.jpg').waitFor();
    await page.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    await page.getByRole('region', { name: 'Uploads', exact: true }).getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Uploads', exact: true }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('say why the service refuses a file, and leave out what is too large', async () => {
    const { page } = await open('refused');
    await choose(page, [
      { name: 'text.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('no picture at all') },
      { name: 'large.jpg', mimeType: 'image/jpeg', buffer: Buffer.alloc(3 * 1024 * 1024) },
      photo('good.jpg'),
    ]);
    await page.getByText('Left out 1 file: larger than 2 MB.').waitFor();
    await page.getByRole('heading', { name: '1 file failed' }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'text.jpg' });
    expect(await row.textContent()).toMatch(/text\.jpg.*\w{5}/);
    await tile(page, 'good.jpg').waitFor();
    expect(await isStored('refused/large.jpg')).toBe(false);
  });

  test.each([
    ['Keep both', ['again.jpg', 'again (1).jpg'], 0],
    ['Replace', ['again.jpg'], 1],
    ['Skip', ['again.jpg'], 0],
  ])('ask what to do with a name that is taken: %s', async (choice, names, versions) => {
    const folder = `conflict-${choice.replace(' ', '-')}`;
    await service.upload({ 'again.jpg': fixture('no-face.jpg') }, { folder });
    const { page } = await open(folder);
    await choose(page, [photo('again.jpg'), photo('other.jpg')]);
    await page.getByRole('dialog', { name: '1 file is there already' }).getByRole('button', { name: choice }).click();
    await tile(page, 'other.jpg').waitFor();
    await page.getByRole('heading', { name: /^Uploaded/ }).waitFor();
    const listing = (await (await service.authorized(`/storage?path=${folder}`)).json()) as {
      files: { name: string }[];
    };
    expect(listing.files.map(({ name }) => name).sort()).toEqual([...names, 'other.jpg'].sort());
    const kept = (await (await service.authorized(`/storage/${folder}/again.jpg/versions`)).json()) as {
      versions: object[];
    };
    expect(kept.versions).toHaveLength(versions);
  });

  test('wait while the line is cut, and go on when it is back', async () => {
    const { page, context } = await open('line');
    await context.setOffline(true);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    // The limits are known before the line is cut only when somebody has asked for them.
    await context.setOffline(false);
    await choose(page, [photo('before.jpg')]);
    await tile(page, 'before.jpg').waitFor();
    await page.route('**/upload', (route) => route.abort('connectionreset'), { times: 1 });
    await choose(page, [photo('after.jpg')]);
    await tile(page, 'after.jpg').waitFor();
    expect(await isStored('line/after.jpg')).toBe(true);
  });

  test('go on while another page is open', async () => {
    const { page } = await open('pages');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/upload', async (route) => {
      await held;
      await route.continue();
    });
    await choose(page, [photo('slow.jpg')]);
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    release();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    expect(await isStored('pages/slow.jpg')).toBe(true);
  });

  test('are given up and tried again one by one', async () => {
    const { page } = await open('given-up');
    await page.route('**/upload', () => undefined);
    await choose(page, [photo('never.jpg')]);
    await page.getByRole('button', { name: 'Cancel never.jpg' }).click();
    await page.getByText('Nothing was uploaded').waitFor();
    await page.unroute('**/upload');
    await page.getByRole('button', { name: 'Retry never.jpg' }).click();
    await tile(page, 'never.jpg').waitFor();
  });

  test('look well in both themes and at both widths', async () => {
    await lookAtAll(service, 'uploads', async (page) => {
      await page.goto(`${service.url}/dashboard/files/look`);
      await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
      await page.route('**/upload', () => undefined);
      await choose(page, [photo('harbour at night.jpg'), photo('market.jpg'), photo('old town.jpg')]);
      await page.getByRole('heading', { name: 'Uploading 3 files' }).waitFor();
    });
  });
});
