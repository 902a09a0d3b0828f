import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../../concurrency.ts';
import type { Finding, Findings, FindingTypes } from '../../image/findings/findings.ts';
import type { InputLimits } from '../../image/input.ts';
import type { StoragePath } from '../../path.ts';
import type { Claim, RenderPool } from '../../render/pool.ts';
import { variantKey } from '../../storage/cache/variant-key.ts';
import type { VariantStore } from '../../storage/cache/variant-store.ts';

export interface FindingKeeping {
  variants: VariantStore;
  pool: RenderPool;
  limits: InputLimits;
  temp: string;
}

export interface FindingOrder {
  path: StoragePath;
  /** The original's etag. */
  version: string;
  frameTime: number | undefined;
  page: number | undefined;
  /** The picture, a local file. */
  input: string;
  claim: Claim;
}

type Found = FindingTypes[Finding['kind']];

/** Part of every name: raise it when something else is found than before, so that nothing old is taken for new. */
const VERSION = 1;

export type FindIn = ReturnType<typeof createKeptFindings>;

/**
 * Creates the function that knows what there is to find in a picture. It is found once for each original, however many sizes are asked
 * for, and kept among its variants. Nothing is found in a picture that cannot be decoded, which the render reports itself.
 */
export function createKeptFindings({ variants, pool, limits, temp }: FindingKeeping) {
  const flights = new SingleFlight<Found | undefined, Claim>();

  async function findInto(
    key: string,
    finding: Finding,
    { path, page, input, claim }: FindingOrder,
    signal: AbortSignal,
  ) {
    const output = join(temp, randomUUID());
    try {
      const { outcome } = await pool.run('find', { input, output, finding, page, limits }, signal, claim);
      return outcome === 'found' ? parse((await variants.put(path, key, 'json', output)).bytes) : undefined;
    } finally {
      await rm(output, { force: true });
    }
  }

  async function find(finding: Finding, order: FindingOrder, signal: AbortSignal): Promise<Found | undefined> {
    const { path, version } = order;
    const transformation = nameOf(finding) + placeOf(order);
    const key = variantKey({ inputs: { original: { path, version } }, transformation, format: 'json' });
    const kept = await variants.get(path, key, ['json']);
    if (kept) return parse(kept.bytes);
    const work = (shared: AbortSignal, claims: () => Claim[]) => {
      const clients = () => claims().flatMap((claim) => [...claim.clients()]);
      return findInto(key, finding, { ...order, claim: { ...order.claim, clients } }, shared);
    };
    return flights.run(key, signal, work, order.claim);
  }

  return async (needed: readonly Finding[], order: FindingOrder, signal: AbortSignal): Promise<Findings> => {
    const found: [string, Found][] = [];
    // One after the other: a client has one place among the renders.
    for (const finding of needed) {
      const result = await find(finding, order, signal);
      if (result !== undefined) found.push([finding.kind, result]);
    }
    return Object.fromEntries(found);
  };
}

/** A name that no canonical text of a transformation has. */
function nameOf(finding: Finding): string {
  const detail = finding.kind === 'edges' ? ` ${finding.tolerance}` : '';
  return `found ${VERSION} ${finding.kind}${detail}`;
}

/** In which picture of the original. */
function placeOf({ frameTime, page }: FindingOrder): string {
  if (page !== undefined) return ` page ${page}`;
  return frameTime === undefined ? '' : `@${frameTime}`;
}

/** Reads what this service has written itself. It has a few kilobytes, so the bytes are in memory. */
function parse(bytes: Buffer | undefined): Found | undefined {
  return bytes && JSON.parse(bytes.toString());
}
