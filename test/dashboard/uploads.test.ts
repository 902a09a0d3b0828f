import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { formatBytes } from '../../web/src/components/format.ts';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import {
  ADMIN,
  describeInBrowser,
  faultsOf,
  hold,
  lookAtAll,
  openWindow,
  saveScreenshot,
  type Window,
} from './browser.ts';
import { choose, exists, photo, tile, versionsOf } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, MAX_FILE_SIZE_MB: '2', PRESETS: 'card=w_300,h_200' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

async function open(folder = ''): Promise<Window> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/files/${folder}`);
  await window.page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  return window;
}

/** Header of a 3D model. */
const GLB = 'glTF\x02\0\0\0\x0c\0\0\0';

/** Uploads a file and returns the URLs of its prewarmed variants. */
async function prewarmedUrls(page: Window['page'], file: ReturnType<typeof photo>): Promise<string[] | undefined> {
  const [response] = await Promise.all([page.waitForResponse('**/upload'), choose(page, file)]);
  const { files } = (await response.json()) as { files: { prewarmedUrls: string[] }[] };
  return files[0]?.prewarmedUrls;
}

describeInBrowser('uploads', () => {
  test('begin from the empty library, and the files are there when they have arrived', async () => {
    const { page, problems } = await open();
    await page.getByText('Your library is empty').waitFor();
    await choose(page, photo('one.jpg'), photo('two.jpg'));
    await tile(page, 'one.jpg').waitFor();
    await tile(page, 'two.jpg').waitFor();
    await page.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    await page.getByRole('region', { name: 'Uploads', exact: true }).getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => page.getByRole('region', { name: 'Uploads', exact: true }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('say why the service refuses a file, and leave out what is too large', async () => {
    const { page } = await open('refused');
    await choose(
      page,
      photo('text.jpg', Buffer.from('no picture at all')),
      photo('large.jpg', Buffer.alloc(3 * 1024 * 1024)),
      photo('good.jpg'),
    );
    await page.getByRole('heading', { name: '1 file failed, 1 left out' }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'text.jpg' });
    expect(await row.textContent()).toContain('text.jpg is not a JPEG image, although its name says so.');
    const large = page.getByRole('listitem').filter({ hasText: 'large.jpg' });
    await large.getByText('Left out: larger than 2 MB (MAX_FILE_SIZE_MB).').waitFor();
    await tile(page, 'good.jpg').waitFor();
    expect(await exists(service, 'refused/large.jpg')).toBe(false);
  });

  test.each([
    ['Keep both', ['again.jpg', 'again (1).jpg'], 0],
    ['Replace', ['again.jpg'], 1],
    ['Skip', ['again.jpg'], 0],
  ])('ask what to do with a name that is taken: %s', async (choice, names, versions) => {
    const folder = `conflict-${choice.replace(' ', '-')}`;
    await service.upload({ 'again.jpg': fixture('no-face.jpg') }, { folder });
    const { page } = await open(folder);
    await choose(page, photo('again.jpg'), photo('other.jpg'));
    await page.getByRole('dialog', { name: 'again.jpg already exists' }).getByRole('button', { name: choice }).click();
    await tile(page, 'other.jpg').waitFor();
    await page.getByRole('heading', { name: /^Uploaded/ }).waitFor();
    const listing = (await (await service.authorized(`/storage?path=${folder}`)).json()) as {
      files: { name: string }[];
    };
    expect(listing.files.map(({ name }) => name).sort()).toEqual([...names, 'other.jpg'].sort());
    expect(await versionsOf(service, `${folder}/again.jpg`)).toHaveLength(versions);
  });

  test('show both files of a name that is taken, and say what becomes of the URL', async () => {
    await service.upload({ 'logo.jpg': fixture('no-face.jpg') }, { folder: 'both' });
    const { page, problems } = await open('both');
    await choose(page, photo('logo.jpg', fixture('portrait-face.jpg')));
    const dialog = page.getByRole('dialog', { name: 'logo.jpg already exists' });
    await dialog.getByText('Replacing keeps the URL, which then shows the new file', { exact: false }).waitFor();
    await dialog.getByText('the new file gets a number: logo (1).jpg.', { exact: false }).waitFor();
    for (const [side, name] of [
      ['In the library', 'no-face.jpg'],
      ['New file', 'portrait-face.jpg'],
    ] as const) {
      const part = dialog.getByRole('region', { name: side });
      await part.getByText(formatBytes(fixture(name).length), { exact: true }).waitFor();
      await part.getByText(/\d{4}, \d{1,2}:\d\d/).waitFor();
      const width = () =>
        part.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);
      await expect.poll(width).toBeGreaterThan(0);
    }
    expect(problems).toEqual([]);
  });

  test('ask for each of several taken names, with both pictures, by keyboard too', async () => {
    const folder = 'singly';
    const names = ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg'];
    await service.upload(Object.fromEntries(names.map((name) => [name, fixture('no-face.jpg')])), { folder });
    const { page, problems } = await open(folder);
    await tile(page, 'e.jpg').waitFor();
    await choose(page, ...[...names, 'new.jpg'].map((name) => photo(name, fixture('portrait-face.jpg'))));
    await page
      .getByRole('dialog', { name: '5 files already exist' })
      .getByRole('button', { name: 'Choose for each file' })
      .press('Enter');
    const dialog = (name: string) => page.getByRole('dialog', { name: `${name} already exists` });
    await dialog('a.jpg').getByRole('region', { name: 'New file' }).locator('img').waitFor();
    await dialog('a.jpg').getByText('File 1 of 5').waitFor();
    await dialog('a.jpg').getByRole('button', { name: 'Replace' }).press('Enter');
    await dialog('b.jpg').getByRole('button', { name: 'Skip' }).press('Enter');
    await dialog('c.jpg').getByText('File 3 of 5').waitFor();
    await dialog('c.jpg').getByRole('button', { name: 'Keep both' }).press('Enter');
    await saveScreenshot(page, 'uploads-taken-singly');
    expect(await faultsOf(page)).toEqual([]);
    await dialog('d.jpg').getByRole('button', { name: 'Choose once for the remaining 2 files' }).press('Enter');
    await page
      .getByRole('dialog', { name: '2 files already exist' })
      .getByRole('button', { name: 'Skip' })
      .press('Enter');
    await page.getByText('Skipped b.jpg, d.jpg and e.jpg, which are there already.').waitFor();
    await page.getByRole('heading', { name: 'Uploaded 3 files' }).waitFor();
    const listing = (await (await service.authorized(`/storage?path=${folder}`)).json()) as {
      files: { name: string }[];
    };
    expect(listing.files.map(({ name }) => name).sort()).toEqual([...names, 'c (1).jpg', 'new.jpg'].sort());
    const replaced = await Promise.all(
      names.map(async (name) => (await versionsOf(service, `${folder}/${name}`)).length),
    );
    expect(replaced).toEqual([1, 0, 0, 0, 0]);
    expect(problems).toEqual([]);
  });

  test('that are skipped say so, and the files that stay are selected', async () => {
    await service.upload(
      { 'logo.jpg': fixture('no-face.jpg'), 'mark.jpg': fixture('no-face.jpg') },
      { folder: 'skip' },
    );
    const { page } = await open('skip');
    const chosen = page.locator('[data-index][aria-selected="true"]');
    await choose(page, photo('logo.jpg'));
    await page.getByRole('dialog', { name: 'logo.jpg already exists' }).getByRole('button', { name: 'Skip' }).click();
    await page.getByText('Skipped logo.jpg, which is there already.').waitFor();
    await expect.poll(() => chosen.allTextContents()).toEqual([expect.stringContaining('logo.jpg')]);
    await choose(page, photo('logo.jpg'), photo('mark.jpg'), photo('new.jpg'));
    const dialog = page.getByRole('dialog', { name: '2 files already exist' });
    await dialog.waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^logo\.jpg.* → /),
      expect.stringMatching(/^mark\.jpg.* → /),
    ]);
    await dialog.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('Skipped logo.jpg and mark.jpg, which are there already.').waitFor();
    await expect.poll(() => chosen.count()).toBe(3);
  });

  test('wait while the line is cut, and go on when it is back', async () => {
    const { page, context } = await open('line');
    await context.setOffline(true);
    await page.getByText('You are offline.', { exact: false }).waitFor();
    // Limits must be cached before the connection is cut.
    await context.setOffline(false);
    await choose(page, photo('before.jpg'));
    await tile(page, 'before.jpg').waitFor();
    await page.route('**/upload', (route) => route.abort('connectionreset'), { times: 1 });
    await choose(page, photo('after.jpg'));
    await tile(page, 'after.jpg').waitFor();
    expect(await exists(service, 'line/after.jpg')).toBe(true);
  });

  test('go on while another page is open', async () => {
    const { page } = await open('pages');
    const release = await hold(page, '**/upload');
    await choose(page, photo('slow.jpg'));
    await page.getByRole('heading', { name: 'Uploading 1 file' }).waitFor();
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByRole('heading', { name: 'Status', exact: true }).waitFor();
    release();
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    expect(await exists(service, 'pages/slow.jpg')).toBe(true);
  });

  test('are given up and tried again one by one', async () => {
    const { page } = await open('given-up');
    await page.route('**/upload', () => undefined);
    await choose(page, photo('never.jpg'));
    await page.getByRole('button', { name: 'Cancel never.jpg' }).click();
    await page.getByText('No files uploaded').waitFor();
    await page.unroute('**/upload');
    await page.getByRole('button', { name: 'Retry never.jpg' }).click();
    await tile(page, 'never.jpg').waitFor();
  });

  test('prepare the variants that were chosen for their folder, and say which could not be made', async () => {
    const { page } = await open('prepared');
    const menu = async () => {
      await page.getByRole('button', { name: 'Upload options' }).click();
      await page.getByRole('menuitem', { name: 'Prepare variants' }).click();
    };
    await menu();
    const dialog = page.getByRole('dialog', { name: 'Prepare variants in prepared' });
    await dialog.getByRole('checkbox', { name: 'card' }).check();
    const field = dialog.getByRole('textbox', { name: 'Transformations' });
    expect(await field.inputValue()).toBe('n_card');
    await field.fill('n_card\nwide_20');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Unknown transformation: wide_20').waitFor();
    await field.fill(Array.from({ length: 21 }, (_, at) => `w_${at + 1}`).join('\n'));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Too many transformations: 21, at most 20.').waitFor();
    await field.fill('n_card\nw_20,f_png');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 variants are prepared for each new file in this folder.').waitFor();
    expect(await prewarmedUrls(page, photo('ready.jpg'))).toContain('/t/w_20,f_png/prepared/ready.jpg');
    await page.getByRole('heading', { name: 'Uploaded 1 file' }).waitFor();
    await page.route('**/upload', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { files: object[] };
      const warned = body.files.map((file) => ({ ...file, prewarmErrors: ['w_20,f_png: The disk is full.'] }));
      await route.fulfill({ response, json: { ...body, files: warned } });
    });
    await page.reload();
    await choose(page, photo('warned.jpg'));
    const row = page.getByRole('listitem').filter({ hasText: 'warned.jpg' });
    await row.getByText('Uploaded with a warning: w_20,f_png: The disk is full.').waitFor();
    // Uploaded files are selected, and their actions take the place of the button.
    await page.getByRole('toolbar').waitFor();
    await page.keyboard.press('Escape');
    await menu();
    expect(await field.inputValue()).toBe('n_card\nw_20,f_png');
  });

  test('prepare nothing in another folder, and nothing of what is no image or video', async () => {
    const { page } = await open('other');
    await page.evaluate(
      "localStorage.setItem('darkroom-prewarm', JSON.stringify([['prepared', ['w_20']], ['models', ['w_20']]]))",
    );
    expect(await prewarmedUrls(page, photo('plain.jpg'))).toEqual([]);
    await page.goto(`${service.url}/dashboard/files/models`);
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    const model = { name: 'a.glb', mimeType: 'model/gltf-binary', buffer: Buffer.from(GLB, 'latin1') };
    expect(await prewarmedUrls(page, model)).toEqual([]);
  });

  test('look well in both themes and at both widths', async () => {
    await lookAtAll(service, 'uploads', async (page) => {
      await page.goto(`${service.url}/dashboard/files/look`);
      await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
      await page.route('**/upload', () => undefined);
      await choose(page, photo('harbour at night.jpg'), photo('market.jpg'), photo('old town.jpg'));
      await page.getByRole('heading', { name: 'Uploading 3 files' }).waitFor();
    });
  });

  test('look well when a name is taken', async () => {
    await service.upload({ 'harbour.jpg': fixture('no-face.jpg') }, { folder: 'look-taken' });
    await lookAtAll(service, 'uploads-taken', async (page) => {
      await page.goto(`${service.url}/dashboard/files/look-taken`);
      await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
      await choose(page, photo('harbour.jpg'));
      await page.getByRole('dialog', { name: 'harbour.jpg already exists' }).waitFor();
    });
  });

  test('look well when variants are chosen', async () => {
    await lookAtAll(service, 'uploads-prepared', async (page) => {
      await page.goto(`${service.url}/dashboard/files/look`);
      await page.getByRole('button', { name: 'Upload options' }).click();
      await page.getByRole('menuitem', { name: 'Prepare variants' }).click();
      await page.getByRole('checkbox', { name: 'card' }).check();
    });
  });
});
