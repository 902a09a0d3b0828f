import sharp from 'sharp';
import { expect } from 'vitest';

/**
 * Requests an image, which must exist.
 * @returns its type
 */
export async function isAnswered(address: string): Promise<string | null> {
  const response = await fetch(address);
  expect([address, response.status]).toEqual([address, 200]);
  await response.arrayBuffer();
  return response.headers.get('content-type');
}

/** Returns the width of the image behind a URL, in pixels. */
export async function widthOf(address: string): Promise<number> {
  const response = await fetch(address);
  expect([address, response.status]).toEqual([address, 200]);
  return (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;
}
