import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import { badRequest, unprocessable } from '../errors.ts';
import type { RenderLimits } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import type { StoragePath } from '../path.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Originals } from '../storage/originals.ts';
import { variantKey } from '../storage/variant-key.ts';
import type { Variant, VariantStore } from '../storage/variants.ts';
import { negotiateFormat } from '../transformation/negotiate.ts';
import { formatOptions } from '../transformation/transformation.ts';
import { createFocusFinder } from './focus.ts';

/** A picture that may be in the cache, and all that is needed to render it if it is not. */
export interface WantedPicture {
  path: StoragePath;
  /** The original's etag. */
  version: string;
  options: ImageOptions;
  /** Of a video: where the frame lies, in seconds. */
  frameTime: number | undefined;
  format: Exclude<NonNullable<ImageOptions['format']>, 'auto'> | 'fallback';
  key: string;
  /** The formats that its file may have. */
  files: readonly string[];
  /** Whether the request's `Accept` header had a say in the format. */
  isNegotiated: boolean;
}

/** Names the picture that a request wants. */
export function wantPicture(
  path: StoragePath,
  version: string,
  { options: all, frameTime }: { options: ImageOptions; frameTime: number | undefined },
  accept: string | undefined,
): WantedPicture {
  const { format: explicit = 'auto', ...options } = all;
  const isNegotiated = explicit === 'auto';
  const format = isNegotiated ? negotiateFormat(accept) : explicit;
  const picture = formatOptions(options, imageSteps);
  const transformation = frameTime === undefined ? picture : `${picture}@${frameTime}`;
  const key = variantKey({ original: path, version, transformation, format });
  const files = format === 'fallback' ? ['jpeg', 'png'] : [format];
  return { path, version, options, frameTime, format, key, files, isNegotiated };
}

export interface PictureRendering {
  originals: Originals;
  variants: VariantStore;
  pool: RenderPool;
  frames: FrameExtractor;
  limits: RenderLimits;
  /** A folder for results on their way into the cache, on its file system. */
  temp: string;
}

/** `replaced`: the original changed meanwhile. The key names a version, and only its bytes may go under it. */
export type RenderedPicture = Variant | 'undecodable' | 'replaced';

/**
 * Makes the function that renders a picture into the cache, once however many ask at the same time.
 * @throws HttpProblem 400 over a limit, 422 for a video without a frame, 503 when rendering is overloaded or fails
 */
export function createPictureRenderer(rendering: PictureRendering) {
  const flights = new SingleFlight<RenderedPicture>();
  const findFocus = createFocusFinder(rendering);
  return (wanted: WantedPicture, signal: AbortSignal | undefined): Promise<RenderedPicture> =>
    flights.run(wanted.key, signal, (shared) => renderIntoCache({ ...rendering, findFocus }, wanted, shared));
}

async function renderIntoCache(
  rendering: PictureRendering & { findFocus: ReturnType<typeof createFocusFinder> },
  wanted: WantedPicture,
  signal: AbortSignal,
): Promise<RenderedPicture> {
  const { originals, variants, pool, frames, limits, temp } = rendering;
  const { path, options, format, key, version, frameTime } = wanted;
  const output = join(temp, randomUUID());
  const frame = join(temp, `${randomUUID()}.png`);
  let isKept = false;
  const focusOf = async (input: string) => {
    const { gravity } = options;
    if (gravity !== 'face' && gravity !== 'auto') return undefined;
    return rendering.findFocus({ path, version, frameTime, gravity, input }, signal);
  };
  try {
    const result = await originals.store.withLocalFile(
      path,
      async (input) => {
        if (frameTime !== undefined) await frames.extract({ input, output: frame, time: frameTime, signal });
        const source = frameTime === undefined ? input : frame;
        const focus = await focusOf(source);
        return pool.run('render', { input: source, output, options, format, limits, focus }, signal);
      },
      signal,
    );
    if ((await originals.check(path))?.etag !== version) return 'replaced';
    if (result.outcome === 'limit exceeded') throw badRequest(result.reason, 'Limit exceeded');
    if (result.outcome === 'undecodable') {
      if (frameTime !== undefined) throw unprocessable(result.reason);
      return 'undecodable';
    }
    const variant = await variants.put(path, key, result.format, output);
    isKept = true;
    return variant;
  } finally {
    if (!isKept) await rm(output, { force: true });
    if (frameTime !== undefined) await rm(frame, { force: true });
  }
}
