import { apply, type Model, nameOf, type Outcome, parentOf } from './library-model.ts';

/** What the library should be, and where previous URLs should lead. Files and folders are known by identities. */
export interface Reference {
  model: Model;
  /** Identity of each folder by its path; that of a file is its marker. */
  folderIds: Map<string, string>;
  aliases: Map<string, Alias>;
  trash: TrashedItem[];
}

interface Alias {
  /** Identity of the target. */
  target: string;
  isFolder: boolean;
}

interface TrashedItem {
  path: string;
  isFolder: boolean;
  files: Map<string, string>;
  folderIds: Map<string, string>;
}

export type Change =
  | { type: 'upload'; path: string }
  | { type: 'rename'; path: string; name: string; redirect: boolean }
  | { type: 'move'; path: string; destination: string; redirect: boolean }
  | { type: 'delete'; path: string; recursive: true }
  | { type: 'trash'; path: string }
  | { type: 'restore' }
  | { type: 'redirect'; from: string; to: string }
  | { type: 'forget'; from: string };

export const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);
const isImage = (path: string) => path.endsWith('.png');

export function emptyReference(): Reference {
  return { model: { files: new Map(), folders: new Set() }, folderIds: new Map(), aliases: new Map(), trash: [] };
}

/** Applies a change; returns the expected status and path of the answer. */
export function applyChange(reference: Reference, change: Change, mark: string): Outcome {
  const { model, trash } = reference;
  switch (change.type) {
    case 'upload':
      return named(reference, apply(model, change, mark), mark);
    case 'rename':
    case 'move':
      return relocate(reference, change, mark);
    case 'delete': {
      const outcome = apply(model, change, mark);
      if (outcome.status === 200) forgetGone(reference);
      return outcome;
    }
    case 'trash': {
      const item = contentOf(reference, change.path);
      const outcome = apply(model, { ...change, type: 'delete', recursive: true }, mark);
      if (outcome.status === 200) {
        trash.push(item);
        for (const path of item.folderIds.keys()) reference.folderIds.delete(path);
      }
      return outcome;
    }
    case 'restore':
      return restore(reference, mark);
    case 'redirect':
      return redirect(reference, change);
    case 'forget':
      return { status: reference.aliases.delete(change.from) ? 200 : 404, path: undefined };
  }
}

/** Path of the file that a URL delivers; undefined for a 404. */
export function resolve(reference: Reference, path: string): string | undefined {
  const { files } = reference.model;
  if (files.has(path)) return path;
  const { end, isTrashed } = endOf(reference, path);
  return end !== undefined && !isTrashed && files.has(end) && isImage(end) === isImage(path) ? end : undefined;
}

/** Where the nearest redirect of a missing path leads now; the previous path of something in the trash. */
function endOf(reference: Reference, path: string): { end?: string; isTrashed?: boolean } {
  const nearest = [...reference.aliases]
    .filter(([from, { isFolder }]) => from === path || (isFolder && isIn(path, from)))
    .sort(([one], [other]) => other.length - one.length)[0];
  if (!nearest) return {};
  const [from, { target }] = nearest;
  const rest = path.slice(from.length);
  const present = pathOf(reference, target);
  if (present !== undefined) return { end: present + rest, isTrashed: false };
  const items = reference.trash.flatMap((item) => [...item.files, ...item.folderIds]);
  const previous = items.find(([, identity]) => identity === target)?.[0];
  return previous === undefined ? {} : { end: previous + rest, isTrashed: true };
}

function pathOf({ model, folderIds }: Reference, identity: string): string | undefined {
  return [...model.files, ...folderIds].find(([, known]) => known === identity)?.[0];
}

function contentOf({ model, folderIds }: Reference, path: string): TrashedItem {
  const inside = (entries: Map<string, string>) => new Map([...entries].filter(([name]) => isIn(name, path)));
  return { path, isFolder: !model.files.has(path), files: inside(model.files), folderIds: inside(folderIds) };
}

/** Names new folders. */
function named(reference: Reference, outcome: Outcome, mark: string): Outcome {
  for (const folder of reference.model.folders)
    if (!reference.folderIds.has(folder)) reference.folderIds.set(folder, `folder ${folder} of ${mark}`);
  return outcome;
}

