import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Variables } from './variables.ts';

const MEGABYTE = 1024 * 1024;

export function arrangeFonts(values: Variables) {
  return {
    /** The operator's. */
    own: resolve(values.FONTS_DIR ?? resolve(values.DATA_DIR, 'fonts')),
    /** A folder that was named has to be there. */
    isOwnRequired: values.FONTS_DIR !== undefined,
    /** For links to all fonts, and what has been read of them. */
    links: resolve(values.DATA_DIR, 'font-links'),
  };
}

export function arrangeLimits(values: Variables) {
  return {
    inputMegapixels: values.MAX_INPUT_MEGAPIXELS,
    animationFrames: values.MAX_ANIMATION_FRAMES,
    animationMegapixels: values.MAX_ANIMATION_MEGAPIXELS,
    documents: [...new Set(values.EXTRA_TYPES)],
    drawingMs: values.DOCUMENT_TIMEOUT_MS,
    outputSide: values.MAX_OUTPUT_SIDE,
    outputMegapixels: values.MAX_OUTPUT_MEGAPIXELS,
    videoOutput: { side: values.MAX_VIDEO_OUTPUT_SIDE, pixels: values.MAX_VIDEO_OUTPUT_MEGAPIXELS * 1e6 },
    streamHeights: values.STREAM_HEIGHTS,
    formatMegapixels: {
      webp: values.MAX_WEBP_MEGAPIXELS,
      avif: values.MAX_AVIF_MEGAPIXELS,
      gif: values.MAX_GIF_MEGAPIXELS,
    },
    presets: values.PRESETS,
    /** Of the fonts that there are; undefined until these have been found. */
    families: undefined as readonly string[] | undefined,
  };
}

export function arrangeRender(values: Variables) {
  return {
    // On one CPU a picture that takes seconds would stop all others.
    workers: values.RENDER_WORKERS ?? Math.max(2, availableParallelism()),
    maxQueued: values.RENDER_QUEUE_MAX,
    maxQueuedPerClient: values.RENDER_QUEUE_MAX_PER_CLIENT,
    maxWaitMs: values.RENDER_QUEUE_WAIT_MS,
    timeoutMs: values.RENDER_TIMEOUT_MS,
    memoryBytes: values.RENDER_MEMORY_MB * MEGABYTE,
    totalMemoryBytes: values.RENDER_TOTAL_MEMORY_MB * MEGABYTE,
  };
}
