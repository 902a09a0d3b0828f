import type { Kind, Listing, StoredFile } from '../api/files.ts';
import type { IconName } from '../components/icons.ts';
import { messages } from '../messages/en.ts';
import { formatName } from '../messages/format-name.ts';

/** Item of the grid: a file or a folder. */
export type Entry = FolderEntry | FileEntry;

interface FolderEntry {
  kind: 'folder';
  name: string;
  path: string;
}

export interface FileEntry {
  kind: Kind;
  name: string;
  path: string;
  size: number;
  mtime: string;
  width: number | null;
  height: number | null;
  duration: number | null;
  placeholder: string | null;
  /** Why the content cannot be decoded. */
  problem: string | null;
  alt: string | null;
}

/** Items of a page, folders first. */
export function entriesOf({ folders, files }: Listing): Entry[] {
  return [...folders.map(({ name, path }): Entry => ({ kind: 'folder', name, path })), ...files.map(fileEntry)];
}

const fileEntry = ({ type, ...file }: StoredFile): FileEntry => ({ ...file, kind: type });

export const ICON_OF: Readonly<Record<Entry['kind'], IconName>> = {
  folder: 'folder',
  image: 'image',
  video: 'video',
  audio: 'audio',
  model: 'model',
  document: 'document',
};

/** Kind of an item as people call it: `JPEG`, `PSD`, `Folder`; without an extension `Image`. */
export function formatOf({ kind, name }: Entry): string {
  if (kind === 'folder') return messages.files.kind.folder;
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  if (dot <= 0 || !/^[a-z0-9]{1,6}$/i.test(extension)) return messages.files.kind[kind];
  return formatName(extension);
}

/** Characters that names of the service cannot have; `/` and `\` separate folders. */
const NOT_IN_NAMES = /[/\\#?%\p{Cc}]/gu;

/** Characters of a name that the service would drop, or take for folders. */
export const lostCharacters = (name: string): readonly string[] => [...new Set(name.match(NOT_IN_NAMES))];

/** Average colour of a ThumbHash as CSS, shown before the image loads. */
export function colourOf(placeholder: string | null): string | undefined {
  if (placeholder === null) return undefined;
  const [a = 0, b = 0, c = 0] = Array.from(atob(placeholder.slice(0, 4)), (letter) => letter.charCodeAt(0));
  const head = a | (b << 8) | (c << 16);
  const l = (head & 63) / 63;
  const p = ((head >> 6) & 63) / 31.5 - 1;
  const q = ((head >> 12) & 63) / 31.5 - 1;
  const blue = l - (2 / 3) * p;
  const red = (3 * l - blue + q) / 2;
  const parts = [red, red - q, blue].map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255));
  return `rgb(${parts.join(' ')})`;
}
