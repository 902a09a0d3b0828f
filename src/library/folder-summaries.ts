import { mediaTypeOf } from '../media.ts';
import type { StoragePath } from '../path.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { ListedFile, ListingOptions } from './listing.ts';

/** A file as its thumbnail needs it. Unknown values are null. */
export interface PreviewItem
  extends Pick<ListedFile, 'path' | 'size' | 'mtime' | 'width' | 'height' | 'placeholder' | 'problem'> {
  type: 'image' | 'video';
}

export interface FolderSummary {
  itemCount: number;
  /** True when there are more items than were counted. */
  truncated: boolean;
  previewItems: PreviewItem[];
}

/** Maximum number of items that are counted in a folder. */
export const SCAN_CEILING = 100;

const MAX_PREVIEWS = 4;

/** Number of folders that are read concurrently. */
const CONCURRENCY = 8;

/** Sources of the summaries. */
export interface SummarySources {
  originals: { store: Pick<BlobStore, 'list'> };
  sync: ListingOptions['sync'];
}

/** A folder, with the text of the request. */
export interface RequestedFolder {
  requested: string;
  path: StoragePath;
}

/** Summarises folders, one level deep. Returns them by the text of the request; a missing folder is empty. */
export async function summarise(
  { originals: { store }, sync }: SummarySources,
  folders: readonly RequestedFolder[],
): Promise<Record<string, FolderSummary>> {
  const summaries: [string, FolderSummary][] = [];
  for (let start = 0; start < folders.length; start += CONCURRENCY) {
    const some = folders.slice(start, start + CONCURRENCY);
    const found = await Promise.all(some.map(({ path }) => summariseFolder(path)));
    for (const [at, summary] of found.entries()) summaries.push([some[at]?.requested ?? '', summary]);
  }
  return Object.fromEntries(summaries);

  async function summariseFolder(path: StoragePath): Promise<FolderSummary> {
    const where = await sync.revalidate(path);
    if (where === 'store') return readFolder(store, path);
    if (where === 'nowhere') return { itemCount: 0, truncated: false, previewItems: [] };
    const glance = await sync.rows.listing.glance(path, SCAN_CEILING, MAX_PREVIEWS);
    const previewItems = glance.previews.map(({ kind, modifiedAt, ...file }) => ({
      ...file,
      type: kind as PreviewItem['type'],
      mtime: new Date(modifiedAt).toISOString(),
    }));
    return { itemCount: glance.itemCount, truncated: glance.isMore, previewItems };
  }
}

async function readFolder(store: Pick<BlobStore, 'list'>, folder: StoragePath): Promise<FolderSummary> {
  // Request one more item than is counted, to detect that there are more.
  const { folders, files } = await store.list(folder, { limit: SCAN_CEILING + 1 });
  const found = folders.length + files.length;
  const previewItems: FolderSummary['previewItems'] = [];
  for (const { path, size, modifiedAt } of files) {
    const { kind } = mediaTypeOf(path);
    if ((kind === 'image' || kind === 'video') && previewItems.length < MAX_PREVIEWS) {
      const unknown = { width: null, height: null, placeholder: null, problem: null };
      previewItems.push({ path, type: kind, size, mtime: modifiedAt.toISOString(), ...unknown });
    }
  }
  return { itemCount: Math.min(found, SCAN_CEILING), truncated: found > SCAN_CEILING, previewItems };
}
