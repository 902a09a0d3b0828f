import fc from 'fast-check';

/** The expected library: the marker of each file by its path, and the folders. */
export interface Model {
  files: Map<string, string>;
  folders: Set<string>;
}

export const NAMES = ['a.png', 'b.png', 'é, "q".png'];
const FOLDERS = ['', 'f', 'f/g', 'h x', 'h x/f'];

const file = fc
  .tuple(fc.constantFrom(...FOLDERS), fc.constantFrom(...NAMES))
  .map(([folder, name]) => join(folder, name));
const folder = fc.constantFrom(...FOLDERS);
const path = fc.oneof({ weight: 3, arbitrary: file }, { weight: 1, arbitrary: folder.filter((one) => one !== '') });

export const command = fc.oneof(
  fc.record({ type: fc.constant('upload' as const), path: file }),
  fc.record({ type: fc.constant('createfolder' as const), path: folder }),
  fc.record({ type: fc.constant('rename' as const), path, name: fc.constantFrom(...NAMES, 'f', 'g', 'z') }),
  fc.record({ type: fc.constant('move' as const), path, destination: folder }),
  fc.record({ type: fc.constant('copy' as const), path, destination: folder }),
  fc.record({ type: fc.constant('delete' as const), path, recursive: fc.boolean() }),
);
export type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}/${name}`;
}
export const parentOf = (one: string) => one.split('/').slice(0, -1).join('/');
export const nameOf = (one: string) => one.split('/').at(-1) ?? '';
const isIn = (one: string, parent: string) => one === parent || one.startsWith(`${parent}/`);

/** The part of a response that the model predicts. */
export interface Outcome {
  status: number;
  path: string | undefined;
}

/** Applies the command to the model; returns the expected status and path of the response. */
export function apply(model: Model, one: Command, mark: string): Outcome {
  const { files, folders } = model;
  const exists = (where: string) => files.has(where) || folders.has(where) || where === '';
  const isBlocked = (where: string) => where !== '' && [...files.keys()].some((name) => isIn(where, name));
  const addFolder = (where: string) => {
    for (let name = where; name !== ''; name = parentOf(name)) folders.add(name);
  };
  const firstFree = (candidates: Iterable<string>) => {
    for (const candidate of candidates) if (!exists(candidate)) return candidate;
    throw new Error('no free name');
  };
  const relocate = (from: string, to: string) => {
    addFolder(parentOf(to));
    for (const [name, content] of [...files].filter(([name]) => isIn(name, from))) {
      files.delete(name);
      files.set(to + name.slice(from.length), content);
    }
    for (const name of [...folders].filter((each) => isIn(each, from))) {
      folders.delete(name);
      folders.add(to + name.slice(from.length));
    }
    return { status: 200, path: to };
  };
  const none = (status: number): Outcome => ({ status, path: undefined });

  if (one.type === 'upload') {
    if (isBlocked(parentOf(one.path))) return none(400);
    const to = firstFree(numbered(one.path, true));
    addFolder(parentOf(to));
    files.set(to, mark);
    return { status: 200, path: to };
  }
  if (one.type === 'createfolder') {
    if (one.path === '') return none(400);
    if (exists(one.path) || isBlocked(one.path)) return none(409);
    addFolder(one.path);
    return none(201);
  }
  if (one.type === 'copy') {
    const destination = one.destination || parentOf(one.path);
    if (isBlocked(destination)) return none(files.has(one.path) ? 400 : 404);
    const content = files.get(one.path);
    if (content === undefined) return none(404);
    const to = firstFree(copies(join(destination, nameOf(one.path))));
    addFolder(parentOf(to));
    files.set(to, content);
    return { status: 200, path: to };
  }
  if (!exists(one.path)) return none(404);
  const isFile = files.has(one.path);
  if (one.type === 'rename') {
    const to = join(parentOf(one.path), one.name);
    if (to === one.path) return { status: 200, path: to };
    return exists(to) ? none(409) : relocate(one.path, to);
  }
  if (one.type === 'move') {
    if (parentOf(one.path) === one.destination || isBlocked(one.destination)) return none(400);
    if (!isFile && isIn(one.destination, one.path)) return none(400);
    return relocate(one.path, firstFree(numbered(join(one.destination, nameOf(one.path)), isFile)));
  }
  if (!isFile && !one.recursive) return none(400);
  for (const name of [...files.keys()]) if (isIn(name, one.path)) files.delete(name);
  for (const name of [...folders]) if (isIn(name, one.path)) folders.delete(name);
  return none(200);
}

function* numbered(where: string, isFile: boolean): Generator<string> {
  yield where;
  for (let n = 1; ; n++) yield insert(where, ` (${n})`, isFile);
}

function* copies(where: string): Generator<string> {
  yield where;
  yield insert(where, ' copy', true);
  for (let n = 1; ; n++) yield insert(where, ` copy (${n})`, true);
}

function insert(where: string, text: string, isFile: boolean): string {
  const dot = where.lastIndexOf('.');
  return isFile && dot > where.lastIndexOf('/') + 1 ? where.slice(0, dot) + text + where.slice(dot) : where + text;
}
