import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, onTestFinished, vi } from 'vitest';
import type { components } from '../../packages/client/src/api-types.ts';
import { fixture } from '../http.ts';
import type { TestService } from '../service.ts';
import { openWindow, type Window } from './browser.ts';

type Asset = components['schemas']['Asset'];

const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** True if the library has a file. */
export async function exists(service: TestService, path: string): Promise<boolean> {
  const { status } = await service.authorized(`/assets/${encodePath(path)}`);
  expect([200, 404]).toContain(status);
  return status === 200;
}

/** Metadata and analysis of a file. */
export async function assetOf(service: TestService, path: string): Promise<Asset> {
  const response = await service.authorized(`/assets/${encodePath(path)}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Asset;
}

/** Sends JSON with the API key. */
export const sendJson = (service: TestService, method: string, path: string, body: object): Promise<Response> =>
  service.authorized(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Adds a redirect of a file or folder. */
export async function redirect(service: TestService, from: string, to: string): Promise<void> {
  expect((await sendJson(service, 'POST', '/redirects', { from, to })).status).toBe(201);
}

/** All redirects, as `from -> to`. */
export async function redirectsIn(service: TestService): Promise<string[]> {
  const { redirects } = (await (await service.authorized('/redirects')).json()) as {
    redirects: components['schemas']['Redirect'][];
  };
  return redirects.map(({ from, to }) => `${from} -> ${to}`);
}

/** Changes metadata of a file. */
export async function changeAsset(
  service: TestService,
  path: string,
  metadata: Partial<Pick<Asset, 'title' | 'alt' | 'description' | 'tags'>>,
): Promise<void> {
  expect((await sendJson(service, 'PATCH', `/assets/${encodePath(path)}`, metadata)).status).toBe(200);
}

/** Waits until files are analysed, at a service that describes. */
export async function whenDescribed(service: TestService, ...paths: string[]): Promise<void> {
  for (const path of paths)
    await vi.waitUntil(async () => (await assetOf(service, path)).described, { timeout: 60_000, interval: 50 });
}

/** An image that differs from all others. */
export async function gradient(seed: number, width = 900, height = 600): Promise<Buffer> {
  const a = `hsl(${(seed * 47) % 360} 70% 55%)`;
  const b = `hsl(${(seed * 47 + 80) % 360} 75% 35%)`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${a}"/><stop offset="1" stop-color="${b}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><circle cx="${200 + seed * 20}" cy="200" r="120" fill="#fff" opacity=".35"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
}

/** Numbers of files by tag. */
export async function tagCounts(service: TestService): Promise<Record<string, number>> {
  const { tags } = (await (await service.authorized('/tags')).json()) as { tags: { tag: string; count: number }[] };
  return Object.fromEntries(tags.map(({ tag, count }) => [tag, count]));
}

/** Previous contents of a file. */
export async function versionsOf(service: TestService, path: string) {
  const response = await service.authorized(`/storage/${encodePath(path)}/versions`);
  return ((await response.json()) as { versions: components['schemas']['FileVersion'][] }).versions;
}

/** Opens a page of the library and waits for its items. */
export async function open(page: Page, service: TestService, path = 'files'): Promise<void> {
  await page.goto(`${service.url}/dashboard/${path}`);
  await page.locator('[data-index]').first().waitFor();
}

/** Opens a page of the library in a window that the end of the test closes. */
export async function openLibrary(service: TestService, path?: string): Promise<Window> {
  const window = await openWindow({ service });
  onTestFinished(window.close);
  await open(window.page, service, path);
  return window;
}

/** Tile of the grid whose name begins with a text. */
export const tile = (page: Page, name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name}`) });

/** Panel with the details of a file. */
export const detailsOf = (page: Page, name: string) =>
  page.getByRole('complementary', { name: `Details of ${name}`, exact: true });

/** The focused item of the grid. */
export const focused = (page: Page) => page.locator('[data-index]:focus');

/** Waits until every thumbnail in view is there. */
export const settled = (page: Page) =>
  expect
    .poll(() =>
      page
        .locator('.thumb-image:not([hidden])')
        .evaluateAll((pictures) => pictures.map((one) => (one as unknown as { naturalWidth: number }).naturalWidth)),
    )
    .not.toContain(0);

/**
 * Waits for the thumbnails of files that the test is about to move or delete: a pending request would fail and be
 * logged.
 * @param names full names
 */
export const thumbnailsOf = (page: Page, ...names: string[]) =>
  expect
    .poll(async () => {
      const shown: string[] = await page
        .locator('.thumb-image')
        .evaluateAll((all) =>
          (all as unknown as { complete: boolean; naturalWidth: number; currentSrc: string }[])
            .filter(({ complete, naturalWidth }) => complete && naturalWidth > 0)
            .map(({ currentSrc }) => decodeURIComponent(currentSrc)),
        );
      return names.filter((name) => !shown.some((source) => source.includes(`/${name}?`)));
    })
    .toEqual([]);

/** Number of elements of a page. */
export const nodesOf = (page: Page) => page.evaluate('document.querySelectorAll("*").length') as Promise<number>;

/** Box of an element. An item that is rendered again has none for a moment. */
export const boxOf = (locator: Locator) => vi.waitUntil(() => locator.boundingBox(), { timeout: 30_000 });

export async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = await boxOf(locator);
  return { x: x + width / 2, y: y + height / 2 };
}

/** True if an item is in the viewport of the grid, whole. */
export async function isInView(page: Page, item: Locator): Promise<boolean> {
  const [grid, box] = await Promise.all([page.getByRole('grid').boundingBox(), item.boundingBox()]);
  if (grid === null || box === null) return false;
  return box.y >= grid.y && box.y + box.height <= grid.y + grid.height + 1;
}

interface ChosenFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** An image to upload. */
export const photo = (name: string, buffer = fixture('no-face.jpg')): ChosenFile => ({
  name,
  mimeType: 'image/jpeg',
  buffer,
});

/** Chooses files to upload: their contents, or paths of the local disk. */
export const choose = (page: Page, ...files: ChosenFile[] | string[]) =>
  page.locator('input[type=file]').first().setInputFiles(files);

/** Pastes files as a browser does after Ctrl+V. */
export const pasteFiles = (page: Page, ...files: ChosenFile[]) =>
  page.evaluate(
    `{
      const data = new DataTransfer();
      for (const { name, type, bytes } of ${JSON.stringify(
        files.map(({ name, mimeType, buffer }) => ({ name, type: mimeType, bytes: buffer.toString('base64') })),
      )})
        data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name, { type }));
      const target = document.activeElement;
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`,
  );

/** The clipboard belongs to all windows of the browser. */
const COPIES = `
  window.copied = [];
  if (navigator.clipboard) navigator.clipboard.writeText = async (text) => void window.copied.push(text);
`;

/** Collects what a page copies instead of writing it to the clipboard, from now on and in later documents. */
export async function collectCopies(page: Page): Promise<void> {
  await page.addInitScript(COPIES);
  await page.evaluate(COPIES);
}

/** Texts that the document has copied, in order. */
export const copiesOf = (page: Page) => page.evaluate('window.copied') as Promise<string[]>;

/** Drags files or folders of the local disk over an element. @returns drops them */
export async function dragFiles(page: Page, paths: readonly string[], target: Locator) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  const { x, y } = await middleOf(target);
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x, y, data });
  await send('dragEnter');
  await send('dragOver');
  return () => send('drop');
}
