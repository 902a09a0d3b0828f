import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAt, openWindow, type Window } from './browser.ts';
import { choose, photo, tile } from './library.ts';
import { arrivedBytes, LARGE_IMAGE, MEGABYTE, uploadThrottle } from './slow-uploads.ts';

let service: TestService;
let large: string;
let small: string;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
  large = join(service.data, 'large.jpg');
  small = join(service.data, 'small.jpg');
  await writeFile(large, LARGE_IMAGE);
  await writeFile(small, fixture('no-face.jpg'));
});
afterEach(() => window?.close());
afterAll(async () => {
  await rm(large);
  await rm(small);
  await service.close();
});

const arrived = () => arrivedBytes(service);

/** Reloads the page while two files are being uploaded to a folder, and waits for the offer. */
async function interrupt(folder: string) {
  window = await openWindow({ service });
  const { page } = window;
  page.on('dialog', (dialog) => dialog.accept());
  const limitTo = await uploadThrottle(page);
  await page.route('**/upload', () => undefined);
  await page.goto(`${service.url}/dashboard/files/${folder}`);
  await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
  await limitTo(2 * MEGABYTE);
  await choose(page, large, small);
  await expect.poll(async () => (await arrived())[0] ?? 0).toBeGreaterThan(MEGABYTE);
  await page.goto(`${service.url}/dashboard/files`);
  await limitTo(-1);
  await page.unroute('**/upload');
  const offer = page.getByRole('region', { name: 'Uploads', exact: true });
  await offer.getByRole('heading', { name: '2 uploads were interrupted' }).waitFor();
  return { page, offer, problems: window.problems };
}

describeInBrowser('uploads that a reload has interrupted', () => {
  test('are offered with what has arrived, and go on where they were when the files are chosen again', async () => {
    const { page, offer, problems } = await interrupt('tour');
    await offer.getByText(/^Choose the files again to go on from [1-9]\d? %\.$/).waitFor();
    await offer.getByText('tour/large.jpg').waitFor();
    await lookAt(page, 'interrupted');
    const input = offer.locator('input[type=file]');
    await input.setInputFiles(photo('other.jpg'));
    await page.getByText('other.jpg is not one of the interrupted files.').waitFor();
    const begun: string[] = [];
    page.on('request', (request) => begun.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await input.setInputFiles([large, small]);
    await offer.getByRole('heading', { name: 'Uploaded 2 files' }).waitFor();
    expect(begun).not.toContain('POST /upload/resumable');
    expect((await ask(service.url, '/t/tour/large.jpg')).body.equals(LARGE_IMAGE)).toBe(true);
    expect((await ask(service.url, '/t/tour/small.jpg')).status).toBe(200);
    await page.reload();
    await tile(page, 'tour').waitFor();
    expect(await page.getByText('interrupted').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('are deleted when they are discarded', async () => {
    const { page, offer } = await interrupt('discarded');
    await offer.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.getByText('interrupted').count()).toBe(0);
    await expect.poll(arrived).toEqual([]);
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => /^tus::|interrupted/.test(key))')).toEqual(
      [],
    );
  });

  test('are not offered when the service has deleted them', async () => {
    const { page } = await interrupt('deleted');
    for (const id of await readdir(join(service.data, 'uploads'))) {
      const url = await page.evaluate(
        "Object.entries(localStorage).filter(([key]) => key.startsWith('tus::')).map(([, value]) => JSON.parse(value).uploadUrl)",
      );
      for (const one of url as string[])
        if (one.includes(id))
          await service.authorized(new URL(one).pathname, { method: 'DELETE', headers: { 'Tus-Resumable': '1.0.0' } });
    }
    await page.reload();
    await page.getByRole('heading', { name: '1 upload was interrupted' }).waitFor();
    await page.getByText('Choose the file again to upload.').waitFor();
  });
});

describeInBrowser('the panel of uploads', () => {
  test('says which files were left out and why, offers a retry only where it can help, and announces names', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/files/mixed`);
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor();
    await choose(
      page,
      photo('good.jpg'),
      photo('empty.jpg', Buffer.alloc(0)),
      photo('wrong.jpg', Buffer.from('no image at all')),
      { name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') },
    );
    const panel = page.getByRole('region', { name: 'Uploads', exact: true });
    await panel.getByRole('heading', { name: '1 file failed, 2 left out' }).waitFor();
    const row = (name: string) => panel.getByRole('listitem').filter({ hasText: name });
    await row('empty.jpg').getByText('Left out: the file is empty.').waitFor();
    await row('logo.svg').getByText('EXTRA_TYPES=svg accepts them.', { exact: false }).waitFor();
    await row('wrong.jpg')
      .getByText('wrong.jpg is not a JPEG image, although its name says so.', { exact: false })
      .waitFor();
    expect(await panel.getByRole('button', { name: /^(Retry|Try)/ }).count()).toBe(0);
    const news = panel.getByRole('status');
    await expect.poll(() => news.textContent()).toContain('Uploaded good.jpg.');
    expect(await news.textContent()).toMatch(/Not uploaded: .*logo\.svg \(Left out: svg files are not accepted/);
    await lookAt(page, 'left-out');
    await row('logo.svg').getByRole('button', { name: 'Remove logo.svg from the list' }).click();
    await expect.poll(() => row('logo.svg').count()).toBe(0);
    await page.route('**/upload', (route) =>
      route.fulfill({ status: 507, json: { error: 'x', code: 'quota_exceeded', message: 'The quota is used up.' } }),
    );
    await choose(page, photo('later.jpg'));
    await row('later.jpg').getByText('The quota is used up.').waitFor();
    await page.unroute('**/upload');
    await row('later.jpg').getByRole('button', { name: 'Retry later.jpg' }).click();
    await tile(page, 'later.jpg').waitFor();
    expect(problems.filter((problem) => !problem.includes('507'))).toEqual([]);
  });
});
