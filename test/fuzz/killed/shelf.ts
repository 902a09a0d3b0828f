/** Contents and metadata of a path. */
export interface Stored {
  /** SHA-256 of the bytes. */
  digest: string;
  size: number;
  alt: string | null;
  tags: readonly string[];
}

/** The acknowledged state of one visitor. */
export interface Shelf {
  files: ReadonlyMap<string, Stored>;
  /** Contents of the trash, by former path. */
  trash: ReadonlyMap<string, ReadonlyMap<string, Stored>>;
  /** Number of retained versions, by path. */
  versions: ReadonlyMap<string, number>;
}

/** A change with an unknown outcome. */
export interface Doubt {
  what: string;
  after: Shelf;
  /** True if the change is meant to delete files or bytes permanently. */
  isFinal: boolean;
}

export const EMPTY: Shelf = { files: new Map(), trash: new Map(), versions: new Map() };

const same = (one: Stored | undefined, other: Stored | undefined) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Compares the actual state with the acknowledged one.
 * @param there the files, and the paths in the trash
 * @returns one line for each broken promise
 */
export function brokenPromises(
  shelf: Shelf,
  doubt: Doubt | undefined,
  there: { files: ReadonlyMap<string, Stored>; trash: ReadonlySet<string> },
): string[] {
  const { after } = doubt ?? { after: shelf };
  const told = `after ${doubt?.what ?? 'no doubt'}`;
  const problems: string[] = [];
  for (const [path, found] of there.files)
    if (!same(found, shelf.files.get(path)) && !same(found, after.files.get(path)))
      problems.push(`${path} is ${JSON.stringify(found)}, not ${JSON.stringify(shelf.files.get(path))}, ${told}`);
  for (const path of shelf.files.keys())
    if (after.files.has(path) && !there.files.has(path)) problems.push(`${path} is not listed, ${told}`);
  for (const path of there.trash)
    if (!shelf.trash.has(path) && !after.trash.has(path)) problems.push(`${path} is in the trash, ${told}`);
  for (const path of shelf.trash.keys())
    if (after.trash.has(path) && !there.trash.has(path)) problems.push(`${path} is not in the trash, ${told}`);
  if (doubt && !doubt.isFinal) problems.push(...lostFiles(shelf, doubt, there));
  return problems;
}

/** Lists missing files: wherever a change stopped, each file is at its source or its destination. */
function lostFiles(
  { files, trash }: Shelf,
  { what, after }: Doubt,
  there: { files: ReadonlyMap<string, Stored>; trash: ReadonlySet<string> },
): string[] {
  const kept = new Set([...there.files.values()].map(({ digest }) => digest));
  for (const path of there.trash)
    for (const { digest } of (trash.get(path) ?? after.trash.get(path) ?? new Map<string, Stored>()).values())
      kept.add(digest);
  const before = [...files, ...[...trash.values()].flatMap((item) => [...item])];
  return before
    .filter(([, { digest }]) => !kept.has(digest))
    .map(([path]) => `${path} is neither where it was nor where it was to go, after ${what}`);
}

/** Returns the state after a doubt is resolved: the one found there. */
export function settled(
  shelf: Shelf,
  doubt: Doubt | undefined,
  there: { files: ReadonlyMap<string, Stored>; trash: ReadonlySet<string> },
): Shelf {
  const trash = new Map(
    [...there.trash].map((path) => [path, shelf.trash.get(path) ?? doubt?.after.trash.get(path) ?? new Map()]),
  );
  const versions = new Map<string, number>();
  for (const path of there.files.keys()) {
    const counts = [shelf.versions.get(path) ?? 0, doubt?.after.versions.get(path) ?? 0];
    versions.set(path, doubt ? Math.min(...counts) : (counts[0] ?? 0));
  }
  return { files: there.files, trash, versions };
}
