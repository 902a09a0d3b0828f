import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, vi } from 'vitest';
import type { TestService } from '../service.ts';

/** An image that differs from all others. */
export async function gradient(seed: number, width = 900, height = 600): Promise<Buffer> {
  const a = `hsl(${(seed * 47) % 360} 70% 55%)`;
  const b = `hsl(${(seed * 47 + 80) % 360} 75% 35%)`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${a}"/><stop offset="1" stop-color="${b}"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#g)"/><circle cx="${200 + seed * 20}" cy="200" r="120" fill="#fff" opacity=".35"/></svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
}

/** Opens a page of the library and waits for its items. */
export async function open(page: Page, service: TestService, path = 'files'): Promise<void> {
  await page.goto(`${service.url}/dashboard/${path}`);
  await page.locator('[data-index]').first().waitFor();
}

/** Tile of the grid whose name begins with a text. */
export const tile = (page: Page, name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name}`) });

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

/** Box of an element. An item that is rendered again has none for a moment. */
export const boxOf = (locator: Locator) => vi.waitUntil(() => locator.boundingBox(), { timeout: 30_000 });

export async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = await boxOf(locator);
  return { x: x + width / 2, y: y + height / 2 };
}

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
