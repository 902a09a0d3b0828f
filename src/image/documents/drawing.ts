import { stat } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { LIGHT_MS } from '../cost/render.ts';
import { withDeadline } from '../deadline.ts';
import { imageOf } from '../drawing/chains.ts';
import type { ImageFailure } from '../failure.ts';
import type { InputLimits, OpenOptions } from '../input.ts';
import type { Size } from '../layout/geometry.ts';
import type { MemoryCheck } from '../memory.ts';
import { drawnSize, timesFiner } from './drawn-size.ts';
import type { DrawnPixels, OpenDocument } from './open-document.ts';
import { openPdf } from './pdf.ts';
import { openSvg } from './svg.ts';

export interface Drawn {
  image: Sharp;
  natural: Size;
  count: number;
  megabytes: number;
  /** The time is not known before, so the limit counts: a document is always heavy. */
  cpuMs: number;
}

const DRAW_MS = 5000;
/** Bytes for each pixel: as it is drawn, and as it is handed on. */
const HELD_BYTES = 8;
/** Of the time that a drawing may take, what goes into making its thin lines right. */
const FINER_SHARE = 1 / 4;
/** Of the file: its bytes, and what is read from them. */
const COPIES = 2;

type Opener = (file: string, page: number) => Promise<OpenDocument>;

const OPENERS = { svg: openSvg, pdf: openPdf } satisfies Record<string, Opener>;

/**
 * Draws a document at the size that its render needs. Drawing may never end, so it has a deadline.
 * @throws UndecodableImage, LimitExceeded, NeedsMemory
 */
export async function openDrawing(
  kind: keyof typeof OPENERS,
  file: string,
  limits: InputLimits,
  checkMemory: MemoryCheck,
  { page = 1, scale, blame }: OpenOptions,
): Promise<Drawn> {
  const afterMs = limits.drawingMs ?? DRAW_MS;
  const reason = `The ${kind.toUpperCase()} takes more than ${afterMs} ms (DOCUMENT_TIMEOUT_MS) or too much memory to be drawn.`;
  const failureAt = (megapixels?: number): ImageFailure =>
    blame?.(reason, megapixels) ?? { outcome: 'endless drawing', reason, megapixels };
  const startedAt = performance.now();
  const { size: bytes } = await stat(file);
  const fileMegabytes = (bytes * COPIES) / 1e6;
  const cpuMs = Math.max(afterMs, LIGHT_MS + 1);
  checkMemory(fileMegabytes, cpuMs);
  const open: Opener = OPENERS[kind];
  const drawing = await withDeadline({ afterMs, result: failureAt() }, () => open(file, page));
  const { natural, count } = drawing;
  const size = drawnSize(natural, scale?.(natural) ?? 1, limits);
  const times = timesFiner(natural, size, drawing.leastScale ?? 0, limits);
  const megapixels = (size.width * size.height * times ** 2) / 1e6;
  const megabytes = fileMegabytes + megapixels * HELD_BYTES;
  checkMemory(megabytes, cpuMs);
  // The size determines the time, so a failure names it.
  const leftMs = Math.max(1, afterMs - (performance.now() - startedAt));
  const result = failureAt((size.width * size.height) / 1e6);
  const finer = { times, forMs: Math.min(leftMs, afterMs * FINER_SHARE) };
  const drawn = await withDeadline({ afterMs: leftMs, result }, () => drawFinely(drawing.draw, size, finer));
  const pixels = drawn.times === 1 ? drawn.pixels : await shrunk(drawn.pixels, size);
  return { image: imageOf(pixels), natural, count, megabytes, cpuMs };
}

async function shrunk(pixels: DrawnPixels, { width, height }: Size): Promise<DrawnPixels> {
  const image = imageOf(pixels).resize(width, height, { fit: 'fill' });
  return { data: await image.raw().toBuffer(), width, height, channels: pixels.channels };
}

interface Finer {
  /** Largest factor by which it is drawn larger: a whole number. */
  times: number;
  /** Time for all drawings after the first one. */
  forMs: number;
}

/**
 * Draws as finely as there is time for. How long a page takes is known when it is drawn, so it is drawn plainly first.
 * At most it takes longer by as much as it has more pixels. Much of a simple page takes the same time at any size,
 * so from what is drawn finely it may turn out that there is time for more.
 */
export async function drawFinely(
  draw: OpenDocument['draw'],
  { width, height }: Size,
  { times: most, forMs }: Finer,
  now = () => performance.now(),
): Promise<{ pixels: DrawnPixels; times: number }> {
  let times = 1;
  let startedAt = now();
  let pixels = await draw({ width, height });
  let tookMs = now() - startedAt;
  let leftMs = forMs;
  for (;;) {
    const next = Math.min(most, Math.floor(times * Math.sqrt(leftMs / tookMs)));
    if (!(next > times)) return { pixels, times };
    times = next;
    startedAt = now();
    pixels = await draw({ width: width * times, height: height * times });
    tookMs = now() - startedAt;
    leftMs -= tookMs;
  }
}
