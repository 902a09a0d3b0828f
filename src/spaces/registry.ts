import { isDeepStrictEqual } from 'node:util';
import { isWithin, ROOT, type StoragePath, withFoldersAbove } from '../path.ts';
import { foldPath, LIBRARY, type Space, type SpaceRules } from './space.ts';

/** All spaces of the installation, in memory: delivery and admission look them up for each request. */
export interface SpaceRegistry {
  /** Number of spaces, without the library. */
  readonly size: number;
  /** The spaces by id, without the library. */
  list(): readonly Space[];
  /** Returns the space with this id; undefined for the library's. */
  find(id: string): Space | undefined;
  /** Returns the library, which only has some of the rules. */
  library(): Space;
  /** Returns the space of a host name, in any case and with any port. */
  ofHost(host: string): Space | undefined;
  /** True if any space has a host of its own. */
  readonly hasHosts: boolean;
  /** Returns the space that an outer path lies in. */
  containing(path: StoragePath): Space | undefined;
  /** Returns a space whose folder is this one, or lies below it. */
  atOrBelow(folder: StoragePath): Space | undefined;
  /** Returns the spaces that these files and folders lie in or contain. */
  touching(paths: readonly StoragePath[]): readonly Space[];
  /** Replaces all spaces, which are sorted by id. One that has not changed stays the same object. */
  replace(spaces: readonly Space[]): void;
  /** Calls the listener after each replacement that changed something. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

const NO_RULES: SpaceRules = {};

const EMPTY_LIBRARY: Space = {
  id: LIBRARY,
  name: 'Library',
  folder: ROOT,
  isEnabled: true,
  hosts: [],
  rules: NO_RULES,
  secret: undefined,
  previousSecret: undefined,
  createdAt: undefined,
};

/** Port, or the dot of a fully qualified name, at the end of a host. */
const TAIL = /\.?(?::\d+)?$/;

export function createSpaceRegistry(): SpaceRegistry {
  let library = EMPTY_LIBRARY;
  let spaces: readonly Space[] = [];
  let byId = new Map<string, Space>();
  let byHost = new Map<string, Space>();
  let byFolder = new Map<StoragePath, Space>();
  const listeners = new Set<() => void>();
  /** The same space as it is known, if nothing of it has changed. */
  const known = (space: Space) => {
    const before = space.id === LIBRARY ? library : byId.get(space.id);
    return before && isDeepStrictEqual(before, space) ? before : space;
  };
  function containing(path: StoragePath): Space | undefined {
    if (byFolder.size === 0) return undefined;
    const folded = foldPath(path);
    for (let end = folded.length; end > 0; end = folded.lastIndexOf('/', end - 1)) {
      const space = byFolder.get(folded.slice(0, end) as StoragePath);
      if (space) return space;
    }
    return undefined;
  }

  return {
    get size() {
      return spaces.length;
    },
    get hasHosts() {
      return byHost.size > 0;
    },
    list: () => spaces,
    find: (id) => byId.get(id),
    library: () => library,
    ofHost: (host) => (byHost.size === 0 ? undefined : byHost.get(host.toLowerCase().replace(TAIL, ''))),
    containing,
    atOrBelow(folder) {
      const folded = foldPath(folder);
      for (const [own, space] of byFolder) if (isWithin(own, folded)) return space;
      return undefined;
    },
    touching(paths) {
      const folded = new Set(paths.map(foldPath));
      const found = new Set(paths.flatMap((path) => containing(path) ?? []));
      // Ten thousand paths and as many spaces: the ancestors of each space are looked up.
      for (const [own, space] of byFolder)
        if ([...withFoldersAbove(own), ROOT].some((folder) => folded.has(folder))) found.add(space);
      return [...found];
    },
    replace(all) {
      const read = all.map(known);
      const newLibrary = read.find(({ id }) => id === LIBRARY) ?? EMPTY_LIBRARY;
      const others = read.filter(({ id }) => id !== LIBRARY);
      const isSame = others.length === spaces.length && others.every((space, n) => space === spaces[n]);
      if (newLibrary === library && isSame) return;
      library = newLibrary;
      spaces = others;
      byId = new Map(spaces.map((space) => [space.id, space]));
      byHost = new Map(spaces.flatMap((space) => space.hosts.map((host) => [host, space] as const)));
      byFolder = new Map(spaces.map((space) => [foldPath(space.folder), space]));
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
