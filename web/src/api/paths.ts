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
