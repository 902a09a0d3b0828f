import type { AssetFilter, DuplicatePage, Facets, SearchPosition, SearchSort } from '../catalog/catalog-search.ts';
import type { SpaceCatalog } from '../catalog/catalog-store.ts';
import type { TagCount, WordsPatch } from '../catalog/catalog-words.ts';
import type { AssetRecord } from '../catalog/records.ts';
import type { Purges } from '../cdn/purges.ts';
import type { PathLock } from '../cluster/cluster.ts';
import { HttpProblem, notFound } from '../errors.ts';
import { isSamePoint } from '../focal-point.ts';
import { parentOf, quote, type StoragePath } from '../path.ts';
import type { BlobStat } from '../storage/blob-store.ts';
import type { VariantStore } from '../storage/cache/variant-store.ts';
import type { Originals } from '../storage/originals.ts';
import type { Usage } from '../storage/usage.ts';
import { checkDuplicatesCursor, parseSearchCursor, writeSearchCursor } from './cursor.ts';
import type { CheckFields } from './fields-schema.ts';
import { noFile, notAFile } from './problems.ts';

export interface AssetsOptions {
  catalog: SpaceCatalog;
  originals: Originals;
  variants: Pick<VariantStore, 'usageOf'>;
  lock: PathLock;
  /** Applies a change of a file here and on the other nodes. */
  changed(path: StoragePath, isFolder: boolean): Promise<void>;
  purges: Pick<Purges, 'during'> | undefined;
  checkFields: CheckFields;
}

export type FacetName = keyof Facets;

export interface AssetSearch extends AssetFilter {
  sort: SearchSort;
  order: 'asc' | 'desc';
  limit: number;
  /** Cursor of an earlier page. */
  cursor?: string | undefined;
  facets: readonly FacetName[];
}

export interface AssetPage {
  assets: AssetRecord[];
  /** Number of matches, at most `MAX_TOTAL`. */
  total: number;
  isTotalExact: boolean;
  /** Cursor of the next page; null on the last one. */
  nextCursor: string | null;
  facets?: Partial<Facets>;
}

/** Limit of counted matches. */
const MAX_TOTAL = 10_000;

/** Reads originals and their metadata, and changes metadata. */
export class Assets {
  readonly #options: AssetsOptions;

  constructor(options: AssetsOptions) {
    this.#options = options;
  }

  /** @throws HttpProblem 400 for a folder, 404 */
  async find(path: StoragePath): Promise<AssetRecord> {
    const { catalog, originals, lock } = this.#options;
    const stat = await originals.check(path);
    if (!stat) throw await notAFile(originals.store, path);
    const known = await catalog.files.find(path);
    if (known?.etag === stat.etag || (known && hasOtherWords(known, stat))) return known;
    // Other programs have added or changed it, and its folder was not read since.
    return lock.run([path], async () => {
      const now = await originals.check(path);
      if (!now) throw noFile(path);
      if ((await originals.store.folderFingerprint(parentOf(path))) === null) throw noRecord(path);
      await catalog.files.put([{ path, ...now }]);
      const found = await catalog.files.find(path);
      if (!found) throw noFile(path);
      return found;
    });
  }

  /** Returns the cached variants of an original. */
  variantsOf(path: StoragePath): Promise<Usage> {
    return this.#options.variants.usageOf(path);
  }

  /**
   * Changes metadata.
   * @param revisions accepted revisions of the asset; undefined for any
   * @throws HttpProblem 400, 404; 412 when another client was first
   */
  async update(path: StoragePath, patch: WordsPatch, revisions?: readonly number[]): Promise<AssetRecord> {
    if (patch.fields) this.#options.checkFields(patch.fields);
    const before = await this.find(path);
    if (revisions && !revisions.includes(before.revision)) throw changedMeanwhile(path, revisions, before.revision);
    const write = () => this.#write(path, patch, revisions && before.revision);
    const { focal } = patch;
    if (focal === undefined || isSamePoint(before.focal ?? undefined, focal ?? undefined)) return write();
    return this.#refocus(path, write);
  }

  /** Returns a page of assets that meet all conditions. @throws HttpProblem 400 for a cursor of another search */
  async search({ cursor, facets, ...request }: AssetSearch): Promise<AssetPage> {
    const { search } = this.#options.catalog;
    const after: SearchPosition | undefined =
      cursor === undefined ? undefined : parseSearchCursor(cursor, request.sort, request.order);
    const page = await search.page({ ...request, after });
    const [count, found] = await Promise.all([
      search.total(request, page.isNear, MAX_TOTAL + 1),
      facets.length > 0 ? search.facets(request, page.isNear) : undefined,
    ]);
    return {
      assets: page.assets,
      total: Math.min(count, MAX_TOTAL),
      isTotalExact: count <= MAX_TOTAL,
      nextCursor: page.next ? writeSearchCursor(page.next, request.sort, request.order) : null,
      ...(found && { facets: Object.fromEntries(facets.map((name) => [name, found[name]])) }),
    };
  }

  /** Finds files with equal bytes, or similar images. @throws HttpProblem 400 for a foreign cursor */
  async duplicates(kind: 'exact' | 'similar', limit: number, cursor?: string): Promise<DuplicatePage> {
    const { search } = this.#options.catalog;
    if (cursor !== undefined) checkDuplicatesCursor(kind, cursor);
    return kind === 'exact' ? search.duplicates(limit, cursor) : search.similar(limit, cursor);
  }

  /** Returns all tags, with the number of files of each. */
  tags(): Promise<TagCount[]> {
    return this.#options.catalog.tags.list();
  }

  /** Renames a tag; merges it if the new name exists. @returns the number of files that had it */
  renameTag(tag: string, name: string): Promise<number> {
    return this.#options.catalog.tags.rename(tag, name);
  }

  /** Removes a tag from all files. @returns the number of files that had it */
  removeTag(tag: string): Promise<number> {
    return this.#options.catalog.tags.remove(tag);
  }

  /** Invalidates the variants of an image, as a change of its bytes does. */
  #refocus(path: StoragePath, write: () => Promise<AssetRecord>): Promise<AssetRecord> {
    const { purges, changed } = this.#options;
    const change = async () => {
      try {
        return await write();
      } finally {
        await changed(path, false);
      }
    };
    return purges ? purges.during(path, 'file', change) : change();
  }

  async #write(path: StoragePath, patch: WordsPatch, revision: number | undefined): Promise<AssetRecord> {
    const asset = await this.#options.catalog.words.patch(path, patch, revision);
    if (asset === 'conflict') throw changedMeanwhile(path, [revision ?? 0]);
    if (!asset) throw noFile(path);
    return asset;
  }
}

/** True if the metadata may belong to another file, which was moved away: reconciliation finds out. */
function hasOtherWords({ revision, fileId }: AssetRecord, now: BlobStat): boolean {
  return revision > 0 && fileId !== null && now.fileId !== undefined && fileId !== now.fileId;
}

function noRecord(path: StoragePath) {
  const message = `There is no record of ${quote(path)}, because it lies behind a linked folder.`;
  return notFound(message, 'file_not_found', 'Not found');
}

function changedMeanwhile(path: StoragePath, expected: readonly number[], found?: number) {
  const received = found === undefined ? 'it was changed meanwhile' : `it is ${found}`;
  const message = `Expected revision ${expected.join(' or ')} of ${quote(path)}, but ${received}.`;
  return new HttpProblem('precondition_failed', message);
}
