import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { encodePath, urlOf } from './base.ts';
import { call, send } from './call.ts';
import { errorOf } from './error.ts';
import { queryClient } from './query-client.ts';
import type { Asset, FileVersion } from './types.ts';

export type Version = FileVersion;

const keyOf = (path: string) => ['versions', path] as const;

/** Versions of a file, newest first. Read again for other content, so that none are requested of a file that is gone. */
export const versionsQuery = ({ path, etag }: Pick<Asset, 'path' | 'etag'>) =>
  queryOptions({
    queryKey: [...keyOf(path), etag],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => listVersions(path, signal),
  });

/** Versions of a file, newest first. @throws ApiError */
export const listVersions = async (path: string, signal?: AbortSignal): Promise<Version[]> =>
  (await call('listVersions', `storage/${encodePath(path)}/versions`, signal && { signal })).versions;

const pathOf = (path: string, id: string) => `storage/${encodePath(path)}/versions/${id}`;

export const versionUrl = (path: string, id: string): string => urlOf(pathOf(path, id));

export const restoreVersion = (path: string, id: string) =>
  call('restoreVersion', `${pathOf(path, id)}/restore`, { method: 'POST', json: {} });

/** Deletes a version permanently. */
export async function deleteVersion(path: string, id: string): Promise<void> {
  await call('deleteVersion', pathOf(path, id), { method: 'DELETE' });
  await queryClient.invalidateQueries({ queryKey: keyOf(path) });
}

/** Content of a version. @throws ApiError */
export const versionBytes = (path: string, id: string, signal: AbortSignal) => bytesOf(pathOf(path, id), signal);

/** Current content of a file; formats that browsers cannot display as WebP. @throws ApiError */
export const presentBytes = (path: string, type: string, signal: AbortSignal) =>
  bytesOf(`t/${SHOWN.test(type) ? '' : 'q_95,f_webp/'}${encodePath(path)}`, signal);

const SHOWN = /^image\/(jpeg|png|webp|avif|gif|svg\+xml)$/;

async function bytesOf(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await send(path, { signal, cache: 'no-cache', headers: { Accept: 'image/*' } });
  if (!response.ok) throw errorOf(response.status, (name) => response.headers.get(name), await response.text());
  return response.blob();
}
