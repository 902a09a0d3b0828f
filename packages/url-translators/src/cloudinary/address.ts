import { refuse } from '../refusal.ts';
import type { Resource, Word } from './draft.ts';

/** Parts of a Cloudinary URL. */
export interface Address {
  cloud: string | undefined;
  resource: Resource;
  components: Word[][];
  /** Decoded. */
  path: string;
}

const RESOURCES: readonly string[] = ['image', 'video', 'raw'];
/** All keys of the transformation reference. */
const KEYS = new Set(
  'a ac af ar b bl bo br c co cs d dl dn dpr du e eo f fl fn fps g h if ki l o p pg q r so sp t u vc vs w x y z'.split(
    ' ',
  ),
);
const VERSION = /^v\d{1,12}$/;
const SIGNATURE = /^s--[\w-]{1,64}--$/;

/**
 * Splits a delivery URL, complete or from its path on.
 * @throws Refused for other URLs, and for files that Cloudinary has fetched or generated
 */
export function readAddress(url: string): Address {
  const [written = ''] = url.split(/[?#]/, 1);
  const names = withoutHost(written)
    .split('/')
    .flatMap(decodeNames)
    .filter((name) => name !== '');
  const { cloud, resource, rest } = startOf(names, url);
  const signed = SIGNATURE.test(rest[0] ?? '') ? rest.slice(1) : rest;
  const version = signed.findIndex((name, n) => VERSION.test(name) && n < signed.length - 1);
  let end = 0;
  while (end < signed.length - 1 && isComponent(signed[end] as string, end < version)) end++;
  const path = signed.slice(version === end ? end + 1 : end);
  if (path.length === 0) refuse(url, 'there is no name of a file in it');
  return { cloud, resource, components: signed.slice(0, end).map(readComponent), path: path.join('/') };
}

function withoutHost(url: string): string {
  const start = url.indexOf('//');
  const isWhole = start === 0 || url.startsWith('http://') || url.startsWith('https://');
  if (!isWhole) return url;
  const slash = url.indexOf('/', start + 2);
  return slash < 0 ? '' : url.slice(slash);
}

function startOf(names: readonly string[], url: string) {
  // Custom hosts have no cloud name in the path.
  for (const [at, name] of names.slice(0, 2).entries()) {
    const cloud = at === 1 ? names[0] : undefined;
    if (name === 'iu') return { cloud, resource: 'image' as const, rest: names.slice(at + 1) };
    const type = names[at + 1];
    if (!RESOURCES.includes(name) || type === undefined) continue;
    if (type !== 'upload') refuse(`${name}/${type}`, 'only files that were uploaded can be moved');
    return { cloud, resource: name as Resource, rest: names.slice(at + 2) };
  }
  return refuse(url, 'expected a path as /demo/image/upload/w_300/name.jpg');
}

/** Decodes a name; an encoded slash separates names. */
function decodeNames(name: string): string[] {
  try {
    return decodeURIComponent(name).split('/');
  } catch {
    return refuse(name, 'its percent-encoding is broken');
  }
}

/**
 * True if a segment is a component of the transformation. With unknown keys only it is a folder name, unless it looks
 * like a component and precedes a version, because only folders follow a version.
 */
function isComponent(segment: string, isBeforeVersion: boolean): boolean {
  const words = segment.split(',').map((text) => readWord(text));
  if (words.some(({ key, value }) => key.startsWith('$') || (KEYS.has(key) && value !== ''))) return true;
  return isBeforeVersion && words.every(({ key, value }) => /^[a-z]{1,3}$/.test(key) && value !== '');
}

function readComponent(segment: string): Word[] {
  return segment
    .split(',')
    .filter((text) => text !== '')
    .map(readWord);
}

function readWord(text: string): Word {
  const end = text.indexOf('_');
  return end < 0 ? { key: text, value: '', text } : { key: text.slice(0, end), value: text.slice(end + 1), text };
}
