import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../bounded-cache.ts';
import type { CatalogStore } from '../../catalog/catalog-store.ts';
import { SingleFlight } from '../../concurrency.ts';
import { HttpProblem } from '../../errors.ts';
import { EXTRA_MEDIA_TYPES, MEDIA_TYPES, type MediaKind, mediaTypeOf } from '../../media.ts';
import { baseName, childPath, extensionOf, parentOf, parsePath, type StoragePath } from '../../path.ts';
import type { Originals } from '../../storage/originals.ts';

/** Files that a name may stand for: images and models, videos and audio, or a file of exactly this name. */
export type NamedKind = 'image' | 'video' | 'raw';

/** Name in a URL of another service. */
export interface Named {
  kind: NamedKind;
  /** Decoded. */
  path: string;
  /** `path` without an extension that is not part of the name. */
  stem: string;
}

export interface FoundFile {
  path: StoragePath;
  /** Other files of the same stem. */
  others: readonly StoragePath[];
}

export interface FilesByStemOptions {
  originals: Originals;
  catalog: { files: Pick<CatalogStore['files'], 'named'> };
  /** Returns true if the catalog has every file. */
  isIndexed(): boolean;
  /** Lifetime of a cached result, in ms. */
  rememberMs: number;
}

const MAX_REMEMBERED = 50_000;

const KINDS: Readonly<Record<Exclude<NamedKind, 'raw'>, readonly MediaKind[]>> = {
  image: ['image', 'model'],
  video: ['video', 'audio'],
};

/** Extensions of each kind, the default ones first. */
const EXTENSIONS = { image: extensionsOf(KINDS.image), video: extensionsOf(KINDS.video) };

/**
 * Finds files by names without extensions. A file of exactly this name takes precedence. Otherwise it is the file of
 * that stem; of several, the one whose type comes first in the table of file types. No folder is listed: the catalog
 * is queried for the few possible names, and then the store.
 */
export class FilesByStem {
  readonly #options: FilesByStemOptions;
  readonly #remembered: LRUCache<string, FoundFile>;
  readonly #looks = new SingleFlight<FoundFile | undefined>();

  constructor(options: FilesByStemOptions) {
    this.#options = options;
    this.#remembered = boundedCache(MAX_REMEMBERED, Math.max(1, options.rememberMs));
  }

  /** @throws HttpProblem 400 for an impossible name */
  async find(named: Named): Promise<FoundFile | undefined> {
    const key = keyOf(named);
    const known = this.#remembered.get(key);
    // The state of an original is cached as well.
    if (known && (await this.#options.originals.stat(known.path))) return known;
    const found = await this.#looks.run(key, undefined, () => this.#look(named));
    if (found) this.#remembered.set(key, found);
    return found;
  }

  /** True if the cached result for the name is this file. */
  isStill(named: Named, path: StoragePath): boolean {
    return this.#remembered.get(keyOf(named))?.path === path;
  }

  async #look({ kind, path, stem }: Named): Promise<FoundFile | undefined> {
    const { originals } = this.#options;
    const exact = parsePath(path);
    if (canBe(exact, kind) && (await originals.stat(exact))) return { path: exact, others: [] };
    if (kind === 'raw') return undefined;
    const candidates = candidatesOf(parsePath(stem), EXTENSIONS[kind]);
    const known = await this.#inCatalog(candidates);
    for (const [n, one] of known.entries()) {
      if (await originals.stat(one)) return { path: one, others: known.slice(n + 1) };
    }
    if (!(await this.#mayHaveMore(exact))) return undefined;
    for (const one of candidates) if (await originals.store.stat(one)) return { path: one, others: [] };
    return undefined;
  }

  /** Finds candidates in the catalog, in their order, also with extensions in upper case. */
  async #inCatalog(candidates: readonly StoragePath[]): Promise<StoragePath[]> {
    const [first] = candidates;
    if (first === undefined) return [];
    const names = candidates.map(baseName);
    const capitals = names.map((name) => name.slice(0, -extensionOf(name).length) + extensionOf(name).toUpperCase());
    try {
      const rows = await this.#options.catalog.files.named(parentOf(first), [...names, ...capitals]);
      const rank = (path: StoragePath) => [...names, ...capitals].indexOf(baseName(path));
      return rows.map(({ path }) => path).sort((one, other) => rank(one) - rank(other));
    } catch {
      // Without the catalog, fall back to the store.
      return [];
    }
  }

  /** True if other programs may have added files that the catalog lacks. A bucket cannot answer that for one folder. */
  async #mayHaveMore(path: StoragePath): Promise<boolean> {
    const { originals, isIndexed } = this.#options;
    return !isIndexed() || (await originals.store.folderFingerprint(parentOf(path))) !== undefined;
  }
}

function keyOf({ kind, path }: Named): string {
  return `${kind} ${path}`;
}

function canBe(path: StoragePath, kind: NamedKind): boolean {
  if (kind === 'raw') return true;
  if (extensionOf(path) === '') return false;
  const { kind: stored } = mediaTypeOf(path);
  return KINDS[kind].includes(stored) || (kind === 'image' && stored === 'document');
}

function candidatesOf(stem: StoragePath, extensions: readonly string[]): StoragePath[] {
  const folder = parentOf(stem);
  const name = baseName(stem);
  return extensions.flatMap((extension) => {
    try {
      return [childPath(folder, `${name}.${extension}`)];
    } catch (error) {
      // The name would be too long.
      if (error instanceof HttpProblem) return [];
      throw error;
    }
  });
}

function extensionsOf(kinds: readonly MediaKind[]): string[] {
  const types = [...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)];
  return [...new Set(types.filter(({ kind }) => kinds.includes(kind)).flatMap(({ extensions }) => extensions))];
}
