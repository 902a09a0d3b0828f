import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ask, fixture } from '../../http.ts';
import { preparePackages } from '../../packages.ts';
import { startService, type TestService } from '../../service.ts';
import { describeInBrowser, openWindow, type Window } from '../browser.ts';
import { bundleExamples, type Site, startSite } from './page.ts';

const packages = 'missing' in inject('browser') ? undefined : await preparePackages(import.meta.dirname, 'Uppy');
const describeWithUppy = packages && 'folder' in packages ? describeInBrowser : describe.skip;

let site: Site;
let service: TestService;
let window: Window;
/** Console output of the examples. */
const said: string[] = [];
/** Methods of the requests to the service, preflights included. */
const asked: string[] = [];

/** Signed upload parameters for a folder, as a server passes them to its page. */
async function signed(folder: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await service.authorized('/upload/sign', {
    method: 'POST',
    headers,
    body: JSON.stringify({ folder, expiresIn: 300 }),
  });
  const { signature, expires } = (await answer.json()) as Record<string, unknown>;
  return { signature, expires, folder };
}

/** Runs an example with a selected file. */
function run(example: 'withTus' | 'withUppy', given: unknown, name: string, type: string, bytes: Buffer) {
  const chosen = { example, darkroom: service.url, signed: given, name, type, bytes: bytes.toString('base64') };
  return window.page.evaluate(
    `(async ({ example, darkroom, signed, name, type, bytes }) => {
      const file = new File([await (await fetch('data:;base64,' + bytes)).blob()], name, { type });
      await window[example]({ darkroom, signed, file });
      if (example === 'withTus') return;
      window.uppy.addFile({ name, type, data: file });
      const { successful, failed } = await window.uppy.upload();
      return { successful: successful.length, failed: failed.length };
    })(${JSON.stringify(chosen)})`,
  );
}

describeWithUppy('the examples for browsers', () => {
  beforeAll(async () => {
    site = await startSite();
    site.serve(await bundleExamples());
    service = await startService({
      CORS_ORIGIN: site.origin,
      API_SECRET: 'test-secret-at-least-16-chars-long',
      MAX_FILE_SIZE_MB: '1',
    });
    window = await openWindow();
    const session = await window.context.newCDPSession(window.page);
    await session.send('Network.enable');
    session.on('Network.requestWillBeSent', ({ request }) => {
      if (request.url.startsWith(service.url)) asked.push(request.method);
    });
    window.page.on('console', (message) => said.push(message.text()));
    await window.page.goto(site.origin);
    await window.page.waitForFunction('window.withUppy');
  });
  // Some are undefined when the set-up failed half way.
  afterAll(() => Promise.all([window?.close(), service?.close(), site?.close()]));

  test('upload with Uppy from another site, and say where the file is', async () => {
    const bytes = Buffer.concat([fixture('portrait-face.jpg'), randomBytes(300_000)]);
    expect(await run('withUppy', await signed('from uppy'), 'ä 1.jpg', 'image/jpeg', bytes)).toEqual({
      successful: 1,
      failed: 0,
    });
    await expect.poll(() => said).toContain('/t/from%20uppy/%C3%A4%201.jpg');
    expect((await ask(service.url, '/t/from%20uppy/%C3%A4%201.jpg')).body.equals(bytes)).toBe(true);
    expect(asked).toEqual(expect.arrayContaining(['OPTIONS', 'POST', 'PATCH', 'GET']));
  });

  test('upload with tus-js-client', async () => {
    await run('withTus', await signed('from tus'), 'b.jpg', 'image/jpeg', fixture('concert.jpg'));
    await expect.poll(() => said).toContain('/t/from%20tus/b.jpg');
  });

  test.each([
    ['tool.exe', '', 'Files of this type are not accepted: "tool.exe".'],
    ['large.jpg', 'image/jpeg', 'The file is larger than the limit of 1 MB (MAX_FILE_SIZE_MB).'],
    [
      'text.jpg',
      'image/jpeg',
      'Expected image/jpeg because of the name "text.jpg", received bytes of no accepted type.',
    ],
  ])('say why the service refuses %s', async (name, type, reason) => {
    const bytes = Buffer.alloc(name === 'large.jpg' ? 1_100_000 : 20, 'no picture');
    said.length = 0;
    expect(await run('withUppy', await signed('refused'), name, type, bytes)).toEqual({ successful: 0, failed: 1 });
    await run('withTus', await signed('refused'), name, type, bytes);
    await expect.poll(() => said.filter((line) => line === reason)).toHaveLength(2);
  });
});
