import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fixture } from '../http.ts';
import type { TestService } from '../service.ts';

export const MEGABYTE = 1024 * 1024;

/** An image that is large enough for a resumable upload. */
export const LARGE_IMAGE = Buffer.concat([fixture('portrait-face.jpg'), randomBytes(9 * MEGABYTE)]);

/** Bytes of each unfinished upload. */
export async function arrivedBytes(service: TestService): Promise<number[]> {
  const folder = join(service.data, 'uploads');
  const found = (await readdir(folder)).map((id) => stat(join(folder, id, 'bytes')).catch(() => undefined));
  return (await Promise.all(found)).flatMap((one) => (one ? [one.size] : []));
}

/** Controls the bandwidth of a page. @returns sets it for uploads, in bytes per second; -1 removes the limit */
export async function uploadThrottle(page: Page): Promise<(bytesPerSecond: number) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  return async (uploadThroughput) => {
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput };
    await session.send('Network.emulateNetworkConditions', conditions);
  };
}
