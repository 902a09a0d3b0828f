import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ask, fixture } from '../http.ts';
import { startService, type TestService } from '../service.ts';
import { FROM_ANYWHERE } from '../session.ts';
import { ADMIN, describeInBrowser, lookAtAll, openWindow, SIZES, type Window } from './browser.ts';

let service: TestService;
let window: Window | undefined;
beforeAll(async () => {
  service = await startService({ ...ADMIN, ...FROM_ANYWHERE });
});
afterEach(() => window?.close());
afterAll(() => service.close());

const PAGES = {
  account: 'Account',
  audit: 'Audit log',
  duplicates: 'Duplicates',
  jobs: 'Jobs',
  keys: 'API keys',
  people: 'People',
  playground: 'Playground',
  redirects: 'Redirects',
  settings: 'Settings',
  spaces: 'Spaces',
  'spaces/default': 'Library',
  start: 'First steps',
  status: 'Status',
  tags: 'Tags',
  trash: 'Trash',
  usage: 'Usage',
  webhooks: 'Webhooks',
};

async function expectHeading(href: string | null): Promise<void> {
  const [path = '', anchor] = String(href).split('#');
  const { status, body } = await ask(service.url, path);
  const isThere = anchor === undefined || body.toString().includes(`id="${anchor}"`);
  expect([href, status, isThere]).toEqual([href, 200, true]);
}

describeInBrowser('the header of a page', () => {
  test('is one layout: title, one line of text, actions, and a link to the documentation that explains it', async () => {
    window = await openWindow({ service });
    const { page } = window;
    for (const [path, title] of Object.entries(PAGES)) {
      await page.goto(`${service.url}/dashboard/${path}`);
      const header = page.locator('main header.page-head');
      await header.getByRole('heading', { level: 1, name: title }).waitFor();
      expect([path, await page.locator('h1').count(), await header.locator('p').count()]).toEqual([path, 1, 1]);
      const link = header.getByRole('link', { name: 'Documentation of this page' });
      expect([path, await link.getAttribute('target'), await page.title()]).toEqual([
        path,
        '_blank',
        expect.stringContaining('Darkroom'),
      ]);
      await expectHeading(await link.getAttribute('href'));
    }
    expect(window.problems).toEqual([]);
  });

  test('fits a phone, where the link to the documentation is an icon with a name', async () => {
    window = await openWindow({ service, size: 'narrow' });
    const { page } = window;
    await page.goto(`${service.url}/dashboard/keys`);
    const link = page.getByRole('link', { name: 'Documentation of this page' });
    await link.waitFor();
    const { width = 0, height = 0 } = (await link.boundingBox()) ?? {};
    expect(width).toBeGreaterThanOrEqual(24);
    expect(height).toBeGreaterThanOrEqual(24);
    expect(width).toBeLessThan(48);
  });

  test('the account menu leads to the documentation of the page, also in the library', async () => {
    window = await openWindow({ service });
    const { page } = window;
    for (const [path, target] of [
      ['files', '/api/docs/guide/dashboard'],
      ['trash', '/api/docs/guide/library#trash'],
    ] as const) {
      await page.goto(`${service.url}/dashboard/${path}`);
      await page.getByRole('button', { name: 'Account' }).click();
      const item = page.getByRole('menuitem', { name: 'Documentation' });
      expect(await item.getAttribute('href')).toBe(target);
      await page.keyboard.press('Escape');
    }
  });
});

describeInBrowser('the API reference', () => {
  test('looks well in both themes and at both widths', async () => {
    await lookAtAll(undefined, 'api', async (page) => {
      await page.goto(`${service.url}/api/docs#listTrash`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    });
  });

  test('no heading hides under the bar, at any width, and a GET can be tried', async () => {
    window = await openWindow({ service });
    const { page } = window;
    for (const size of Object.values(SIZES)) {
      await page.setViewportSize(size);
      for (const id of ['storage', 'schemas', 'Job']) {
        await page.goto(`${service.url}/api/docs#${id}`);
        const heading = page.locator(id === 'Job' ? '#Job' : `#${id} > h2`);
        await expect
          .poll(async () => {
            const bar = await page.locator('nav').boundingBox();
            const isSticky =
              (await page.locator('nav').evaluate('(nav) => getComputedStyle(nav).position')) === 'sticky';
            const bottom = isSticky ? (bar?.y ?? 0) + (bar?.height ?? 0) : 0;
            const { y = -1 } = (await heading.boundingBox()) ?? {};
            return y >= bottom && y < size.height;
          })
          .toBe(true);
      }
    }
    await page.goto(`${service.url}/api/docs#listTrash`);
    const [opened] = await Promise.all([
      window.context.waitForEvent('page'),
      page.getByRole('link', { name: 'Try it: GET /trash', exact: true }).click(),
    ]);
    await opened.waitForLoadState();
    expect(JSON.parse(await opened.locator('body').innerText())).toEqual({ items: [], nextCursor: null });
  });

  test('a GET with values in its path can be tried by a form, without a script', async () => {
    await service.upload({ 'a & b.jpg': fixture('portrait-face.jpg') }, { folder: 'trips' });
    window = await openWindow({ service });
    const { page } = window;
    await page.goto(`${service.url}/api/docs#getAsset`);
    const form = page.locator('#getAsset form');
    const button = form.getByRole('button', { name: 'Try it: GET /assets/{path}' });
    // Nothing is sent without a value.
    await button.click();
    expect(await form.locator('input:invalid').count()).toBe(1);
    await form.getByRole('textbox', { name: 'path' }).fill('trips/a & b.jpg');
    const [opened] = await Promise.all([window.context.waitForEvent('page'), button.click()]);
    await opened.waitForURL(`${service.url}/assets/trips/a%20%26%20b.jpg`);
    expect(JSON.parse(await opened.locator('body').innerText())).toMatchObject({ path: 'trips/a & b.jpg' });
    expect(window.problems).toEqual([]);
  });

  test('looks well with a form', async () => {
    await lookAtAll(undefined, 'api-form', async (page) => {
      await page.goto(`${service.url}/api/docs#getVariant`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    });
  });
});

describeInBrowser('the documentation that the service delivers', () => {
  test.each(['', '/library', '/configuration', '/url-reference', '/migrate/cloudinary'])(
    'looks well in both themes and at both widths: guide%s',
    async (path) => {
      await lookAtAll(undefined, `guide${path.replaceAll('/', '-')}`, async (page) => {
        await page.goto(`${service.url}/api/docs/guide${path}`);
        await page.locator('h1').waitFor();
      });
    },
  );

  test('its headings are in view when a link leads to them', async () => {
    window = await openWindow();
    const { page } = window;
    await page.setViewportSize(SIZES.narrow);
    await page.goto(`${service.url}/api/docs/guide/library#trash`);
    await expect.poll(async () => (await page.locator('#trash').boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0);
  });
});
