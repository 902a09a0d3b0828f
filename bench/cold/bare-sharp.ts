// Throughput of sharp on this host: decode, rotate, resize, convert to sRGB, encode with the service's settings, write.
// Forked with a channel: each message is a batch, each reply its duration in ms.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { encoderOptions } from '../../src/image/encode/encoder-settings.ts';
import type { ImageFormat } from '../../src/image/step.ts';
import { DEFAULT_QUALITY } from '../../src/image/steps/quality.ts';

export interface Batch {
  input: string;
  /** Folder for the results, which are deleted after each batch. */
  output: string;
  format: ImageFormat;
  widths: readonly number[];
  /** Number of concurrent renders. */
  clients: number;
}

sharp.cache(false);
sharp.concurrency(1);
process.on('message', (batch: Batch) => void answer(batch));

async function answer(batch: Batch): Promise<void> {
  const start = performance.now();
  const left = [...batch.widths];
  const client = async () => {
    for (let width = left.pop(); width !== undefined; width = left.pop()) await render(batch, width);
  };
  await Promise.all(Array.from({ length: batch.clients }, client));
  process.send?.(performance.now() - start);
  for (const width of batch.widths) await rm(fileOf(batch, width), { force: true });
}

async function render(batch: Batch, width: number): Promise<void> {
  await sharp(batch.input, { failOn: 'error' })
    .autoOrient()
    .resize(width)
    .toColourspace('srgb')
    .toFormat(batch.format, encoderOptions(batch.format, DEFAULT_QUALITY))
    .toFile(fileOf(batch, width));
}

function fileOf({ output, format }: Batch, width: number): string {
  return join(output, `${width}.${format}`);
}