function relocate(reference: Reference, change: Extract<Change, { type: 'rename' | 'move' }>, mark: string): Outcome {
  const { model, folderIds } = reference;
  const { path } = change;
  const identity = model.files.get(path) ?? folderIds.get(path);
  const isFolder = !model.files.has(path);
  const exists = isFolder ? model.folders.has(path) : true;
  const isOtherKind = change.type === 'rename' && !isFolder && isImage(change.name) !== isImage(path);
  if (exists && isOtherKind && change.redirect) return { status: 400, path: undefined };
  const before = new Map(folderIds);
  const outcome = apply(model, change, mark);
  const { status, path: to = path } = outcome;
  if (status !== 200 || to === path) return outcome;
  for (const [folder, id] of before) {
    if (!isIn(folder, path)) continue;
    folderIds.delete(folder);
    folderIds.set(to + folder.slice(path.length), id);
  }
  named(reference, outcome, mark);
  // Before the others follow: it leads there, and must not be followed as one of the moved folder.
  if (change.redirect && identity !== undefined) addAlias(reference, path, { target: identity, isFolder }, before);
  endLoops(reference);
  return outcome;
}

function restore(reference: Reference, mark: string): Outcome {
  const { model, folderIds, trash } = reference;
  const item = trash.at(-1);
  if (!item) return { status: 404, path: undefined };
  const isTaken = (path: string) => model.files.has(path) || model.folders.has(path);
  for (let folder = parentOf(item.path); folder !== ''; folder = parentOf(folder))
    if (model.files.has(folder)) return { status: 400, path: undefined };
  let to = item.path;
  for (let n = 1; isTaken(to); n++)
    to = item.isFolder ? `${item.path} (${n})` : item.path.replace(/(\.\w+)?$/, ` (${n})$1`);
  trash.pop();
  for (const [path, content] of item.files) model.files.set(to + path.slice(item.path.length), content);
  for (const [path, id] of item.folderIds) {
    const folder = to + path.slice(item.path.length);
    model.folders.add(folder);
    folderIds.set(folder, id);
  }
  for (let folder = parentOf(to); folder !== ''; folder = parentOf(folder)) model.folders.add(folder);
  named(reference, { status: 200, path: to }, mark);
  endLoops(reference);
  return { status: 200, path: to };
}

function redirect(reference: Reference, { from, to }: Extract<Change, { type: 'redirect' }>): Outcome {
  const { model, folderIds } = reference;
  const none = (status: number): Outcome => ({ status, path: undefined });
  if (isIn(to, from) || model.files.has(from)) return none(409);
  const isThere = (path: string) => model.files.has(path) || model.folders.has(path);
  const { end, isTrashed = false } = isThere(to) ? { end: to } : endOf(reference, to);
  if (end === undefined) return none(404);
  if (isIn(end, from)) return none(409);
  if (isTrashed) return none(404);
  const target = model.files.get(end) ?? folderIds.get(end);
  if (target === undefined) return none(404);
  const isFolder = !model.files.has(end);
  if (!isFolder && isImage(end) !== isImage(from)) return none(400);
  addAlias(reference, from, { target, isFolder }, folderIds);
  return none(201);
}

/** A redirect of a folder above leads to the previous path, too. @param folderIds those before the change */
function addAlias(reference: Reference, from: string, alias: Alias, folderIds: ReadonlyMap<string, string>): void {
  const { aliases } = reference;
  const end = pathOf(reference, alias.target);
  const pathBefore = (identity: string) => [...folderIds].find(([, id]) => id === identity)?.[0];
  aliases.delete(from);
  const others = [...aliases];
  const nearestOf = (path: string) =>
    others
      .filter(([folder, { isFolder }]) => isFolder && isIn(path, folder))
      .sort(([one], [two]) => two.length - one.length)[0]?.[0];
  for (const [other, { target, isFolder }] of others) {
    const folder = isFolder ? pathBefore(target) : undefined;
    if (folder === undefined || folder === from || !isIn(from, folder)) continue;
    const below = other + from.slice(folder.length);
    if (below !== end && !aliases.has(below) && nearestOf(below) === other) aliases.set(below, alias);
  }
  aliases.set(from, alias);
}

function endLoops(reference: Reference): void {
  for (const [from, { target }] of [...reference.aliases])
    if (pathOf(reference, target) === from) reference.aliases.delete(from);
}

/** Ends the redirects to what was deleted. */
function forgetGone(reference: Reference): void {
  const { model, folderIds, aliases, trash } = reference;
  for (const folder of [...folderIds.keys()]) if (!model.folders.has(folder)) folderIds.delete(folder);
  const items = trash.flatMap((item) => [...item.files.values(), ...item.folderIds.values()]);
  const left = new Set([...model.files.values(), ...folderIds.values(), ...items]);
  for (const [from, { target }] of [...aliases]) if (!left.has(target)) aliases.delete(from);
}

/** Paths whose URLs are worth a look. */
export function pathsOfInterest({ model, aliases }: Reference, names: readonly string[]): string[] {
  const below = [...aliases].flatMap(([from, { isFolder }]) =>
    isFolder ? names.map((name) => `${from}/${name}`) : [],
  );
  const found = new Set([...model.files.keys(), ...aliases.keys(), ...below]);
  return [...found].filter((path) => names.some((name) => nameOf(path) === name) || aliases.has(path));
}
