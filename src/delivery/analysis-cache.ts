import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import type { AnalysisResults, AnalysisResultTypes, AnalysisSpec } from '../image/analysis/analysis.ts';
import type { ImageFailure } from '../image/failure.ts';
import type { InputLimits } from '../image/input.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import { type VariantInput, variantKey } from '../storage/cache/variant-key.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';

interface AnalysisContext {
  variants: VariantStore;
  pool: RenderPool;
  limits: InputLimits;
  temp: string;
}

/** The original, and what is analysed of it. */
interface AnalysisRequest extends VariantInput {
  frameTime: number | undefined;
  page: number | undefined;
  /** Identifies the fonts of texts in the original; undefined if it cannot have any. */
  fonts: string | undefined;
  /** Local image file. */
  input: string;
  claim: Claim;
}

type Found = AnalysisResultTypes[AnalysisSpec['kind']];

type Result = { outcome: 'found'; found: Found } | ImageFailure;

/** Part of every key: increase it when the analysis changes, so that old results are not used. */
const VERSION = 1;

export type FindIn = ReturnType<typeof createAnalysisCache>;

/**
 * Returns a function that finds faces and edges in an image, or fails with the reason. Each analysis runs once per
 * original, for any number of sizes, and is stored among its variants.
 */
export function createAnalysisCache(context: AnalysisContext) {
  const flights = new SingleFlight<Result, Claim>();

  async function find(analysis: AnalysisSpec, order: AnalysisRequest, signal: AbortSignal): Promise<Result> {
    const { path, version, root, fonts } = order;
    const transformation = nameOf(analysis) + positionOf(order);
    const key = variantKey({ inputs: { original: { path, version, root } }, fonts, transformation, format: 'json' });
    const cached = await context.variants.get(path, key, ['json']);
    // Small enough to be in memory.
    if (cached?.bytes) return { outcome: 'found', found: parse(cached.bytes) };
    const work = (shared: AbortSignal, claims: () => Claim[]) => {
      const clients = () => claims().flatMap((claim) => [...claim.clients()]);
      return analyse(context, key, analysis, { ...order, claim: { ...order.claim, clients } }, shared);
    };
    return flights.run(key, signal, work, order.claim);
  }

  return async (
    needed: readonly AnalysisSpec[],
    order: AnalysisRequest,
    signal: AbortSignal,
  ): Promise<{ outcome: 'found'; analysis: AnalysisResults } | ImageFailure> => {
    const all: [string, Found][] = [];
    // One after the other: a client has one slot in the render queue.
    for (const analysis of needed) {
      const result = await find(analysis, order, signal);
      if (result.outcome !== 'found') return result;
      all.push([analysis.kind, result.found]);
    }
    return { outcome: 'found', analysis: Object.fromEntries(all) };
  };
}

/** Analyses the image and stores the result. */
async function analyse(
  { variants, pool, limits, temp }: AnalysisContext,
  key: string,
  analysis: AnalysisSpec,
  { path, page, input, claim }: AnalysisRequest,
  signal: AbortSignal,
): Promise<Result> {
  const output = join(temp, randomUUID());
  try {
    const result = await pool.run('find', { input, output, analysis, page, limits }, signal, claim);
    if (result.outcome !== 'found') return result;
    const found = parse(await readFile(output));
    if (!isGuess(found)) await variants.put(path, key, 'json', output);
    return { outcome: 'found', found };
  } finally {
    await rm(output, { force: true });
  }
}

/** Returns a name that no canonical transformation has. */
function nameOf(analysis: AnalysisSpec): string {
  const detail = analysis.kind === 'edges' ? ` ${analysis.tolerance}` : '';
  return `found ${VERSION} ${analysis.kind}${detail}`;
}

/** Identifies the frame or page. */
function positionOf({ frameTime, page }: AnalysisRequest): string {
  if (page !== undefined) return ` page ${page}`;
  return frameTime === undefined ? '' : `@${frameTime}`;
}

/** True for a result that a retry may improve. */
function isGuess(found: Found): boolean {
  return found !== null && 'areFacesUnknown' in found;
}

/** Parses JSON written by this service. */
function parse(bytes: Buffer): Found {
  return JSON.parse(bytes.toString());
}
