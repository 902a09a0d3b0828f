/** A storage path as it is written in a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** What follows the root of the service in the URL of a variant; without a segment it is the original. */
export function variantPath(path: string, segment: string): string {
  const written = encodeURIComponent(segment).replaceAll('%2C', ',').replaceAll('%3A', ':');
  return segment === '' ? `t/${encodePath(path)}` : `t/${written}/${encodePath(path)}`;
}
