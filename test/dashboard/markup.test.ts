import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { anotherAddress, FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, openWindow, type Window } from './browser.ts';
import { choose } from './library.ts';

/**
 * Markup that would request a file, run a script or be filled in by a template, and bidirectional controls. Names
 * cannot contain a slash.
 */
const NAME = `a"><img src=evil-x onerror=alert(1)>{{7*7}}\${7*7}'\u202egnp`;
const TEXT = `${NAME}</title></textarea></script><script>alert(2)</script><svg onload=alert(3)><a href="javascript:alert(4)">b</a>`;
const FOLDER = `f${NAME}`;
const PATH = `${FOLDER}/${NAME}.jpg`;
const VIDEO = `${FOLDER}/${NAME}.mp4`;
const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Traces that injected markup would leave on a page. */
const INJECTED =
  'img[src="evil-x"], [onerror], [onload], script:not([src]), a[href^="javascript:" i], iframe, object, embed';

/** Expected console messages: responses with an error status, and invalid numbers. */
const REFUSED = /^Failed to load resource|^The specified value/;

let service: TestService;
let window: Window | undefined;
/** Requests and dialogs that the dashboard never makes. */
let strange: string[];
beforeAll(async () => {
  service = await startService({
    ...ADMIN,
    ...FROM_ANYWHERE,
    ADMIN_NAME: TEXT.slice(0, 100),
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.1',
    VERSIONS_KEEP: '3',
    VERSIONS_DAYS: '30',
    API_SECRET: 'test-secret-at-least-16-chars-long',
  });
  service.services.describing?.start();
  await service.services.webhooks.start();
  const face = fixture('portrait-face.jpg');
  await service.upload({ [`${NAME}.jpg`]: fixture('no-face.jpg') }, { folder: FOLDER });
  await service.upload({ [`${NAME}.mp4`]: fixture('schizo_90.mp4'), [`old ${NAME}.jpg`]: face }, { folder: FOLDER });
  await service.upload({ [`copy ${NAME}.jpg`]: face }, { folder: `${FOLDER}/${FOLDER}` });
  await service.upload({ [`gone ${NAME}.jpg`]: fixture('concert.jpg') }, { folder: FOLDER });
  const isDescribed = async () => (await read<{ described: boolean }>(`/assets/${encoded(PATH)}`)).described;
  await vi.waitUntil(isDescribed, { timeout: 60_000 });
  await change('PUT', `/storage/${encoded(PATH)}`, new Uint8Array(face));
  for (const path of [PATH, VIDEO]) {
    await change('PATCH', `/assets/${encoded(path)}`, {
      title: TEXT,
      alt: TEXT,
      description: TEXT,
      tags: [NAME.toLowerCase(), '</option><img src=evil-x onerror=alert(5)>'],
      fields: { [TEXT]: TEXT },
    });
  }
  await change('DELETE', `/storage/${encoded(`${FOLDER}/gone ${NAME}.jpg`)}?trash=true`);
  await change('POST', '/api-keys/create', { name: TEXT.slice(0, 100), permissions: ['read'] });
  await change('POST', '/webhooks', {
    url: `http://127.0.0.1:9/${TEXT.replace('\u202e', '')}`,
    events: ['job.error', 'file.stored'],
    folder: FOLDER,
  });
  await service.authorized(`/t/w_100/${encoded(VIDEO)}`);
  for (const claimed of await service.services.queue.claim(1)) await service.services.queue.fail(claimed, TEXT, true);
  await signInAs(TEXT.replace('\u202e', ''));
});
afterEach(() => window?.close());
afterAll(() => service.close());

const read = async <T>(path: string) => (await (await service.authorized(path)).json()) as T;

async function change(method: string, path: string, body?: object | Uint8Array<ArrayBuffer>): Promise<void> {
  const isBytes = body instanceof Uint8Array;
  const response = await service.authorized(path, {
    method,
    ...(body && !isBytes && { headers: { 'content-type': 'application/json' } }),
    ...(body && { body: isBytes ? body : JSON.stringify(body) }),
  });
  expect([method, path, response.status, response.ok ? '' : await response.text()]).toEqual([method, path, 200, '']);
}

