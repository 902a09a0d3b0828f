import { queryOptions } from '@tanstack/react-query';
import { encodePath, linkOf, queryOf, urlOf } from './base.ts';
import { call, send } from './call.ts';
import { variantPath } from './paths.ts';
import { NO_SUBFOLDERS, subfoldersQuery } from './subfolders.ts';
import type { Answers, Asset } from './types.ts';

export type Listing = Answers['listFolder'];
export type StoredFile = Listing['files'][number];
export type Kind = StoredFile['type'];
export type Metadata = Partial<Pick<Asset, 'title' | 'alt' | 'description' | 'tags' | 'focal'>>;

export const KINDS: readonly Kind[] = ['image', 'video', 'audio', 'model', 'document'];

/** Files per request. */
export const PAGE = 200;

export interface ListingOrder {
  sort: 'name' | 'kind' | 'dimensions' | 'size' | 'mtime' | 'created';
  order: 'asc' | 'desc';
  kind?: Kind | undefined;
}

/** Search criteria, named as in `GET /storage` and `GET /assets`. */
export interface AssetSearch {
  /** Words of the path below the folder. */
  search?: string | undefined;
  /** Terms of names, titles, alt texts, descriptions and tags. */
  q?: string | undefined;
  /** Files must have all of them. */
  tag?: readonly string[] | undefined;
  untagged?: true | undefined;
  withoutAlt?: true | undefined;
  undecodable?: true | undefined;
  /** Bytes. */
  minSize?: number | undefined;
  maxSize?: number | undefined;
  /** Pixels. */
  minWidth?: number | undefined;
  minHeight?: number | undefined;
  orientation?: 'landscape' | 'portrait' | 'square' | undefined;
  /** `2026-03-01` */
  modifiedAfter?: string | undefined;
  modifiedBefore?: string | undefined;
}

/** Subject of a listing: a folder, or a search of everything below it. */
export interface Scope {
  folder: string;
  order: ListingOrder;
  search: AssetSearch | undefined;
}

const listed = ({ folder, order, search }: Scope, page: { limit: number; offset?: number; cursor?: string }) =>
  `storage${queryOf({ path: folder, ...order, ...search, recursive: search && true, ...page })}`;

/** Common key prefix of all pages of a scope. */
export const listingKey = ({ folder, order, search }: Scope) =>
  ['files', 'listing', folder, order, search ?? null] as const;

export const listingQuery = (scope: Scope, page: number) =>
  queryOptions({
    queryKey: [...listingKey(scope), page],
    queryFn: async ({ signal, client }) => {
      const listing = await call('listFolder', listed(scope, { limit: PAGE, offset: page * PAGE }), { signal });
      if (page === 0 && scope.search === undefined && listing.folders.length === 0)
        client.setQueryData(subfoldersQuery(scope.folder).queryKey, NO_SUBFOLDERS);
      return listing;
    },
    // A library may have thousands of pages: evict those out of view soon.
    gcTime: 30_000,
  });

/** Items of a scope by index range. */
export const listRange = (scope: Scope, offset: number, limit: number) =>
  call('listFolder', listed(scope, { limit, offset }));

/** Items of a scope after a cursor. @param cursor empty for the first page */
export const listAfter = (scope: Scope, cursor: string) => call('listFolder', listed(scope, { limit: PAGE, cursor }));

export const assetQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'asset', path],
    queryFn: ({ signal }) => call('getAsset', `assets/${encodePath(path)}`, { signal }),
    // Files are described shortly after their upload.
    refetchInterval: ({ state }) => (state.data && !state.data.described ? 2000 : false),
  });

export const foldersQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'folders', path],
    queryFn: async ({ signal }) => {
      const { folders } = await call('listFolder', `storage${queryOf({ path, limit: 1000 })}`, { signal });
      return folders;
    },
  });

/** Updates metadata unless the file changed since `revision`; also when the page is left. @throws ApiError 412 */
export const updateMetadata = (path: string, revision: number, metadata: Metadata) =>
  call('updateAsset', `assets/${encodePath(path)}`, {
    method: 'PATCH',
    json: metadata,
    headers: { 'If-Match': `"${revision}"` },
    keepalive: true,
  });

/** @param isRedirected keeps the previous URL working */
export const rename = (path: string, name: string, isRedirected = false) =>
  call('renameFile', `storage/${encodePath(path)}`, {
    method: 'PATCH',
    json: { name, ...(isRedirected && { redirect: true }) },
  });

export const dropVariants = (path: string) =>
  call('invalidateVariants', `invalidate/${encodePath(path)}`, { method: 'DELETE' });

/** URL of an original or a variant. @param version busts the cache after the content changed */
export function deliveryUrl(path: string, transformation = '', version?: string): string {
  return `${urlOf(variantPath(path, transformation))}${version === undefined ? '' : `?v=${Date.parse(version)}`}`;
}

/** Absolute URL of an original that no cache has from before `version`: the service ignores the query. */
export const versionedUrl = (path: string, version: string): string => location.origin + deliveryUrl(path, '', version);

/**
 * Seconds for which browsers show a file without requesting a newer one, as its response says; null if visitors get
 * another response, by a signature or a preset.
 */
export const browserCacheQuery = (path: string) =>
  queryOptions({
    queryKey: ['browser-cache', path],
    queryFn: async ({ signal }): Promise<number | null> => {
      const { ok, headers } = await send(variantPath(path, ''), { method: 'HEAD', cache: 'no-store', signal });
      const value = headers.get('Cache-Control') ?? '';
      if (!ok || /\bprivate\b/.test(value)) return null;
      return /\bno-(cache|store)\b/.test(value) ? 0 : Number(/\bmax-age=(\d+)/.exec(value)?.[1] ?? 0);
    },
  });

/** Bytes of an original. */
export async function bytesOf(path: string, version: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(deliveryUrl(path, '', version), { signal });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

export const downloadUrl = (path: string): string => urlOf(`download/${encodePath(path)}`);

/** URL of an archive of files and folders. Valid once, for a minute. */
export async function archiveUrl(items: readonly { path: string; kind: 'file' | 'folder' }[]): Promise<string> {
  const { url } = await call('createZipTicket', 'download-zip/ticket', { method: 'POST', json: { items } });
  return linkOf(url);
}

export const folderDownloadUrl = (path: string): string => urlOf(`download-folder/${encodePath(path)}`);

export const limitsQuery = queryOptions({
  queryKey: ['limits'],
  queryFn: ({ signal }) => call('getLimits', 'limits', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Names compared before an upload; in larger folders the service finds free names. */
const MAX_COMPARED = 10_000;

/** Files of a folder by their names; empty if the folder does not exist. */
export async function filesIn(path: string): Promise<ReadonlyMap<string, StoredFile>> {
  const { files } = await call('listFolder', `storage${queryOf({ path, limit: MAX_COMPARED })}`);
  return new Map(files.map((file) => [file.name, file]));
}
