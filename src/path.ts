import { badRequest } from './errors.ts';
import { escapeJson } from './runtime/printable.ts';

/**
 * A path relative to the storage root: names joined by `/`, in Unicode NFC, without empty, `.` or `..` names.
 * The empty text is the root itself. Only the functions of this file make one.
 */
export type StoragePath = string & { readonly __storagePath: unique symbol };

export const ROOT = '' as StoragePath;

/** File systems and S3 both stop here: 255 bytes for a name, 1,024 bytes for a whole key. */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 1024;

/** What a URL can hold. A longer text is refused before anything is done with it. */
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
 * Reads a path that came as plain text (form field, JSON, query).
 * @throws HttpProblem 400 for a backslash, NUL, `.` or `..`, or a name that is too long.
 */
export function parsePath(text: string): StoragePath {
  refuseLong(text);
  return joinNames(text.split('/'), text);
}

/**
 * One segment of a URL's path, decoded once and fully.
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

/** The path of a name inside a folder; the name has to be one name, not a path. */
export function childPath(folder: StoragePath, name: string): StoragePath {
  if (name === '' || name.includes('/'))
    throw badRequest(`Expected a bare file name, received ${quote(name)}.`, 'invalid_name');
  return parsePath(folder === '' ? name : `${folder}/${name}`);
}

/**
 * A path, given as plain text, at which something is to be made.
 * @throws HttpProblem 400 as `parsePath`, and for a name of spaces alone: such names can be there, but we make none.
 */
export function parseNewPath(text: string): StoragePath {
  return parsePath(requireVisible(text));
}

/** The path of a name that something in a folder is to get. @throws HttpProblem 400 as `childPath` and `parseNewPath` */
export function newChildPath(folder: StoragePath, name: string): StoragePath {
  return childPath(folder, requireVisible(name));
}

/** The path for use in a URL: every name as `encodeURIComponent` writes it. */
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

/** The extension in lower case, without the dot; empty when there is none (a leading dot starts no extension). */
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

/** `photo.jpg` and 2 give `photo (2).jpg`: how an upload or a move avoids a name that is taken. */
export function numberedName(name: string, n: number): string {
  return insertBeforeExtension(name, ` (${n})`);
}

/** `photo.jpg` gives `photo copy.jpg`, then `photo copy (1).jpg`: how a copy is named. */
export function copyName(name: string, n: number): string {
  return insertBeforeExtension(name, n === 0 ? ' copy' : ` copy (${n})`);
}

/**
 * Turns the file name that a client sent with an upload into a storage path below `folder`.
 * `\` is a separator; `#`, `?`, `%`, control characters and `.`/`..` segments are dropped; everything else is kept.
 * @throws HttpProblem 400 when nothing is left, or nothing but spaces, or a name is too long.
 */
export function uploadPath(folder: StoragePath, name: string): StoragePath {
  refuseLong(name);
  const cleaned = requireVisible(cleanNames(name));
  if (cleaned === '') throw badRequest(`Expected a file name, received ${quote(name)}.`, 'invalid_name');
  return parsePath(folder === '' ? cleaned : `${folder}/${cleaned}`);
}

/** The folder of an upload, cleaned like its names; the root when nothing is left. @throws HttpProblem 400 when too long or blank */
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

/** A received text for use in a message: quoted, control and invisible characters escaped, at most 100 characters. */
export function quote(text: string): string {
  return escapeJson(JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text));
}

function refuseLong(text: string): void {
  if (text.length <= MAX_TEXT_LENGTH) return;
  const message = `Expected a path of at most ${MAX_PATH_BYTES} bytes, received ${text.length} characters.`;
  throw badRequest(message, 'invalid_path');
}

/** Spaces around and inside a name are part of it; a name that nobody sees helps nobody. */
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

/** Shortens the stem so that the name stays within what a file system can hold. An extension that leaves no room is none. */
function insertBeforeExtension(name: string, text: string): string {
  const { stem, extension } = splitName(name);
  const room = MAX_NAME_BYTES - Buffer.byteLength(text + extension);
  if (room > 0) return shorten(stem, room) + text + extension;
  return shorten(name, MAX_NAME_BYTES - Buffer.byteLength(text)) + text;
}

function shorten(text: string, maxBytes: number): string {
  const characters = Array.from(text);
  while (Buffer.byteLength(characters.join('')) > maxBytes) characters.pop();
  return characters.join('');
}

/** NFC makes a text shorter by two thirds at most. What stays too long is left alone: to order its marks takes quadratic time. */
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
