import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { createSpace, startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, type Window } from './browser.ts';
import { dragFiles, thumbnailsOf, tile } from './library.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, PUBLIC_RATE_LIMIT_MAX: '1000' });
  service.services.describing?.start();
});
afterEach(() => window?.close());
afterAll(() => service.close());

const list = (page: Window['page']) => page.getByRole('region', { name: 'First steps' });
const step = (page: Window['page'], name: string) => list(page).getByRole('listitem').filter({ hasText: name });

describeInBrowser('the empty library', () => {
  test('looks well in both themes and at both widths, and so do the first steps', async () => {
    await lookAtAll(service, 'empty-library', async (page) => {
      await page.goto(`${service.url}/dashboard/files`);
      await list(page).getByText('1 of 5 done').waitFor();
    });
    await lookAtAll(service, 'first-steps', async (page) => {
      await page.goto(`${service.url}/dashboard/start`);
      await list(page).getByText('Create an API key').waitFor();
    });
  });

  test('is a target for dropped files', async () => {
    const desktop = await temporaryFolder();
    onTestFinished(desktop.close);
    const photo = join(desktop.folder, 'dropped.jpg');
    await writeFile(photo, fixture('no-face.jpg'));
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/files`);
    const drop = await dragFiles(page, [photo], page.getByText('Drop images, videos or folders here'));
    await page.getByText('Drop to upload to Library').waitFor();
    await drop();
    await tile(page, 'dropped.jpg').waitFor();
    await thumbnailsOf(page, 'dropped.jpg');
    expect((await ask(service.url, '/t/w_40/dropped.jpg')).status).toBe(200);
    expect((await service.authorized('/storage/dropped.jpg', { method: 'DELETE' })).status).toBe(200);
    expect(problems).toEqual([]);
  });

  test('takes sample pictures, while the first steps tick themselves', async () => {
    window = await openWindow({ service });
    const { page, problems } = window;
    await page.goto(`${service.url}/dashboard/files`);
    await step(page, 'Set the rate limit').getByText('Done').waitFor();
    await step(page, 'Upload a picture').getByText('To do').waitFor();
    await page.getByRole('button', { name: 'Add sample pictures' }).click();
    await page.getByRole('heading', { name: 'Uploaded 5 files' }).waitFor();
    await tile(page, 'samples').waitFor();
    for (const name of ['animation.gif', 'logo.png', 'mountains.jpg', 'portrait.jpg', 'workshop.jpg'])
      expect([name, (await ask(service.url, `/t/w_40/samples/${name}`)).status]).toEqual([name, 200]);
    await page.getByRole('navigation').getByRole('link', { name: 'First steps' }).click();
    await step(page, 'Upload a picture').getByText('Done').waitFor();
    await step(page, 'Copy code').getByText('To do').waitFor();
    await step(page, 'Create an API key').getByRole('link').click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('site');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'I have saved it' }).click();
    await page.goto(`${service.url}/dashboard/files/samples?open=samples%2Flogo.png`);
    await page.getByRole('button', { name: /^Copy/ }).first().click();
    await page.getByText('URL copied.').waitFor();
    await page.goto(`${service.url}/dashboard/start`);
    await page.getByText('4 of 5 done').waitFor();
    await step(page, 'Set PUBLIC_URL').getByText('To do').waitFor();
    await page.getByRole('button', { name: 'Dismiss', exact: true }).first().click();
    await expect.poll(() => page.getByRole('navigation').getByRole('link', { name: 'First steps' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Files', exact: true }).click();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'First steps' }).click();
    await list(page).getByText('Set PUBLIC_URL').waitFor();
    expect(problems).toEqual([]);
  });

  test('of a space has the steps that apply there', async () => {
    await createSpace(service, 'acme');
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/b/acme/files`);
    await list(page).getByText('0 of 3 done').waitFor();
    await list(page).getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => list(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Add sample pictures' }).click();
    await tile(page, 'samples').waitFor();
    expect((await ask(service.url, '/b/acme/t/w_40/samples/logo.png')).status).toBe(200);
  });
});

test('the sample pictures are files of the dashboard, with their licences', async () => {
  const { headers, status } = await ask(service.url, '/dashboard/samples/portrait.jpg');
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'image/jpeg', 'no-cache']);
  expect((await ask(service.url, '/dashboard/samples/README.txt')).body.toString()).toContain('portrait.LICENSE.txt');
  expect(Number(headers['content-length'])).toBe(fixture('portrait-face.jpg').length);
});

describeInBrowser('a text layer', () => {
  test('names the Debian package for letters that no font has', async () => {
    await service.upload({ 'base.jpg': fixture('no-face.jpg') });
    window = await openWindow({ service });
    const { page } = window;
    await page.route('**/limits', async (route) => {
      const response = await route.fetch();
      const missingScripts = [{ script: 'Japanese', package: 'fonts-noto-cjk' }];
      await route.fulfill({ response, json: { ...(await response.json()), missingScripts } });
    });
    await page.goto(`${service.url}/dashboard/playground/base.jpg?t=${encodeURIComponent('w_400~l_text:Hello')}`);
    await page.getByRole('button', { name: 'Hello', exact: true }).click();
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.waitFor();
    expect(await page.getByText('fonts-noto-cjk').count()).toBe(0);
    await text.fill('こんにちは');
    await page.getByText('Install the Debian package fonts-noto-cjk', { exact: false }).waitFor();
  });
});
