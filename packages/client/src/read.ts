import type { Options } from './options.ts';
import { PARAMETERS } from './parameters.ts';

const DOOR = '/t/';
const COUNTED = /^(width|height|quality)$/;

/** A file in the library, and its options. */
export interface Address {
  base: string;
  path: string;
  options: Options;
}

/**
 * Parses a URL written by `url`. A first name is recognised as a parameter by its key alone, so the URL of an original
 * in a folder such as `c_files` is misread.
 * @param base URL of the service; without it, anything may precede `/t/`
 * @returns undefined for other URLs, and for layers, presets and parameters without an option
 */
export function readUrl(address: string, base?: string): Address | undefined {
  const root = base?.replace(/\/$/, '') ?? address.slice(0, Math.max(0, address.indexOf(DOOR)));
  if (!address.startsWith(root + DOOR)) return undefined;
  const written = address.slice(root.length + DOOR.length).replace(/[?#].*/, '');
  const [first = '', ...rest] = written.split('/').map(decodeURIComponent);
  if (first.includes('~l_') || first.startsWith('l_') || first.startsWith('n_')) return undefined;
  const options = rest.length > 0 ? readOptions(first) : undefined;
  return { base: root, path: (options ? rest : [first, ...rest]).join('/'), options: options ?? {} };
}

/** @returns undefined for the name of a folder */
function readOptions(segment: string): Options | undefined {
  const read = segment.split(',').map(readPart);
  return read.every((entry) => entry !== undefined) ? (Object.fromEntries(read) as Options) : undefined;
}

function readPart(part: string): [name: string, value: unknown] | undefined {
  const all = Array.from(PARAMETERS.matchAll(/(\w+)([=?])(\S+)/g), ([, name = '', mark, key = '']) => ({
    name,
    mark,
    key,
  }));
  const alone = all.find(({ mark, key }) => mark === '?' && key.slice(0, -1) === part);
  if (alone) return [alone.name, true];
  // `t_` is no prefix match of `tt_`: a key includes its separator.
  const found = all.find(({ key }) => part.startsWith(key));
  const value = part.slice(found?.key.length);
  if (!found || value === '') return undefined;
  // Digits may be those of a colour: only options that frameworks compute with become numbers.
  return [found.name, COUNTED.test(found.name) && /^\d+$/.test(value) ? Number(value) : value];
}
