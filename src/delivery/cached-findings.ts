import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import type { ImageFailure } from '../image/failure.ts';
import type { Finding, Findings, FindingTypes } from '../image/findings/findings.ts';
import type { InputLimits } from '../image/input.ts';
import type { StoragePath } from '../path.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import { variantKey } from '../storage/cache/variant-key.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';

interface FindingsContext {
  variants: VariantStore;
  pool: RenderPool;
  limits: InputLimits;
  temp: string;
}

interface FindingRequest {
  path: StoragePath;
  /** The original's etag. */
  version: string;
  frameTime: number | undefined;
  page: number | undefined;
  /** What the fonts are known by that it may have texts in. */
  fonts: string | undefined;
  /** The picture, a local file. */
  input: string;
  claim: Claim;
}

type Found = FindingTypes[Finding['kind']];

type Result = { outcome: 'found'; found: Found } | ImageFailure;

/** Part of every name: raise it when something else is found than before, so that nothing old is taken for new. */
const VERSION = 1;

export type FindIn = ReturnType<typeof createCachedFindings>;

/**
 * Creates the function that knows what there is to find in a picture, or why it cannot be looked at. It is found once for each original,
 * however many sizes are asked for, and kept among its variants.
 */
export function createCachedFindings(context: FindingsContext) {
  const flights = new SingleFlight<Result, Claim>();

  async function find(finding: Finding, order: FindingRequest, signal: AbortSignal): Promise<Result> {
    const { path, version, fonts } = order;
    const transformation = nameOf(finding) + positionOf(order);
    const key = variantKey({ inputs: { original: { path, version } }, fonts, transformation, format: 'json' });
    const cached = await context.variants.get(path, key, ['json']);
    // It is small, so its bytes are in memory.
    if (cached?.bytes) return { outcome: 'found', found: parse(cached.bytes) };
    const work = (shared: AbortSignal, claims: () => Claim[]) => {
      const clients = () => claims().flatMap((claim) => [...claim.clients()]);
      return analyse(context, key, finding, { ...order, claim: { ...order.claim, clients } }, shared);
    };
    return flights.run(key, signal, work, order.claim);
  }

  return async (
    needed: readonly Finding[],
    order: FindingRequest,
    signal: AbortSignal,
  ): Promise<{ outcome: 'found'; findings: Findings } | ImageFailure> => {
    const all: [string, Found][] = [];
    // One after the other: a client has one place among the renders.
    for (const finding of needed) {
      const result = await find(finding, order, signal);
      if (result.outcome !== 'found') return result;
      all.push([finding.kind, result.found]);
    }
    return { outcome: 'found', findings: Object.fromEntries(all) };
  };
}

/** Looks at the picture, and keeps what is found. */
async function analyse(
  { variants, pool, limits, temp }: FindingsContext,
  key: string,
  finding: Finding,
  { path, page, input, claim }: FindingRequest,
  signal: AbortSignal,
): Promise<Result> {
  const output = join(temp, randomUUID());
  try {
    const result = await pool.run('find', { input, output, finding, page, limits }, signal, claim);
    if (result.outcome !== 'found') return result;
    const found = parse(await readFile(output));
    if (!isGuess(found)) await variants.put(path, key, 'json', output);
    return { outcome: 'found', found };
  } finally {
    await rm(output, { force: true });
  }
}

/** A name that no canonical text of a transformation has. */
function nameOf(finding: Finding): string {
  const detail = finding.kind === 'edges' ? ` ${finding.tolerance}` : '';
  return `found ${VERSION} ${finding.kind}${detail}`;
}

/** In which picture of the original. */
function positionOf({ frameTime, page }: FindingRequest): string {
  if (page !== undefined) return ` page ${page}`;
  return frameTime === undefined ? '' : `@${frameTime}`;
}

/** Another try may find more. */
function isGuess(found: Found): boolean {
  return found !== null && 'areFacesUnknown' in found;
}

/** Reads what this service has written itself. */
function parse(bytes: Buffer): Found {
  return JSON.parse(bytes.toString());
}
