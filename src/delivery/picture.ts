import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Hold, Once } from '../cluster/cluster.ts';
import { SingleFlight } from '../concurrency.ts';
import { badRequest, unprocessable } from '../errors.ts';
import type { FocalPoint } from '../focal-point.ts';
import { formatLayered } from '../image/layers/segment.ts';
import type { RenderLimits } from '../image/limits.ts';
import type { RenderInputs, RenderRequest, RenderResult } from '../image/pipeline.ts';
import { type ImageOptions, imageSteps } from '../image/steps/index.ts';
import type { Client } from '../render/fair-queue.ts';
import type { FrameExtractor } from '../render/frames.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import { type VariantInputs, variantKey } from '../storage/cache/variant-key.ts';
import type { Variant, VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import { acceptsFormat, negotiateFormat } from '../transformation/negotiate.ts';
import { createKeptFocus } from './kept-focus.ts';
import type { RenderBudget } from './render-budget.ts';

/** A picture that may be in the cache, with everything that is needed to render it if it is not. */
export interface WantedPicture {
  inputs: VariantInputs;
  options: ImageOptions;
  /** Of a video: where the frame lies, in seconds. */
  frameTime: number | undefined;
  format: RenderRequest['format'];
  /** The format without loss that is tried as well. */
  exact: RenderRequest['exact'];
  key: string;
  /** The formats that its file may have. */
  files: readonly string[];
  /** Whether the request's `Accept` header had a say in the format. */
  isNegotiated: boolean;
}

interface PictureTerms {
  /** Formats that negotiation may not choose. */
  excluded?: readonly string[];
  /** The point that is stored with the original. */
  focal?: FocalPoint | undefined;
  /** What the fonts of its texts are known by. */
  fonts?: string | undefined;
}

/** Names the picture that a request wants. */
export function wantPicture(
  inputs: VariantInputs,
  { options: all, frameTime }: { options: ImageOptions; frameTime: number | undefined },
  accept: string | undefined,
  { excluded = [], focal, fonts }: PictureTerms = {},
): WantedPicture {
  const { format: explicit = 'auto', ...asked } = all;
  const options = withStoredPoint(asked, focal);
  const isNegotiated = explicit === 'auto' || explicit === 'best';
  const format = isNegotiated ? negotiateFormat(accept, excluded) : explicit;
  const exact = explicit === 'best' ? exactBeside(format, accept, excluded) : undefined;
  const picture = formatLayered(options, imageSteps);
  const transformation = frameTime === undefined ? picture : `${picture}@${frameTime}`;
  const key = variantKey({ inputs, fonts, transformation, format: exact ? `${format} or exact ${exact}` : format });
  const files = new Set<string>(format === 'fallback' ? ['jpeg', 'png'] : [format]);
  if (exact) files.add(exact);
  return { inputs, options, frameTime, format, exact, key, files: [...files], isNegotiated };
}

/** The format without loss that the client takes, and that may have fewer bytes than the one that was negotiated. */
function exactBeside(
  format: WantedPicture['format'],
  accept: string | undefined,
  excluded: readonly string[],
): RenderRequest['exact'] {
  if (format === 'fallback') return 'png';
  return acceptsFormat(accept, 'webp') && !excluded.includes('webp') ? 'webp' : undefined;
}

/** Says the stored point aloud, and the middle not at all, so that equal pictures have equal options. */
function withStoredPoint({ gravity = 'focal', ...options }: ImageOptions, focal: FocalPoint | undefined): ImageOptions {
  const settled = gravity === 'focal' ? focal : gravity;
  return settled === undefined || settled === 'center' ? options : { ...options, gravity: settled };
}

export interface PictureRendering {
  originals: Originals;
  variants: VariantStore;
  pool: RenderPool;
  frames: Pick<FrameExtractor, 'extract'>;
  budget: RenderBudget;
  /** Keeps machines that share their variants from rendering the same one at once. */
  once: Once;
  limits: RenderLimits;
  /** A folder for results on their way into the cache, on its file system. */
  temp: string;
}

/** The picture is too large for its format, but not for every format. */
export interface TooLarge {
  tooLarge: string;
}

/** `replaced`: an input changed meanwhile. The key names versions, and only their bytes may go under it. */
export type RenderedPicture = Variant | TooLarge | 'undecodable' | 'replaced';

/** How many pictures are remembered as too large for their format. Finding out costs a look at the original. */
const MAX_KNOWN = 10_000;

export type PictureRenderer = ReturnType<typeof createPictureRenderer>;

export function createPictureRenderer(rendering: PictureRendering) {
  const { budget, once, variants } = rendering;
  const flights = new SingleFlight<RenderedPicture, Client>();
  const tooLarge = new LRUCache<string, TooLarge>({ max: MAX_KNOWN });
  const focusOf = createKeptFocus(rendering);

  async function render(wanted: WantedPicture, signal: AbortSignal, clients: () => Client[]) {
    const claim = budget.claimOf(clients);
    const find = () => variants.getAgain(wanted.inputs.original.path, wanted.key, wanted.files);
    const work = (hold: Hold) => renderIntoCache({ ...rendering, focusOf }, wanted, { signal, claim, hold });
    // Waiting for another machine takes no place among the renders of this one.
    const rendered = await once.run<RenderedPicture>(wanted.key, find, work, signal);
    if (isTooLarge(rendered)) tooLarge.set(wanted.key, rendered);
    return rendered;
  }

  return {
    /** Whether it is already known that a picture is too large for its format. */
    knownTooLarge: ({ key }: WantedPicture) => tooLarge.get(key),
    /**
     * Renders a picture into the cache, once however many clients ask at the same time. The client that begins it needs a budget,
     * those that join do not.
     * @throws HttpProblem 400 over a limit, 422 for a video without a frame or a layer that cannot be decoded, 503 when rendering is overloaded or fails, 429 when
     * one network has rendered or asked too much
     */
    async render(wanted: WantedPicture, signal: AbortSignal | undefined, client: Client): Promise<RenderedPicture> {
      if (!flights.has(wanted.key)) budget.admit(client);
      return flights.run(wanted.key, signal, (shared, clients) => render(wanted, shared, clients), client);
    },
  };
}

export function isTooLarge<Other>(result: Other | TooLarge): result is TooLarge {
  return typeof result === 'object' && result !== null && 'tooLarge' in result;
}

type RenderFailure = Exclude<RenderResult, { outcome: 'rendered' }>;

type FullRendering = PictureRendering & { focusOf: ReturnType<typeof createKeptFocus> };

/** Until when a picture is wanted, and who pays for it. */
interface RenderTerms {
  signal: AbortSignal;
  claim: Claim;
}

interface CacheTerms extends RenderTerms {
  hold: Hold;
}

async function renderIntoCache(
  rendering: FullRendering,
  wanted: WantedPicture,
  { hold, ...terms }: CacheTerms,
): Promise<RenderedPicture> {
  const { originals, variants, temp } = rendering;
  const output = join(temp, randomUUID());
  let isKept = false;
  try {
    const result = await renderInto(output, rendering, wanted, terms);
    if (!(await areCurrent(originals, wanted.inputs))) return 'replaced';
    if (result.outcome !== 'rendered') return refusalOf(result, wanted);
    const variant = await variants.put(wanted.inputs.original.path, wanted.key, result.format, output);
    isKept = true;
    // The client has its answer now, the other machines when they can find the variant.
    hold(variants.settled(wanted.key));
    return variant;
  } finally {
    if (!isKept) await rm(output, { force: true });
  }
}

/** Renders a picture, or the frame of a video, into a file. */
async function renderInto(
  output: string,
  { originals, pool, frames, limits, temp, focusOf }: FullRendering,
  { inputs, options, format, exact, frameTime }: WantedPicture,
  { signal, claim }: RenderTerms,
): Promise<RenderResult> {
  const { gravity } = options;
  const frame = join(temp, `${randomUUID()}.png`);
  try {
    return await withLocalInputs(originals, inputs, signal, async (files) => {
      let { original } = files;
      if (frameTime !== undefined) {
        await frames.extract({ input: original, output: frame, time: frameTime, signal, claim });
        original = frame;
      }
      const needsFocus = gravity === 'face' || gravity === 'auto';
      const order = needsFocus && { ...inputs.original, frameTime, gravity, input: original, claim };
      const focus = order ? await focusOf(order, signal) : undefined;
      const request = { inputs: { ...files, original }, output, options, format, exact, limits, focus };
      return pool.run('render', request, signal, claim);
    });
  } finally {
    if (frameTime !== undefined) await rm(frame, { force: true });
  }
}

/** @throws HttpProblem 400 over a limit, 422 for a video without a frame and for a layer that cannot be decoded */
function refusalOf({ outcome, reason }: RenderFailure, { frameTime }: WantedPicture): TooLarge | 'undecodable' {
  if (outcome === 'format limit exceeded') return { tooLarge: reason };
  if (outcome === 'limit exceeded') throw badRequest(reason, 'limit_exceeded');
  if (frameTime !== undefined || outcome === 'layer undecodable') throw unprocessable(reason);
  return 'undecodable';
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
    const use = (file: string) => withOthers(later, { ...files, [name]: file });
    return store.withLocalFile(input.path, use, signal, input.version);
  };
  const use = (file: string) => withOthers(Object.keys(others), { original: file });
  return store.withLocalFile(original.path, use, signal, original.version);
}

/** Whether every input is still what it was when it was asked for. */
async function areCurrent(originals: Originals, inputs: VariantInputs): Promise<boolean> {
  const checked = Object.values(inputs).map(({ path, version }) => originals.isCurrent(path, version));
  return (await Promise.all(checked)).every(Boolean);
}