/** Creates a session with a given device name for the account page. */
async function signInAs(device: string): Promise<void> {
  const { status } = await ask(service.url, '/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': anotherAddress(), 'user-agent': device },
    body: JSON.stringify({ email: ADMIN.ADMIN_EMAIL, password: ADMIN.ADMIN_PASSWORD }),
  });
  expect(status).toBe(200);
}

async function open(path: string, isSignedIn = true): Promise<Page> {
  window ??= await openWindow(isSignedIn ? { service } : {});
  const { page } = window;
  if (page.url() === 'about:blank') watch(page);
  await page.goto(`${service.url}/dashboard/${path}`);
  return page;
}

function watch(page: Page): void {
  strange = [];
  page.on('dialog', (dialog) => {
    strange.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    const isOurs = url.startsWith(`${service.url}/`) || /^(?:data|blob):/.test(url);
    if (!isOurs || new URL(url).pathname.endsWith('/evil-x')) strange.push(`request ${url}`);
  });
}

/** Asserts that texts are shown as text: no elements, scripts or requests. @param texts shown verbatim */
async function isHarmless(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const shown = () =>
      page.evaluate(
        `[document.body, ...document.querySelectorAll('input, textarea, [aria-label], [title], [alt]')].some((one) =>
          [one.textContent, one.value, one.title, one.alt, one.getAttribute('aria-label')].some((text) => text?.includes(${JSON.stringify(text)})))`,
      );
    await expect.poll(async () => [text, await shown()]).toEqual([text, true]);
  }
  expect([page.url(), await page.locator(INJECTED).count()]).toEqual([page.url(), 0]);
  const problems = window?.problems.filter((complaint) => !REFUSED.test(complaint));
  expect([page.url(), strange, problems]).toEqual([page.url(), [], []]);
}

afterEach(() => {
  window = undefined;
});

