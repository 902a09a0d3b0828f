import { badRequest } from './errors.ts';
import { escapeJson } from './runtime/printable.ts';

/**
 * A path relative to the storage root: names joined by `/`, in Unicode NFC, without empty, `.` or `..` names.
 * The empty string is the root. Created only by the functions of this file.
 */
export type StoragePath = string & { readonly __storagePath: unique symbol };

export const ROOT = '' as StoragePath;

/** Limits of file systems and S3: 255 bytes for a name, 1,024 bytes for a key. */
const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 1024;

/** Longer texts are refused before any other work. A URL cannot be longer. */
export const MAX_TEXT_LENGTH = 16 * 1024;

/**
 * Decodes the path of a URL, percent-encoded as it arrived. Each segment is decoded once and fully.
 * @throws HttpProblem 400 for broken encoding, an encoded separator, NUL, `.` or `..`, or a name that is too long.
 */
export function parseUrlPath(raw: string): StoragePath {
  refuseLong(raw);
  return joinNames(raw.split('/').map(decodeSegment), raw);
}

/**
 * Parses a path in plain text (multipart field, JSON, query).
 * @throws HttpProblem 400 for a backslash, NUL, `.` or `..`, or a name that is too long.
 */
export function parsePath(text: string): StoragePath {
  refuseLong(text);
  return joinNames(text.split('/'), text);
}

/**
 * Decodes one segment of a URL's path, once and fully.
 * @throws HttpProblem 400 for broken encoding or an encoded separator
 */
export function decodeSegment(raw: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(raw);
  } catch (cause) {
    throw Object.assign(
      badRequest(`Expected percent-encoded UTF-8 in the path, received ${quote(raw)}.`, 'invalid_encoding'),
      { cause },
    );
  }
  if (decoded.includes('/'))
    throw badRequest(
      `Expected names encoded one by one with a plain "/" between them, received ${quote(raw)}.`,
      'invalid_encoding',
    );
  return decoded;
}

/** Path of a name inside a folder. @throws HttpProblem 400 when `name` is not a single name */
export function childPath(folder: StoragePath, name: string): StoragePath {
  if (name === '' || name.includes('/'))
    throw badRequest(`Expected a bare file name, received ${quote(name)}.`, 'invalid_name');
  return parsePath(folder === '' ? name : `${folder}/${name}`);
}

/**
 * Parses the path of a new file or folder, in plain text.
 * @throws HttpProblem 400 as `parsePath`, and for a name of spaces alone: existing files may have one, new ones not.
 */
export function parseNewPath(text: string): StoragePath {
  return parsePath(requireVisible(text));
}

/** Path of a new name inside a folder. @throws HttpProblem 400 as `childPath` and `parseNewPath` */
export function newChildPath(folder: StoragePath, name: string): StoragePath {
  return childPath(folder, requireVisible(name));
}

/** Encodes a path for a URL: each name with `encodeURIComponent`. */
export function encodePath(path: StoragePath): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

export function baseName(path: StoragePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function parentOf(path: StoragePath): StoragePath {
  const slash = path.lastIndexOf('/');
  return (slash < 0 ? '' : path.slice(0, slash)) as StoragePath;
}

/** Returns a path and the folders above it, the nearest first, without the root. */
export function withFoldersAbove(path: StoragePath): StoragePath[] {
  const paths: StoragePath[] = [];
  for (let one = path; one !== ROOT; one = parentOf(one)) paths.push(one);
  return paths;
}

/** Extension in lower case, without the dot; empty without one. A leading dot starts no extension. */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Splits a name into stem and extension, the dot with the extension: `a.b.jpg` gives `a.b` and `.jpg`. */
export function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? { stem: name, extension: '' } : { stem: name.slice(0, dot), extension: name.slice(dot) };
}

/** Name for an upload or a move when the name is taken: `photo.jpg` and 2 give `photo (2).jpg`. */
export function numberedName(name: string, n: number): string {
  return insertBeforeExtension(name, ` (${n})`);
}

/** Name of a copy: `photo.jpg` gives `photo copy.jpg`, then `photo copy (1).jpg`. */
export function copyName(name: string, n: number): string {
  return insertBeforeExtension(name, n === 0 ? ' copy' : ` copy (${n})`);
}

