import { readFile } from 'node:fs/promises';
import { presign, repeat, send, type Target } from './wire.ts';

const FIXTURES = new URL('../../fixtures/', import.meta.url);
const TRANSFORMATIONS = 20;

/**
 * Uploads small videos and images with presigned signatures, each with the maximum number of transformations, as fast
 * as possible.
 */
export async function presignedBrowser(target: Target): Promise<void> {
  const video = await readFile(new URL('schizo_90.mp4', FIXTURES));
  const image = await readFile(new URL('photo-2725x2225.jpg', FIXTURES));
  await repeat(target, { lines: 8, times: 5000 }, async (n) => {
    const isVideo = n % 2 === 0;
    const segments = Array.from({ length: TRANSFORMATIONS }, (_, index) => {
      const width = 2600 - ((n * TRANSFORMATIONS + index) % 2500);
      return isVideo ? `w_${width},f_webm` : `w_${width},f_avif~l_gallery:${index}.jpg`;
    });
    // The layers name files that are no images, so those images fail early. Every second one has no layers.
    const transformations = n % 4 === 1 ? segments.map((segment) => segment.split('~')[0]) : segments;
    await upload(target, {
      name: isVideo ? `${n}.mp4` : `${n}.jpg`,
      bytes: isVideo ? video : image,
      transformations: JSON.stringify(transformations),
    });
  });
}

interface Upload {
  name: string;
  bytes: Buffer;
  transformations: string;
}

async function upload(target: Target, { name, bytes, transformations }: Upload): Promise<void> {
  const form = new FormData();
  for (const [field, value] of Object.entries({ ...presign('from-browsers'), transformations })) {
    form.append(field, value);
  }
  form.append('files', new Blob([bytes as Uint8Array<ArrayBuffer>]), name);
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  await send(target, { method: 'POST', path: '/upload', headers, body: Buffer.from(await encoded.arrayBuffer()) });
}
