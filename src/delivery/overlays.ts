import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Layer } from '../image/layers/layer.ts';
import { baseOf, hasLayers, parseLayered } from '../image/layers/segment.ts';
import type { Size } from '../image/layout/geometry.ts';
import type { RenderLimits } from '../image/limits.ts';
import type { JobSubject, Overlay, SplitTransformation } from '../jobs/transcode-job.ts';
import type { RenderPool } from '../render/pool.ts';
import { renderForJob } from '../render/render-for-job.ts';
import { BlobNotFound } from '../storage/blob-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { ParameterRules } from '../transformation/param.ts';
import { readCanonicalOptions } from '../video/options.ts';
import { videoSteps } from '../video/steps/index.ts';
import { areCurrent, type FindInputs, inputsWith, withLocalFiles } from './inputs.ts';
import { requestedTranscode } from './transcodes.ts';

interface OverlayContext {
  originals: Originals;
  findInputs: FindInputs;
  pool: RenderPool;
  limits: RenderLimits & ParameterRules;
  /** Folder for the empty image that the layers are painted on. */
  temp: string;
}

/** PNG of one transparent pixel. */
const TRANSPARENT_PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII=',
  'base64',
);

/** Creates the function that reads the layers of a video job. */
export function createOverlays(context: OverlayContext): (job: JobSubject) => SplitTransformation {
  return (job) => {
    const { transformation } = job;
    if (!hasLayers(transformation)) return { base: transformation, overlay: undefined };
    const { layers = [] } = parseLayered(transformation, videoSteps, [], context.limits) ?? {};
    return { base: baseOf(transformation), overlay: overlayOf(job, layers, context) };
  };
}

function overlayOf(job: JobSubject, layers: readonly Layer[], context: OverlayContext): Overlay {
  const { originals, findInputs, limits } = context;
  const { variantKey, path, version } = job;

  /** Finds the layer files in the versions that the key names. */
  async function findFiles() {
    const inputs = await findInputs({ path, version }, { layers });
    const options = readCanonicalOptions(baseOf(job.transformation), limits, 'video');
    if (requestedTranscode(inputs, { ...options, layers }).key !== variantKey) throw replaced();
    const { original: _, ...files } = inputsWith({ path, version }, inputs.layers);
    return files;
  }

  return {
    async draw(size, output, signal) {
      const work = (files: Readonly<Record<string, string>>) =>
        drawLayers({ layers, files, size, output }, context, signal);
      await withLocalFiles(originals, await findFiles(), signal, work).catch((error: unknown) => {
        throw error instanceof BlobNotFound ? replaced() : error;
      });
    },
    async requireVersions() {
      if (!(await areCurrent(originals, await findFiles()))) throw replaced();
    },
  };
}

interface Drawing {
  layers: readonly Layer[];
  /** Local files by input name. */
  files: Readonly<Record<string, string>>;
  size: Size;
  output: string;
}

/**
 * Renders layers on a transparent image in the render pool.
 * @throws ImpossibleTranscode over a limit, and for a layer that is not an image
 */
async function drawLayers(
  { layers, files, size, output }: Drawing,
  { pool, limits, temp }: OverlayContext,
  signal: AbortSignal,
): Promise<void> {
  const original = join(temp, `${randomUUID()}.png`);
  try {
    await writeFile(original, TRANSPARENT_PIXEL);
    const options = { ...size, crop: 'scale', layers } as const;
    const request = { inputs: { ...files, original }, output, options, format: 'png', limits } as const;
    await renderForJob(pool, request, signal);
  } finally {
    await rm(original, { force: true });
  }
}

function replaced(): Error {
  return new Error('A layer was replaced while the video was transcoded.');
}
