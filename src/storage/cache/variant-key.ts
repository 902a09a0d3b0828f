import { createHash } from 'node:crypto';
import type { StoragePath } from '../../path.ts';

/** Part of every key: raise it when the same request must return other bytes than before. */
const PIPELINE_VERSION = 7;

/** A source file of a variant. */
export interface VariantInput {
  path: StoragePath;
  /** Folder that the path is relative to: that of a space; undefined for a path of the library. */
  root?: StoragePath | undefined;
  /** Its etag. */
  version: string;
  /** The path that a layer names, where a redirect leads from there to the file. */
  redirectedFrom?: StoragePath | undefined;
}

/** Source files of a variant, by name: the original, and any others that its transformation names. */
export interface VariantInputs {
  original: VariantInput;
  [name: string]: VariantInput;
}

export interface VariantIdentity {
  inputs: VariantInputs;
  /** Fingerprint of the fonts of its texts; undefined without a text. */
  fonts?: string | undefined;
  /** Canonical text, without the format. */
  transformation: string;
  format: string;
}

/**
 * Returns the name of a variant. It hashes paths of the library, so that a variant of a file in a space has one name,
 * whoever requests it. JSON quotes every part and encloses every other input in brackets, so that two
 * different variants never hash the same text.
 */
export function variantKey({ inputs, fonts, transformation, format }: VariantIdentity): string {
  const { original, ...others } = inputs;
  const named = Object.keys(others)
    .sort()
    .map((name) => [name, ...identityOf(others[name] as VariantInput)]);
  const identity = [
    PIPELINE_VERSION,
    ...identityOf(original),
    transformation,
    format,
    ...named,
    ...(fonts === undefined ? [] : [fonts]),
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 40);
}

const identityOf = ({ root, path, version }: VariantInput) => [root === undefined ? path : `${root}/${path}`, version];

/**
 * Returns the folder of all variants of an original, relative to the cache: two levels, so that no folder grows too
 * large.
 */
export function variantFolder(original: StoragePath): string {
  const hash = createHash('sha256').update(original).digest('hex').slice(0, 40);
  return `${hash.slice(0, 2)}/${hash.slice(2)}`;
}
