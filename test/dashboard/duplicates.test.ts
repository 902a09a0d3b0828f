import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { detailsOf } from './library.ts';

let service: TestService;
let window: Window | undefined;
let smaller: Buffer;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  service.services.describing?.start();
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg') });
  const made = await service.authorized('/t/w_400,f_jpeg/face.jpg');
  smaller = Buffer.from(await made.arrayBuffer());
});
beforeEach(async () => {
  for (const path of await stored()) await service.authorized(`/storage/${path}`, { method: 'DELETE' });
  await service.authorized('/trash', { method: 'DELETE' });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const read = async <T>(path: string) => (await (await service.authorized(path)).json()) as T;
const stored = async () =>
  (await read<{ files: { path: string }[] }>('/storage?recursive=true')).files.map(({ path }) => path).sort();

/** Stores identical files and a smaller copy of the same image. */
async function store(): Promise<void> {
  const face = fixture('portrait-face.jpg');
  await service.upload({ 'face.jpg': face, 'copy of face.jpg': face }, { folder: 'team' });
  await service.upload({ 'old.jpg': face }, { folder: 'archive' });
  await service.upload({ 'small.jpg': smaller }, { folder: 'team' });
  await service.upload({ 'wizard.jpg': fixture('no-face.jpg'), 'wizard 2.jpg': fixture('no-face.jpg') });
  const undescribed = async () =>
    (await read<{ assets: { described: boolean }[] }>('/assets')).assets.filter(({ described }) => !described).length;
  await expect.poll(undescribed).toBe(0);
}

async function open(query = ''): Promise<Window['page']> {
  window = await openWindow({ service });
  await window.page.goto(`${service.url}/dashboard/duplicates${query}`);
  await window.page.getByRole('heading', { name: 'Duplicates', exact: true }).waitFor();
  return window.page;
}

const groupOf = (page: Window['page'], path: string) =>
  page.getByRole('region').filter({ has: page.getByRole('checkbox', { name: `Keep ${path}`, exact: true }) });

describeInBrowser('the page of the duplicates', () => {
  test('is in the navigation, and says when there are none', async () => {
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('link', { name: 'Duplicates' }).click();
    await page.getByText('No identical files').waitFor();
    await page.getByRole('button', { name: 'Similar images' }).click();
    await page.getByText('No similar images').waitFor();
    expect(window.problems).toEqual([]);
  });

  test('is in the menu of the account where there is no room for it', async () => {
    window = await openWindow({ service, size: 'narrow' });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/status`);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Duplicates' }).click();
    await page.getByRole('heading', { name: 'Duplicates', exact: true }).waitFor();
  });

  test('moves what is not kept to the trash, and takes that back', async () => {
    await store();
    const all = await stored();
    const page = await open();
    const group = groupOf(page, 'team/face.jpg');
    await group
      .getByText(/^800 × 533 · [\d.]+ KB$/)
      .first()
      .waitFor();
    await group.getByText('archive', { exact: true }).waitFor();
    expect(await group.getByRole('listitem').count()).toBe(3);
    await group.getByRole('button', { name: 'Move 2 others to trash' }).waitFor();
    const keep = (path: string) => group.getByRole('checkbox', { name: `Keep ${path}`, exact: true });
    for (const path of ['team/face.jpg', 'team/copy of face.jpg']) await keep(path).setChecked(false);
    await keep('archive/old.jpg').setChecked(true);
    await group.getByRole('button', { name: 'Move 2 others to trash' }).click();
    await page.getByText('Moved 2 files to the trash.').waitFor();
    await group.waitFor({ state: 'detached' });
    expect(await stored()).toEqual(['archive/old.jpg', 'team/small.jpg', 'wizard 2.jpg', 'wizard.jpg']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 2 files.').waitFor();
    await group.waitFor();
    expect(await stored()).toEqual(all);
  });

  test('removes nothing of a group of which nothing would stay', async () => {
    await store();
    const page = await open();
    const group = groupOf(page, 'wizard.jpg');
    for (const path of ['wizard.jpg', 'wizard 2.jpg'])
      await group.getByRole('checkbox', { name: `Keep ${path}`, exact: true }).setChecked(false);
    expect(await group.getByRole('button', { name: 'Nothing to remove' }).isDisabled()).toBe(true);
  });

  test('tidies up all groups that are shown, after a question', async () => {
    await store();
    const page = await open();
    await groupOf(page, 'wizard.jpg').waitFor();
    await page.getByRole('button', { name: 'Clean up all shown groups' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Move 3 files to the trash?' });
    await dialog.getByRole('button', { name: 'Move to trash' }).click();
    await page.getByText('No identical files').waitFor();
    expect(await stored()).toHaveLength(3);
  });

  test('finds images that look the same, of which the largest is to be kept', async () => {
    await service.upload({ 'large.jpg': fixture('portrait-face.jpg'), 'small.jpg': smaller }, { folder: 'alike' });
    await expect
      .poll(async () => (await read<{ groups: object[] }>('/assets/duplicates?kind=similar')).groups.length)
      .toBe(1);
    const page = await open('?by=look');
    const group = groupOf(page, 'alike/large.jpg');
    expect(await group.getByRole('checkbox', { name: 'Keep alike/large.jpg' }).isChecked()).toBe(true);
    expect(await group.getByRole('checkbox', { name: 'Keep alike/small.jpg' }).isChecked()).toBe(false);
    await group.getByRole('link', { name: 'Open alike/small.jpg' }).click();
    await detailsOf(page, 'small.jpg').waitFor();
  });

  test('shows more groups when it is asked to, and what went wrong', async () => {
    const page = await open();
    const group = (name: string) => ({
      assets: ['a', 'b'].map((folder) => ({ ...ASSET, path: `${folder}/${name}`, name, folder })),
      wastedBytes: 10,
    });
    await page.route('**/assets/duplicates?*', (route) =>
      route.request().url().includes('cursor=')
        ? route.fulfill({
            status: 500,
            json: { error: 'Oh', message: 'The catalog fell over.', code: 'internal_error' },
          })
        : route.fulfill({ json: { groups: [group('one.jpg')], nextCursor: 'next' } }),
    );
    await page.reload();
    await groupOf(page, 'a/one.jpg').waitFor();
    await page.getByRole('button', { name: 'Show more groups' }).click();
    await page.getByRole('alert').getByText('The catalog fell over.').waitFor();
    await groupOf(page, 'a/one.jpg').waitFor();
    await page.unroute('**/assets/duplicates?*');
    await page.route('**/assets/duplicates?*', (route) =>
      route.fulfill({ json: { groups: [group('two.jpg')], nextCursor: null } }),
    );
    await page.getByRole('button', { name: 'Try again' }).click();
    await groupOf(page, 'a/two.jpg').waitFor();
  });

  test('looks well in both themes and at both widths', async () => {
    await store();
    await lookAtAll(service, 'duplicates', async (page) => {
      await page.goto(`${service.url}/dashboard/duplicates`);
      await groupOf(page, 'wizard.jpg').waitFor();
      const pictures = page.getByRole('region').locator('img');
      await expect
        .poll(() =>
          pictures.evaluateAll((all) => all.every((one) => (one as unknown as { complete: boolean }).complete)),
        )
        .toBe(true);
    });
  });
});

const ASSET = {
  kind: 'document',
  type: 'application/pdf',
  size: 10,
  mtime: '2026-01-01T00:00:00Z',
  createdAt: '2026-01-01T00:00:00Z',
  title: null,
  alt: null,
  description: null,
  tags: [],
  focal: null,
  width: null,
  height: null,
};
