import { encodeSegment as encode } from '../../../packages/client/src/url.ts';

/** Encodes a storage path for a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Encodes a transformation for a URL. It may be incomplete while it is typed. */
export const encodeSegment = (segment: string): string => encode(segment.toWellFormed());

/** Path of a variant below the root of the service; of the original without a segment. */
export function variantPath(path: string, segment: string): string {
  return segment === '' ? `t/${encodePath(path)}` : `t/${encodeSegment(segment)}/${encodePath(path)}`;
}

/** Parent folder of a path; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** A folder and those above it, from the top, without the root. */
export function withAncestors(folder: string): string[] {
  const names = folder === '' ? [] : folder.split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

/** True for a path, and for what is below it. */
export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
