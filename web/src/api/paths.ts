import { encodeSegment as encode } from '../../../packages/client/src/url.ts';

/** A storage path as it is written in a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** A transformation as it is written in a URL. It may be one that somebody is still typing. */
export const encodeSegment = (segment: string): string => encode(segment.toWellFormed());

/** What follows the root of the service in the URL of a variant; without a segment it is the original. */
export function variantPath(path: string, segment: string): string {
  return segment === '' ? `t/${encodePath(path)}` : `t/${encodeSegment(segment)}/${encodePath(path)}`;
}
