import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../concurrency.ts';
import { badRequest, unprocessable } from '../errors.ts';
import type { RenderInputs, RenderLimits } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import type { Client } from '../render/fair-queue.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import { type VariantInputs, variantKey } from '../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import { negotiateFormat } from '../transformation/negotiate.ts';
import { formatOptions } from '../transformation/transformation.ts';
import { createKeptFocus } from './kept-focus.ts';
import type { RenderBudget } from './render-budget.ts';

/** A picture that may be in the cache, and all that is needed to render it if it is not. */
export interface WantedPicture {
  inputs: VariantInputs;
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

/**
 * Names the picture that a request wants.
 * @param excluded formats that negotiation may not choose
 */
export function wantPicture(
  inputs: VariantInputs,
  { options: all, frameTime }: { options: ImageOptions; frameTime: number | undefined },
  accept: string | undefined,
  excluded: readonly string[] = [],
): WantedPicture {
  const { format: explicit = 'auto', ...options } = all;
  const isNegotiated = explicit === 'auto';
  const format = isNegotiated ? negotiateFormat(accept, excluded) : explicit;
  const picture = formatOptions(options, imageSteps);
  const transformation = frameTime === undefined ? picture : `${picture}@${frameTime}`;
  const key = variantKey({ inputs, transformation, format });
  const files = format === 'fallback' ? ['jpeg', 'png'] : [format];
  return { inputs, options, frameTime, format, key, files, isNegotiated };
}

export interface PictureRendering {
  originals: Originals;
  variants: VariantStore;
  pool: RenderPool;
  frames: FrameExtractor;
  budget: RenderBudget;
  limits: RenderLimits;
  /** A folder for results on their way into the cache, on its file system. */
  temp: string;
}

/** The picture is too large for its format, though not for every one. */
export interface TooLarge {
  tooLarge: string;
}

/** `replaced`: an input changed meanwhile. The key names versions, and only their bytes may go under it. */
export type RenderedPicture = Variant | TooLarge | 'undecodable' | 'replaced';

export interface PictureRenderer {
  /**
   * Renders a picture into the cache, once however many ask at the same time. Whoever begins it needs a budget, whoever joins
   * does not.
   * @throws HttpProblem 400 over a limit, 422 for a video without a frame, 503 when rendering is overloaded or fails, 429 when
   * one network has rendered or asked too much
   */
  render(wanted: WantedPicture, signal: AbortSignal | undefined, client: Client): Promise<RenderedPicture>;
  /** Whether it is known already that a picture is too large for its format. */
  knownTooLarge(wanted: WantedPicture): TooLarge | undefined;
}

/** How many pictures are known to be too large for their format; to find out costs a look at the original. */
const MAX_KNOWN = 10_000;

export function createPictureRenderer(rendering: PictureRendering): PictureRenderer {
  const { budget } = rendering;
  const flights = new SingleFlight<RenderedPicture, Client>();
  const tooLarge = new LRUCache<string, TooLarge>({ max: MAX_KNOWN });
  const focusOf = createKeptFocus(rendering);

  async function render(wanted: WantedPicture, signal: AbortSignal, clients: () => Client[]) {
    const claim = budget.claimOf(clients);
    const rendered = await renderIntoCache({ ...rendering, focusOf }, wanted, { signal, claim });
    if (isTooLarge(rendered)) tooLarge.set(wanted.key, rendered);
    return rendered;
  }

  return {
    knownTooLarge: ({ key }) => tooLarge.get(key),
    async render(wanted, signal, client) {
      if (!flights.has(wanted.key)) budget.admit(client);
      return flights.run(wanted.key, signal, (shared, clients) => render(wanted, shared, clients), client);
    },
  };
}

export function isTooLarge<Other>(result: Other | TooLarge): result is TooLarge {
  return typeof result === 'object' && result !== null && 'tooLarge' in result;
}

async function renderIntoCache(
  rendering: PictureRendering & { focusOf: ReturnType<typeof createKeptFocus> },
  wanted: WantedPicture,
  { signal, claim }: { signal: AbortSignal; claim: Claim },
): Promise<RenderedPicture> {
  const { originals, variants, pool, frames, limits, temp } = rendering;
  const { inputs, options, format, key, frameTime } = wanted;
  const { path, version } = inputs.original;
  const output = join(temp, randomUUID());
  const frame = join(temp, `${randomUUID()}.png`);
  let isKept = false;
  const findFocus = async (input: string) => {
    const { gravity } = options;
    if (gravity !== 'face' && gravity !== 'auto') return undefined;
    return rendering.focusOf({ path, version, frameTime, gravity, input, claim }, signal);
  };
  try {
    const result = await withLocalInputs(originals, inputs, signal, async (files) => {
      const { original: input } = files;
      if (frameTime !== undefined) await frames.extract({ input, output: frame, time: frameTime, signal, claim });
      const original = frameTime === undefined ? input : frame;
      const focus = await findFocus(original);
      const request = { inputs: { ...files, original }, output, options, format, limits, focus };
      return pool.run('render', request, signal, claim);
    });
    if (!(await areCurrent(originals, inputs))) return 'replaced';
    if (result.outcome === 'format limit exceeded') return { tooLarge: result.reason };
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

/** Runs work while every input lies in a local file. */
async function withLocalInputs<T>(
  { store }: Originals,
  { original, ...others }: VariantInputs,
  signal: AbortSignal,
  work: (files: RenderInputs) => Promise<T>,
): Promise<T> {
  const withOthers = (names: readonly string[], files: RenderInputs): Promise<T> => {
    const [name, ...later] = names;
    const input = name === undefined ? undefined : others[name];
    if (name === undefined || !input) return work(files);
    return store.withLocalFile(input.path, (file) => withOthers(later, { ...files, [name]: file }), signal);
  };
  return store.withLocalFile(original.path, (file) => withOthers(Object.keys(others), { original: file }), signal);
}

/** Whether every input is still what it was when it was asked for. */
async function areCurrent(originals: Originals, inputs: VariantInputs): Promise<boolean> {
  const checked = Object.values(inputs).map(async ({ path, version }) => (await originals.check(path))?.etag === version);
  return (await Promise.all(checked)).every(Boolean);
}
