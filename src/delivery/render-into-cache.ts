import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hold, Once } from '../cluster/cluster.ts';
import { badRequest, unprocessable } from '../errors.ts';
import { analysesNeeded } from '../image/analysis/needed.ts';
import type { ImageFailure } from '../image/failure.ts';
import type { RenderLimits } from '../image/limits.ts';
import { isExtraType, mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { Describer } from '../render/describer.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import type { ReturnedResult } from '../render/tasks.ts';
import { SMALL_BYTES, type Variant, type VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { FindIn } from './analysis-cache.ts';
import { type FactsResult, writeFacts } from './facts.ts';
import { hidesFaces } from './hidden-faces.ts';
import { areCurrent, mayHaveTexts, withLocalFiles } from './inputs.ts';
import type { RenderBudget } from './render-budget.ts';
import type { RequestedImage } from './requested-image.ts';
import type { SlowFiles } from './slow-files.ts';

export interface ImageRendering {
  originals: Originals;
  variants: VariantStore;
  pool: RenderPool;
  frames: FrameExtractor;
  budget: RenderBudget;
  /** Prevents nodes that share their variants from rendering the same one concurrently. */
  once: Once;
  limits: RenderLimits;
  /** Folder for temporary results, on the file system of the cache. */
  temp: string;
  /** Called after each render, also a failed one, with its CPU time in ms. */
  onRender?: ((path: StoragePath, cpuMs: number) => void) | undefined;
}

/** The image is too large for its format, but not for every format. */
export interface TooLarge {
  tooLarge: string;
}

/** `replaced`: an input changed meanwhile. The key names versions, so only their bytes may be stored under it. */
export type RenderedImage = Variant | TooLarge | 'undecodable' | 'replaced';

export function isTooLarge<Other>(result: Other | TooLarge): result is TooLarge {
  return typeof result === 'object' && result !== null && 'tooLarge' in result;
}

/** Services for rendering, in addition to those of the lookup. */
export type Rendering = ImageRendering & {
  findIn: FindIn;
  describer: Pick<Describer, 'look'>;
  slow: SlowFiles;
};

/** Deadline and payer of a render. */
interface RenderTerms {
  signal: AbortSignal;
  claim: Claim;
}

interface CacheTerms extends RenderTerms {
  hold: Hold;
}

/**
 * Renders an image into the cache.
 * @throws HttpProblem 400 over a limit, 422 for undecodable files without an original to show instead, 503, 429
 */
export async function renderIntoCache(
  rendering: Rendering,
  requested: RequestedImage,
  { hold, ...terms }: CacheTerms,
): Promise<RenderedImage> {
  const { originals, variants, temp } = rendering;
  const output = join(temp, randomUUID());
  let isStored = false;
  try {
    const result = await renderInto(output, rendering, requested, terms);
    if (!(await areCurrent(originals, requested.inputs))) return 'replaced';
    if (result.outcome !== 'rendered') {
      rendering.slow.note(requested, result);
      return refusalOf(result, requested);
    }
    const bytes = 'bytes' in result ? result.bytes : undefined;
    const { key, inputs } = requested;
    const variant = await variants.put(inputs.original.path, key, result.format, output, { bytes });
    isStored = true;
    // The client is answered now; other nodes are released once they can find the variant.
    hold(variants.settled(requested.key));
    return variant;
  } catch (error) {
    rendering.slow.noteError(requested, error);
    throw error;
  } finally {
    if (!isStored) await rm(output, { force: true });
  }
}

/** Renders an image or a frame of a video into a file, or writes its facts there. */
async function renderInto(
  output: string,
  rendering: Rendering,
  { inputs, options, format, exact, frameTime, fonts: all }: RequestedImage,
  { signal, claim }: RenderTerms,
): Promise<ReturnedResult | FactsResult> {
  const { originals, pool, frames, limits, temp, findIn } = rendering;
  const frame = join(temp, `${randomUUID()}.png`);
  try {
    return await withLocalFiles(originals, inputs, signal, async (files) => {
      let { original } = files;
      if (frameTime !== undefined) {
        await frames.extract({ input: original, output: frame, time: frameTime, signal, claim });
        original = frame;
      }
      // Texts of layers do not affect the original.
      const fonts = mayHaveTexts(inputs.original.path) ? all : undefined;
      const order = { ...inputs.original, frameTime, page: options.page, fonts, input: original, claim };
      const found = await findIn(analysesNeeded(options), order, signal);
      if (found.outcome !== 'found') return found;
      const { analysis } = found;
      if (format === 'json') {
        const { path } = inputs.original;
        const subject = { path, file: files.original, image: original, analysis, page: options.page, output };
        return writeFacts(rendering.describer, subject, { signal, claim });
      }
      const request = {
        inputs: { ...files, original },
        output,
        options,
        format,
        exact,
        limits,
        analysis,
        returnedBytes: SMALL_BYTES,
      };
      return pool.run('render', request, signal, claim);
    });
  } finally {
    if (frameTime !== undefined) await rm(frame, { force: true });
  }
}

/**
 * @throws HttpProblem 400 over a limit, 422 for a video without a frame, for an undecodable document or layer, and for
 * undecodable files with requested facts or hidden faces
 */
function refusalOf({ outcome, reason }: ImageFailure, requested: RequestedImage): TooLarge | 'undecodable' {
  const { frameTime, format, inputs, options } = requested;
  if (outcome === 'format limit exceeded') return { tooLarge: reason };
  if (outcome === 'limit exceeded') throw badRequest(reason, 'limit_exceeded');
  const isAnswered = frameTime !== undefined || format === 'json' || isExtraType(mediaTypeOf(inputs.original.path));
  // Browsers show as much of a damaged image as they can.
  if (isAnswered || hidesFaces(options) || outcome === 'layer undecodable') throw unprocessable(reason);
  return 'undecodable';
}
