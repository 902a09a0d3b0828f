import { refuse } from '../refusal.ts';

/** Former or current URL of the files of a folder. */
export interface Place {
  /** Path of the folder; empty for all folders. */
  folder: string;
  /** http or https. */
  url: string;
}

interface Location {
  /** Scheme, host and port. */
  origin: string;
  /** Names in the path, decoded. */
  names: readonly string[];
  query: string;
}

/**
 * Without a user, and without a `\`, which others read as a slash. Hosts are short, and encoding one in other scripts
 * takes quadratic time.
 */
const FORM = /^(https?):\/{1,9}([^/?#\\@]{1,255})(\/[^?#\\]*)?(?:\?([^#]*))?(?:#.*)?$/is;

/**
 * Returns the path of the file at a URL below one of the sources; below several, the longest URL applies.
 * @param places the first one whose folder contains a path has its file
 * @throws Refused
 */
function pathOfUrl(url: string, places: readonly Place[]): string {
  const file = locate(url);
  if (!file) refuse(url, 'expected https://host/path without a user, with percent-encoded names other than . and ..');
  if (file.query !== '') refuse(url, 'a file of ORIGINS is known by its path alone, and this URL has a query');
  let longest: { place: Place; depth: number } | undefined;
  for (const place of places) {
    const root = locate(place.url);
    const depth = root?.names.length ?? 0;
    if (root && isBelow(file, root) && depth > (longest?.depth ?? -1)) longest = { place, depth };
  }
  if (!longest) refuse(url, 'it lies below none of the URLs in ORIGINS, and others are not fetched');
  const { folder } = longest.place;
  const path = [...(folder === '' ? [] : [folder]), ...file.names.slice(longest.depth)].join('/');
  const owner = places.find((place) => isWithin(path, place.folder));
  if (owner !== longest.place) refuse(url, 'the files of its folder come from another one of ORIGINS');
  return path;
}

/** True for descendants of `folder` at any depth, and for itself. */
function isWithin(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** @returns undefined if it is not the URL of a file */
function locate(url: string): Location | undefined {
  const [, scheme = '', host = '', path = '', query = ''] = FORM.exec(url) ?? [];
  const origin = URL.parse(`${scheme}://${host}`)?.origin;
  const names = path
    .split('/')
    .filter((name) => name !== '')
    .map(decodeName);
  const isWhole = (all: (string | undefined)[]): all is string[] => !all.includes(undefined);
  return origin !== undefined && isWhole(names) ? { origin, names, query } : undefined;
}

function decodeName(raw: string): string | undefined {
  try {
    const name = decodeURIComponent(raw);
    return name === '.' || name === '..' || name.includes('/') ? undefined : name;
  } catch {
    return undefined;
  }
}

function isBelow(file: Location, root: Location): boolean {
  const isInside = file.origin === root.origin && file.names.length > root.names.length;
  return isInside && root.names.every((name, at) => name === file.names[at]);
}

/**
 * Returns the path of a file from its source in imgproxy: `local:///a/b.jpg`, `s3://bucket/a/b.jpg` with any bucket, or
 * a URL below a source. Proxies may have merged slashes.
 * @throws Refused for other sources
 */
export function pathOfSource(source: string, places: readonly Place[]): string {
  const [, scheme = '', rest = ''] = /^(\w{1,20}):\/{1,9}(.*)$/s.exec(source) ?? [];
  if (scheme === 'local') return rest;
  const slash = rest.indexOf('/');
  if (scheme === 's3' && slash > 0) return rest.slice(slash + 1);
  if (/^https?$/i.test(scheme)) return pathOfUrl(source, places);
  return refuse(source, 'expected local:///path, s3://bucket/path or a URL below one of ORIGINS');
}
