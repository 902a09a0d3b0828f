/** A storage path as it is written in a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** A transformation as it is written in a URL: commas and colons may stand there. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** What follows the root of the service in the URL of a variant; without a segment it is the original. */
export function variantPath(path: string, segment: string): string {
  return segment === '' ? `t/${encodePath(path)}` : `t/${encodeSegment(segment)}/${encodePath(path)}`;
}
