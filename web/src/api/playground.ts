import { queryOptions } from '@tanstack/react-query';
import { queryOf } from './base.ts';
import { call, send } from './call.ts';
import { ApiError, errorOf } from './error.ts';
import { encodePath, variantPath } from './paths.ts';

/** All parameters and presets. They change only with a restart. */
export const transformationsQuery = queryOptions({
  queryKey: ['transformations'],
  queryFn: ({ signal }) => call('listTransformations', 'transformations', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Polls until a new file is described, at most this often. */
const MAX_QUESTIONS = 10;

/** A file, polled until its dimensions and duration are known. */
export const sourceQuery = (path: string) =>
  queryOptions({
    queryKey: ['playground', 'source', path],
    queryFn: ({ signal }) => call('getAsset', `assets/${encodePath(path)}`, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.described === false && state.dataUpdateCount < MAX_QUESTIONS ? 2000 : false,
  });

/** Newest files of a kind whose names contain a text. */
export const sourcesQuery = (kind: 'image' | 'video', search: string) =>
  queryOptions({
    queryKey: ['playground', 'sources', kind, search],
    queryFn: ({ signal }) =>
      call(
        'listFolder',
        `storage${queryOf({ kind, search, recursive: true, sort: 'mtime', order: 'desc', limit: 48 })}`,
        { signal },
      ),
  });

export interface Variant {
  blob: Blob;
  /** MIME type. */
  type: string;
  /** `hit` or `miss` of the variant cache; undefined for an original. */
  cache: string | undefined;
  /** The image cannot be decoded and the original was delivered. */
  isFallback: boolean;
  /** Milliseconds from the request to the last byte. */
  duration: number;
}

/** Requests an image past the browser cache. Aborting stops its render. @throws ApiError */
export async function fetchVariant(
  path: string,
  { segment, accept, signal }: { segment: string; accept: string; signal: AbortSignal },
): Promise<Variant> {
  const start = performance.now();
  const response = await send(variantPath(path, segment), { headers: { Accept: accept }, cache: 'no-store', signal });
  const header = (name: string) => response.headers.get(name);
  if (response.status !== 200) throw errorOf(response.status, header, await response.text());
  const blob = await response.blob();
  return {
    blob,
    type: header('Content-Type') ?? blob.type,
    cache: header('X-Cache') ?? undefined,
    isFallback: header('X-Transform-Fallback') !== null,
    duration: performance.now() - start,
  };
}

export interface Transcode {
  status: 'pending' | 'running' | 'completed' | 'error' | 'cancelled';
  /** Percent. */
  progress: number;
  message: string;
  /** Bytes, once completed. */
  size?: number;
}

/** Progress of a transcode: the first request queues it, later ones poll. */
export const transcodeQuery = (path: string, segment: string, isRequested: boolean) =>
  queryOptions<Transcode>({
    queryKey: ['playground', 'transcode', path, segment],
    queryFn: ({ signal, client, queryKey }) =>
      isInProgress(client.getQueryData<Transcode>(queryKey))
        ? fetchTranscodeStatus(variantPath(path, segment), signal)
        : queueTranscode(variantPath(path, segment), signal),
    enabled: isRequested,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isInProgress(state.data) ? 1000 : false),
  });

const isInProgress = (transcode: Transcode | undefined) =>
  transcode?.status === 'pending' || transcode?.status === 'running';

async function queueTranscode(url: string, signal: AbortSignal): Promise<Transcode> {
  const response = await send(url, { headers: { Range: 'bytes=0-0' }, cache: 'no-store', signal });
  const header = (name: string) => response.headers.get(name);
  const text = await response.text();
  if (response.status === 202) return { status: 'pending', progress: 0, message: '' };
  if (response.status !== 206) throw errorOf(response.status, header, text);
  if (PLAYLISTS.includes(header('Content-Type') ?? '')) return fetchStreamStatus(url, signal);
  return { status: 'completed', progress: 100, message: '', size: Number(header('Content-Range')?.split('/')[1]) };
}

const PLAYLISTS = ['application/vnd.apple.mpegurl', 'application/dash+xml'];

/** A playlist exists before its segments, and its own size is not that of the stream. */
async function fetchStreamStatus(url: string, signal: AbortSignal): Promise<Transcode> {
  const state = url.replace(/^t\//, 'video-status/');
  const { status, progress, message } = await call('getVideoStatus', state, { signal });
  if (status === 'pending' || status === 'running') return { status, progress, message };
  const { size } = await call('getVideoSize', `${state}/size`, { signal });
  return { status: 'completed', progress: 100, message: '', size };
}

async function fetchTranscodeStatus(url: string, signal: AbortSignal): Promise<Transcode> {
  const answer = await call('getVideoStatus', url.replace(/^t\//, 'video-status/'), { signal });
  const { status, progress, message, error } = answer;
  if (status === 'completed') return queueTranscode(url, signal);
  if (status === 'not_found') throw new ApiError(404, message);
  return { status, progress, message: error ?? message };
}

/**
 * Creates a signed URL.
 * @param expiresIn seconds; undefined for no expiry
 * @throws ApiError 500 without `API_SECRET`
 */
export const signUrl = (path: string, segment: string, expiresIn: number | undefined) =>
  call('signDeliveryUrl', 'delivery/sign', {
    method: 'POST',
    json: { path, ...(segment !== '' && { transformation: segment }), ...(expiresIn !== undefined && { expiresIn }) },
  });