describeInBrowser('markup in names and texts', () => {
  test('is text in the library: grid, list, tooltips, search, filters, details, versions', async () => {
    await isHarmless(await open('files'), FOLDER);
    await isHarmless(await open(`files/${encoded(FOLDER)}`), `${NAME}.jpg`, FOLDER);
    await isHarmless(await open(`files/${encoded(FOLDER)}?view=list`), `${NAME}.jpg`);
    await isHarmless(
      await open(`files?q=${encodeURIComponent(NAME)}&tag=${encodeURIComponent(NAME.toLowerCase())}`),
      NAME,
    );
    const page = await open(`files/${encoded(FOLDER)}?open=${encodeURIComponent(PATH)}`);
    await page.getByRole('region', { name: 'Versions' }).waitFor();
    await isHarmless(page, TEXT, NAME.toLowerCase(), `${NAME}.jpg`);
    await isHarmless(await open(`files/${encoded(FOLDER)}?open=${encodeURIComponent(VIDEO)}`), TEXT, `${NAME}.mp4`);
  });

  test('is text in menus, dialogs and toasts', async () => {
    const page = await open(`files/${encoded(FOLDER)}`);
    const cell = page.getByRole('gridcell', { name: `old ${NAME}` }).first();
    await cell.click({ button: 'right' });
    await page.getByRole('menu').waitFor();
    await isHarmless(page);
    await page.keyboard.press('Escape');
    await cell.focus();
    await page.keyboard.press('F2');
    await page.getByRole('dialog').waitFor();
    await isHarmless(page, `old ${NAME}.jpg`);
    await page.keyboard.press('Escape');
    await cell.focus();
    await page.keyboard.press('Shift+Delete');
    await page.getByRole('alertdialog').waitFor();
    await isHarmless(page, `old ${NAME}.jpg`);
    await page.keyboard.press('Escape');
    await cell.focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await isHarmless(page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page
      .getByRole('gridcell', { name: `old ${NAME}` })
      .first()
      .waitFor();
  });

  test('is text in the panel of uploads, also when a file is refused', async () => {
    const page = await open(`files/${encoded(FOLDER)}`);
    const bytes = { mimeType: 'text/html', buffer: Buffer.from(TEXT) };
    await choose(page, { name: `up ${NAME}.html`, ...bytes });
    await isHarmless(page, `up ${NAME}.html`);
  });

  test('is text in the palette', async () => {
    const page = await open('status');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('searchbox').fill('copy');
    await isHarmless(page, `copy ${NAME}.jpg`);
    await page.getByRole('dialog').getByRole('searchbox').fill(TEXT);
    await isHarmless(page, TEXT);
  });

  test.each([
    ['trash', `gone ${NAME}.jpg`],
    ['duplicates', `old ${NAME}.jpg`],
    ['jobs', TEXT],
    ['keys', TEXT.slice(0, 100).trim()],
    ['webhooks', FOLDER],
    ['account', TEXT.slice(0, 100)],
    ['settings', 'VERSIONS_KEEP'],
    ['status', 'Status'],
  ])('is text on the page %s', async (name, text) => {
    const page = await open(name);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await isHarmless(page, text);
  });

  test('is text in the log of a webhook', async () => {
    const page = await open('webhooks');
    await page.getByRole('button', { name: 'Log' }).first().click();
    await page.waitForLoadState('networkidle');
    await isHarmless(page, FOLDER);
  });

  test.each(['url', 'srcset', 'picture', 'next', 'nuxt', 'unpic', 'curl', 'preset', 'signed'])(
    'is text in the playground, with %s to copy',
    async (as) => {
      const page = await open(`playground/${encoded(PATH)}?t=w_300,q_70&as=${as}`);
      await page.getByRole('img', { name: 'Result' }).waitFor();
      await page.waitForLoadState('networkidle');
      await isHarmless(page, `${NAME}.jpg`);
      const code = (await page.locator('.code pre').allTextContents()).join('\n');
      expect(code).not.toMatch(/<img src=evil|<script|\{\{7/);
    },
  );

  test('is text in the playground: a transformation in a link, a file that is not there, the choice of a file, a video', async () => {
    for (const as of ['url', 'next', 'preset']) {
      const page = await open(`playground/${encoded(PATH)}?t=${encodeURIComponent(`q_7'+${NAME}`)}&as=${as}`);
      await page.getByRole('region', { name: 'Code' }).waitFor();
      await page.waitForLoadState('networkidle');
      await isHarmless(page);
    }
    const missing = await open(`playground/${encoded(`${TEXT}.jpg`)}`);
    await missing.waitForLoadState('networkidle');
    await isHarmless(missing);
    await isHarmless(await open('playground/'), `${NAME}.jpg`);
    const video = await open(`playground/${encoded(VIDEO)}?t=w_100&as=video`);
    await video.locator('.film video').waitFor();
    await isHarmless(video, `${NAME}.mp4`);
  });

  test('is text on the page that is not there', async () => {
    const page = await open(encoded(TEXT));
    await page.getByRole('heading').first().waitFor();
    await isHarmless(page);
  });

  test.each([
    'javascript:alert(6)',
    '//evil.example/evil-x',
    '/\t/evil.example/evil-x',
    '/\\evil.example',
    'https://evil.example/',
  ])('leads nowhere else after signing in: %j', async (to) => {
    const page = await open(`login?to=${encodeURIComponent(to)}`, false);
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': anotherAddress() });
    await page.getByLabel('Email').fill(ADMIN.ADMIN_EMAIL);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').first().waitFor();
    expect(page.url().startsWith(`${service.url}/dashboard`)).toBe(true);
    await isHarmless(page);
  });
});

test('what the service itself answers with is no page but for its own, with a policy that runs nothing', async () => {
  const query = encodeURIComponent(TEXT);
  for (const path of [
    `/${query}`,
    `/t/${query}/${query}`,
    `/t/w_1/${query}`,
    `/download/${query}`,
    `/storage/${query}`,
    `/video-status/${query}`,
    `/authenticated/s--${query}/a`,
    `/api/${query}`,
  ]) {
    const { headers } = await ask(service.url, path, { headers: { accept: 'text/html' } });
    expect([path, headers['content-type'], headers['x-content-type-options']]).toEqual([
      path,
      expect.stringMatching(/^application\/json/),
      'nosniff',
    ]);
  }
  const docs = await ask(service.url, `/api/docs?${query}`);
  expect(docs.headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
  expect(docs.body.toString()).not.toMatch(/<script|evil-x/);
  const page = await ask(service.url, `/dashboard/${query}`);
  expect(page.headers['content-security-policy']).toContain("script-src 'self';");
  expect(page.headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
  expect(page.body.toString()).not.toContain('evil-x');
});
