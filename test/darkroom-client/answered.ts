import sharp from 'sharp';
import { expect } from 'vitest';

/** Asks for a picture, which has to be there. @returns its type */
export async function isAnswered(address: string): Promise<string | null> {
  const response = await fetch(address);
  expect([address, response.status]).toEqual([address, 200]);
  await response.arrayBuffer();
  return response.headers.get('content-type');
}

/** How wide the picture of an address is, in pixels. */
export async function widthOf(address: string): Promise<number> {
  const response = await fetch(address);
  expect([address, response.status]).toEqual([address, 200]);
  return (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;
}
