import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SingleFlight } from '../concurrency.ts';
import type { InputLimits } from '../image/decode.ts';
import type { Focus, FocusGravity } from '../image/focus/focus.ts';
import type { StoragePath } from '../path.ts';
import type { Claim, RenderPool } from '../render/pool.ts';
import { variantKey } from '../storage/cache/variant-key.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';

export interface FocusKeeping {
  variants: VariantStore;
  pool: RenderPool;
  limits: InputLimits;
  temp: string;
}

export interface FocusOrder {
  path: StoragePath;
  /** The original's etag. */
  version: string;
  frameTime: number | undefined;
  gravity: FocusGravity;
  /** The picture, a local file. */
  input: string;
  claim: Claim;
}

/**
 * Creates the function that knows the focus of a picture. The focus is found once for each original, however many sizes are asked
 * for, and kept among its variants. It is undefined for a picture that cannot be decoded, which the render reports itself.
 */
export function createKeptFocus({ variants, pool, limits, temp }: FocusKeeping) {
  const flights = new SingleFlight<Focus | undefined, Claim>();

  async function findInto(key: string, { path, gravity, input, claim }: FocusOrder, signal: AbortSignal) {
    const output = join(temp, randomUUID());
    try {
      const { outcome } = await pool.run('findFocus', { input, output, gravity, limits }, signal, claim);
      return outcome === 'found' ? parse((await variants.put(path, key, 'json', output)).bytes) : undefined;
    } finally {
      await rm(output, { force: true });
    }
  }

  return async (order: FocusOrder, signal: AbortSignal): Promise<Focus | undefined> => {
    const { path, version, gravity, frameTime } = order;
    const transformation = `focus ${gravity}${frameTime === undefined ? '' : `@${frameTime}`}`;
    const key = variantKey({ inputs: { original: { path, version } }, transformation, format: 'json' });
    const kept = await variants.get(path, key, ['json']);
    if (kept) return parse(kept.bytes);
    const find = (shared: AbortSignal, claims: () => Claim[]) => {
      const clients = () => claims().flatMap((claim) => [...claim.clients()]);
      return findInto(key, { ...order, claim: { ...order.claim, clients } }, shared);
    };
    return flights.run(key, signal, find, order.claim);
  };
}

/** Reads what this service has written itself. It has a few kilobytes, so the bytes are in memory. */
function parse(bytes: Buffer | undefined): Focus | undefined {
  return bytes && JSON.parse(bytes.toString());
}