/**
 * Converts the file name that a client sent with an upload to a storage path below `folder`.
 * `\` is a separator; `#`, `?`, `%`, control characters and `.`/`..` segments are dropped; everything else stays.
 * @throws HttpProblem 400 when nothing is left, or nothing but spaces, or a name is too long.
 */
export function uploadPath(folder: StoragePath, name: string): StoragePath {
  refuseLong(name);
  const cleaned = requireVisible(cleanNames(name));
  if (cleaned === '') throw badRequest(`Expected a file name, received ${quote(name)}.`, 'invalid_name');
  return parsePath(folder === '' ? cleaned : `${folder}/${cleaned}`);
}

/**
 * Folder of an upload, cleaned like its names; the root when nothing is left. @throws HttpProblem 400 when too long or
 * blank
 */
export function uploadFolder(text: string): StoragePath {
  refuseLong(text);
  if (text !== '' && text.trim() === '')
    throw badRequest(`Expected a folder, received ${quote(text)}.`, 'invalid_name');
  return parseNewPath(cleanNames(text));
}

/** True when `path` is `folder` itself or lies inside it. */
export function isWithin(path: StoragePath, folder: StoragePath): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

/** True if one path is the other or lies inside it. */
export function areOnOneBranch(one: StoragePath, other: StoragePath): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

/** Quotes received text for a message, with control and invisible characters escaped, at most 100 characters. */
export function quote(text: string): string {
  return escapeJson(JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text));
}

function refuseLong(text: string): void {
  if (text.length <= MAX_TEXT_LENGTH) return;
  const message = `Expected a path of at most ${MAX_PATH_BYTES} bytes, received ${text.length} characters.`;
  throw badRequest(message, 'invalid_path');
}

/** Refuses names of spaces alone, which cannot be seen. Other spaces are part of a name. */
function requireVisible(names: string): string {
  refuseLong(names);
  for (const name of names.split('/')) {
    if (name !== '' && name.trim() === '') {
      throw badRequest(`Expected names of more than spaces, received ${quote(names)}.`, 'invalid_path');
    }
  }
  return names;
}

function cleanNames(text: string): string {
  return text
    .replaceAll('\\', '/')
    .replace(/[#?%\p{Cc}]/gu, '')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .join('/');
}

/** Inserts text and shortens the stem to the limit of file systems. A too long extension counts as part of the stem. */
function insertBeforeExtension(name: string, text: string): string {
  const { stem, extension } = splitName(name);
  const stemBytes = MAX_NAME_BYTES - Buffer.byteLength(text + extension);
  if (stemBytes > 0) return shorten(stem, stemBytes) + text + extension;
  return shorten(name, MAX_NAME_BYTES - Buffer.byteLength(text)) + text;
}

function shorten(text: string, maxBytes: number): string {
  const characters = Array.from(text);
  while (Buffer.byteLength(characters.join('')) > maxBytes) characters.pop();
  return characters.join('');
}

/**
 * Normalises a name, unless it stays too long: NFC shortens by two thirds at most, and takes quadratic time for many
 * marks.
 */
function toNfc(name: string): string {
  return Buffer.byteLength(name) > 3 * MAX_NAME_BYTES ? name : name.normalize('NFC');
}

function joinNames(segments: string[], received: string): StoragePath {
  const names = segments.filter((name) => name !== '').map(toNfc);
  for (const name of names) {
    if (name === '.' || name === '..' || name.includes('\\') || name.includes('\0')) {
      throw badRequest(`Expected names without "\\", NUL, "." and "..", received ${quote(received)}.`, 'invalid_path');
    }
    if (!name.isWellFormed()) {
      throw badRequest(`Expected names in Unicode, received ${quote(received)}.`, 'invalid_path');
    }
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) {
      const message = `Expected names of at most ${MAX_NAME_BYTES} bytes, received one of ${Buffer.byteLength(name)}.`;
      throw badRequest(message, 'invalid_path');
    }
  }
  const path = names.join('/');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) {
    const message = `Expected a path of at most ${MAX_PATH_BYTES} bytes, received ${Buffer.byteLength(path)}.`;
    throw badRequest(message, 'invalid_path');
  }
  return path as StoragePath;
}

/** Splits a search for paths at spaces and slashes. */
export function splitWords(search: string): string[] {
  return search.split(/[\s/]+/u).filter((word) => word !== '');
}
