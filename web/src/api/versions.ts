import { queryOptions } from '@tanstack/react-query';
import { encodePath, urlOf } from './base.ts';
import { call, send } from './call.ts';
import { errorOf } from './error.ts';
import type { FileVersion } from './types.ts';

export type Version = FileVersion;

/** Versions of a file, newest first. */
export const versionsQuery = (path: string) =>
  queryOptions({
    queryKey: ['files', 'versions', path],
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
export const deleteVersion = (path: string, id: string) =>
  call('deleteVersion', pathOf(path, id), { method: 'DELETE' });

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
