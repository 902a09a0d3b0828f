import { createHash } from 'node:crypto';
import type { StoragePath } from '../../path.ts';

/** Part of every key: raise it when the same request has to give other bytes than before. */
const PIPELINE_VERSION = 2;

export interface VariantIdentity {
  original: StoragePath;
  /** The original's etag. */
  version: string;
  /** Canonical text, without the format. */
  transformation: string;
  format: string;
}

/**
 * The name of a variant. Every part is length-prefixed by its JSON quoting, so that two different variants never share
 * a text to hash.
 */
export function variantKey({ original, version, transformation, format }: VariantIdentity): string {
  const identity = JSON.stringify([PIPELINE_VERSION, original, version, transformation, format]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 40);
}

/** The folder of all variants of an original, relative to the cache: two levels, so that no folder grows too large. */
export function variantFolder(original: StoragePath): string {
  const hash = createHash('sha256').update(original).digest('hex').slice(0, 40);
  return `${hash.slice(0, 2)}/${hash.slice(2)}`;
}
