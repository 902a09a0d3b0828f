import { randomBytes } from 'node:crypto';
import type { StoragePath } from '../path.ts';

/** Id of the library: everything stored, also the folders of spaces. */
export const LIBRARY = 'default';

/** Maximum number of private folders of a space. */
export const MAX_PRIVATE_FOLDERS = 100;

/** Rules of a space. An absent one is that of the installation. */
export interface SpaceRules {
  delivery?: 'open' | 'presets' | 'signed';
  /** `protected`: stored bytes are only delivered by a signed URL, or to a key or session with `read`. */
  originals?: 'open' | 'protected';
  /** Folders, relative to the space, from which nothing is delivered without such a right. */
  privateFolders?: readonly StoragePath[];
  /** Transformations by name. */
  presets?: Readonly<Record<string, string>>;
  /** Accepted kinds (`image`) and MIME types. */
  types?: readonly string[];
  maxFileBytes?: number;
  /** Origins whose pages may use endpoints that need a key. */
  cors?: readonly string[];
  quota?: { bytes?: number; transferPerMonth?: number };
  /** Requests per window of the rate limit, of one address and of all. */
  rateLimit?: { perAddress?: number; total?: number };
}

/** A folder that is a root of its own. */
export interface Space {
  id: string;
  name: string;
  /** Path in the library; the root for the library itself. */
  folder: StoragePath;
  isEnabled: boolean;
  /** Host names in lower case, without a port. */
  hosts: readonly string[];
  rules: SpaceRules;
  /** Signs URLs and uploads; undefined for the library, whose secret is a setting. */
  secret: string | undefined;
  previousSecret: PreviousSecret | undefined;
  /** ISO 8601; undefined for a library without rules of its own. */
  createdAt: string | undefined;
}

/** A secret that still verifies, until a time in Unix milliseconds. */
export interface PreviousSecret {
  secret: string;
  until: number;
}

const SECRET_BYTES = 32;

/** Generates a secret of 43 characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Text by which paths are compared on disks that ignore case and composition. */
export function foldPath<Path extends string>(path: Path): Path {
  return path.normalize('NFC').toLowerCase() as Path;
}
