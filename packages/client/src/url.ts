import type { Layer, Options } from './options.ts';
import { LAYER_PARAMETERS, PARAMETERS } from './parameters.ts';

/** Separates layers from each other and from the text before them. */
const LAYER = '~l_';
const TEXT = 'text:';
/** Escapes the first letter of a path that would read like a text layer. */
const ESCAPED_TEXT = '%74ext:';

/**
 * Returns the URL of a file, or of a transformation of it.
 * @param path of the file in the library: `products/shoe.jpg`, not encoded
 * @param options the transformation, or its text as in a URL, not encoded (`w_400`, `n_thumb`). Without it: the
 * original
 * @param base URL of the service: `https://media.example.com`. Without it the result begins with `/t/`
 * @throws TypeError for unknown options, values that no option has, and paths that no file has
 */
export function url(path: string, options: Options | string = '', base = ''): string {
  return place(base, 't', encodeSegment(transformation(options)), path);
}

/**
 * Returns the text of a transformation, not encoded: `w_400,h_300`. Equal options give equal texts, in any order.
 * @throws TypeError as `url`
 */
export function transformation(options: Options | string): string {
  if (typeof options === 'string') return options;
  const { layers = [], ...others } = options;
  const written = partsOf(others, PARAMETERS) + layers.map(layerOf).join('');
  return written.startsWith(LAYER) ? written.slice(1) : written;
}

/** Encodes a transformation for a URL, leaving commas and colons readable. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** Encodes a path for a URL, name by name. @throws TypeError for a path that no file has */
export function encodePath(path: string): string {
  const names = `${path}`.replace(/^\//, '').split('/');
  if (names.some((name) => /^\.{0,2}$/.test(name))) fail('path', 'the path of a file, such as photos/cat.jpg', path);
  return names.map(encodeURIComponent).join('/');
}

/** Joins base, encoded transformation and path. */
export function place(base: string, door: string, segment: string, path: string): string {
  return `${base.replace(/\/$/, '')}/${door}/${segment && `${segment}/`}${encodePath(path)}`;
}

/** Writes the source of a layer after `l_`: a path with `:` between its names, or `text:` and a text. */
export function writeSource({ picture, text }: { picture?: string | undefined; text?: string | undefined }): string {
  if (typeof text === 'string') return TEXT + encodeName(text);
  const written = `${picture}`.replace(/^\//, '').split('/').map(encodeName).join(':');
  return written.startsWith(TEXT) ? ESCAPED_TEXT + written.slice(TEXT.length) : written;
}

/** Names and texts are encoded twice, so that they may contain characters of the language. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('~', '%7E');
}

function layerOf({ picture, text, ...options }: Layer): string {
  if (!(picture || text) || (picture && text)) fail('layers', 'a picture or a text in each of them', picture ?? text);
  const parts = partsOf(options, LAYER_PARAMETERS);
  return `${LAYER}${writeSource({ picture, text })}${parts && `,${parts}`}`;
}

/** Lists the parts of a transformation or layer in the order of their declarations. */
function partsOf(options: object, declared: string): string {
  const parameters = new Map<string, unknown>(Object.entries(options));
  const parts: string[] = [];
  for (const [, name = '', mark, key = ''] of declared.matchAll(/(\w+)([=?])(\S+)/g)) {
    const value = parameters.get(name);
    parameters.delete(name);
    if (value === undefined || value === null) continue;
    // A parameter that can stand alone is a flag.
    if (mark === '?' && typeof value === 'boolean') parts.push(...(value ? [key.slice(0, -1)] : []));
    else parts.push(key + textOf(name, value));
  }
  for (const [name, value] of parameters) if (value !== undefined) fail(name, 'an option that exists', name);
  return parts.join(',');
}

function textOf(name: string, value: unknown): string {
  // The language reads no more decimals.
  if (typeof value === 'number' && Number.isFinite(value)) return `${Number(value.toFixed(4))}`;
  if (typeof value === 'boolean' || (typeof value === 'string' && /^[^,~/#]+$/.test(value))) return `${value}`;
  return fail(name, 'a number, true, false, or a text without , ~ / #', value);
}

export function fail(name: string, expected: string, received: unknown): never {
  const shown = typeof received === 'string' ? JSON.stringify(received) : String(received);
  throw new TypeError(`"${name}": expected ${expected}, received ${shown}.`);
}
