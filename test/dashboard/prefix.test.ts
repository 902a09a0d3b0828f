import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { choose, photo, tile } from './library.ts';

const PREFIX = '/media';

/** Proxy that strips a prefix from every request. */
function startProxy(target: () => string): http.Server {
  return http.createServer((request, response) => {
    const { method, headers, url = '/' } = request;
    if (!url.startsWith(`${PREFIX}/`) && url !== PREFIX) {
      response.writeHead(404).end();
      return;
    }
    const path = url.slice(PREFIX.length) || '/';
    const onwards = http.request(new URL(path, target()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onwards.on('error', () => response.destroy());
    response.on('close', () => onwards.destroy());
    request.pipe(onwards);
  });
}

let service: TestService;
let proxy: http.Server;
let outside: string;
let window: Window | undefined;
beforeAll(async () => {
  proxy = startProxy(() => service.url);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  outside = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${PREFIX}`;
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE, PUBLIC_URL: outside });
  await service.upload({ 'face.jpg': fixture('portrait-face.jpg') }, { folder: 'people' });
});
afterEach(() => window?.close());
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await service.close();
});

describeInBrowser('behind a proxy that takes a prefix away', () => {
  test('the dashboard is found, signs in, shows images and takes uploads', async () => {
    window = await openWindow();
    const { page, problems } = window;
    await page.goto(`${outside}/`);
    await page.waitForURL(`${outside}/dashboard/login`);
    await page.getByLabel('Email').fill(ADMIN.ADMIN_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await tile(page, 'people').click();
    await page.waitForURL(`${outside}/dashboard/files/people`);
    await tile(page, 'face.jpg').click();
    await page.getByText(`${outside}/t/people/face.jpg`).waitFor();
    await page.getByRole('button', { name: 'Close details' }).click();
    await page.locator('.thumb-image:not([hidden])').waitFor();
    await choose(page, photo('other.jpg'));
    await tile(page, 'other.jpg').waitFor();
    expect(problems).toEqual([]);
  });
});
