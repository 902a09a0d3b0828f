import type { LRUCache } from 'lru-cache';
import { boundedCache } from '../../bounded-cache.ts';
import type { CatalogStore } from '../../catalog/catalog-store.ts';
import { SingleFlight } from '../../concurrency.ts';
import { HttpProblem } from '../../errors.ts';
import { EXTRA_MEDIA_TYPES, MEDIA_TYPES, type MediaKind, mediaTypeOf } from '../../media.ts';
import { baseName, childPath, extensionOf, parentOf, parsePath, type StoragePath } from '../../path.ts';
import type { Originals } from '../../storage/originals.ts';

/** What a name stands for: pictures and models, videos and sound, or a file of exactly this name. */
export type NamedKind = 'image' | 'video' | 'raw';

/** A name as another service writes it. */
export interface Named {
  kind: NamedKind;
  /** As it was written, decoded. */
  path: string;
  /** The same without the extension that is no part of it. */
  stem: string;
}

export interface FoundFile {
  path: StoragePath;
  /** Files of the same stem that were not taken. */
  others: readonly StoragePath[];
}

export interface FilesByStemOptions {
  originals: Originals;
  catalog: { files: Pick<CatalogStore['files'], 'named'> };
  /** Whether the catalog has every file. */
  isIndexed(): boolean;
  /** For how long a name is remembered, in milliseconds. */
  rememberMs: number;
}

const MAX_REMEMBERED = 50_000;

const KINDS: Readonly<Record<Exclude<NamedKind, 'raw'>, readonly MediaKind[]>> = {
  image: ['image', 'model'],
  video: ['video', 'audio'],
};

/** By what names of a kind can end in; the usual ones come first. */
const EXTENSIONS = { image: extensionsOf(KINDS.image), video: extensionsOf(KINDS.video) };

/**
 * Finds files by names without extensions. The file of exactly the name that was written comes first. Else it is the
 * one of that stem in its folder, and of several the one whose type comes first in the table of file types. No folder
 * is listed: the catalog is asked for the few names that there can be, and the store where the catalog has none of
 * them.
 */
export class FilesByStem {
  readonly #options: FilesByStemOptions;
  readonly #remembered: LRUCache<string, FoundFile>;
  readonly #looks = new SingleFlight<FoundFile | undefined>();

  constructor(options: FilesByStemOptions) {
    this.#options = options;
    this.#remembered = boundedCache(MAX_REMEMBERED, Math.max(1, options.rememberMs));
  }

  /** @throws HttpProblem 400 for what can be no name of a file */
  async find(named: Named): Promise<FoundFile | undefined> {
    const key = keyOf(named);
    const known = this.#remembered.get(key);
    // The state of an original is remembered as well.
    if (known && (await this.#options.originals.stat(known.path))) return known;
    const found = await this.#looks.run(key, undefined, () => this.#look(named));
    if (found) this.#remembered.set(key, found);
    return found;
  }

  /** Whether a name was found to be this file a moment ago. */
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

  /** In the order of the candidates. Names in capitals come with them. */
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
      // While the catalog cannot be used, the store is asked.
      return [];
    }
  }

  /**
   * Whether others may have put files there that the catalog does not know. A bucket cannot tell of a single folder.
   */
  async #mayHaveMore(path: StoragePath): Promise<boolean> {
    const { originals, isIndexed } = this.#options;
    return !isIndexed() || (await originals.store.folderMark(parentOf(path))) !== undefined;
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
      // It would be too long.
      if (error instanceof HttpProblem) return [];
      throw error;
    }
  });
}

function extensionsOf(kinds: readonly MediaKind[]): string[] {
  const types = [...MEDIA_TYPES, ...Object.values(EXTRA_MEDIA_TYPES)];
  return [...new Set(types.filter(({ kind }) => kinds.includes(kind)).flatMap(({ extensions }) => extensions))];
}
