import { open } from 'node:fs/promises';
import { heifCodingOf } from '../media/heif-brands.ts';
import { startsSvg } from '../media/svg-start.ts';
import { startsTiff } from '../media/tiff-start.ts';
import { SIGNATURE_BYTES } from '../media.ts';

/** Which decoder a file needs, by its first bytes. libvips guesses the coding by the major brand alone. */
export async function kindOf(file: string): Promise<'psd' | 'heic' | 'avif' | 'tiff' | 'svg' | 'pdf' | 'other'> {
  const head = await readHead(file);
  const start = head.toString('latin1', 0, 4);
  if (start === '8BPS') return 'psd';
  if (startsTiff(head)) return 'tiff';
  if (start === '%PDF') return 'pdf';
  const coding = heifCodingOf(head);
  if (coding) return coding === 'hevc' ? 'heic' : 'avif';
  return startsSvg(head) ? 'svg' : 'other';
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
