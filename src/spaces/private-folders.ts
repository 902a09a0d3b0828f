import { conflict } from '../errors.ts';
import { isWithin, ROOT, type StoragePath } from '../path.ts';
import { foldPath, LIBRARY, MAX_PRIVATE_FOLDERS, type Space } from './space.ts';

/** A file or folder that gets another path of the library. */
export interface Move {
  from: StoragePath;
  to: StoragePath;
  isFolder: boolean;
}

/** The private folders of spaces, and of the library, by their ids. */
export type PrivateFolders = ReadonlyMap<string, readonly StoragePath[]>;

/** A private folder with the space, or the library, that names it. */
interface Rule {
  owner: Space;
  /** Path of the library. */
  path: StoragePath;
}

/**
 * Returns the private folders of those spaces whose rules have to change for a move. What was private stays so: a rule
 * at or below the moved path goes along, and a folder that leaves a private one gets a rule of its own.
 * @param spaces all of them, and the library
 * @param stays true for a rule that also stays where it is
 */
export function withMove(spaces: readonly Space[], move: Move, stays: (path: StoragePath) => boolean): PrivateFolders {
  const rules = rulesOf(spaces);
  const isFreed = (rule: Rule) => isCarried(rule, move) && !stays(rule.path);
  const kept = rules.filter((rule) => !isFreed(rule));
  const added = rules.filter((rule) => isCarried(rule, move)).map((rule) => movedRule(rule, move, spaces));
  const around = rules.find((rule) => isAround(rule, move));
  if (around && ![...kept, ...added].some((rule) => closes(rule, move.to))) added.push(ruleAt(around, move.to, spaces));
  const wanted = [...kept, ...added.filter((rule) => !kept.some((other) => isSame(rule, other)))];
  return changesBetween(rules, wanted);
}

/** Returns the paths of the rules that go along with a move, as they are before it. */
export function carriedPaths(spaces: readonly Space[], move: Move): StoragePath[] {
  const carried = rulesOf(spaces).filter((rule) => isCarried(rule, move));
  return carried.map(({ path }) => path);
}

/**
 * @param stays true if the rules that go along will also stay where they are
 * @throws HttpProblem 409 if a space would have more private folders after a move than one may have, or twice as many
 * during the move
 */
export function assertFew(spaces: readonly Space[], move: Move, stays: boolean): void {
  const states: [after: PrivateFolders, max: number][] = [
    [withMove(spaces, move, () => stays), MAX_PRIVATE_FOLDERS],
    [withMove(spaces, move, () => true), 2 * MAX_PRIVATE_FOLDERS],
  ];
  for (const [after, max] of states) {
    for (const [id, folders] of after) {
      if (folders.length <= Math.max(max, foldersOf(spaces, id).length)) continue;
      const message = `Expected at most ${max} private folders, and this move would make ${folders.length}.`;
      throw conflict(message, 'space_conflict');
    }
  }
}

/** Returns the private folders that one state has and an earlier one has not. */
export function addedFolders(spaces: readonly Space[], after: PrivateFolders): PrivateFolders {
  const added = [...after].map(([id, folders]) => {
    const before = foldersOf(spaces, id);
    return [id, folders.filter((folder) => !before.includes(folder))] as const;
  });
  return new Map(added);
}

/** Returns the private folders without some of them. */
export function withoutFolders(spaces: readonly Space[], removed: PrivateFolders): PrivateFolders {
  const left = [...removed].map(([id, folders]) => {
    const before = foldersOf(spaces, id);
    return [id, before.filter((folder) => !folders.includes(folder))] as const;
  });
  return new Map(left.filter(([id, folders]) => folders.length < foldersOf(spaces, id).length));
}

function foldersOf(spaces: readonly Space[], id: string): readonly StoragePath[] {
  return spaces.find((space) => space.id === id)?.rules.privateFolders ?? [];
}

function rulesOf(spaces: readonly Space[]): Rule[] {
  return spaces.flatMap((owner) =>
    (owner.rules.privateFolders ?? []).map((folder) => ({
      owner,
      path: owner.folder === ROOT ? folder : (`${owner.folder}/${folder}` as StoragePath),
    })),
  );
}

const closes = ({ path }: Rule, other: StoragePath) => isWithin(foldPath(other), foldPath(path));

/** True for a rule at or below the moved path. */
const isCarried = ({ path }: Rule, { from }: Move) => isWithin(foldPath(path), foldPath(from));

/** True for a private folder in which the moved folder lies. A file that leaves one does so on purpose. */
const isAround = (rule: Rule, move: Move) => move.isFolder && !isCarried(rule, move) && closes(rule, move.from);

const isSame = (one: Rule, other: Rule) =>
  one.owner.id === other.owner.id && foldPath(one.path) === foldPath(other.path);

function movedRule(rule: Rule, { from, to }: Move, spaces: readonly Space[]): Rule {
  // The rule may be written in another case, and composition changes the length.
  const inside = rule.path.split('/').slice(from.split('/').length);
  return ruleAt(rule, [to, ...inside].join('/') as StoragePath, spaces);
}

/** The rule stays with its space, or the library, while it can name the path; else it belongs to where the path lies. */
function ruleAt({ owner }: Rule, path: StoragePath, spaces: readonly Space[]): Rule {
  const contains = ({ folder }: Space) => isWithin(foldPath(path), foldPath(folder));
  if (contains(owner)) return { owner, path };
  const others = spaces.filter((space) => space.id !== LIBRARY && contains(space));
  const library = spaces.find(({ id }) => id === LIBRARY);
  return { owner: others[0] ?? library ?? owner, path };
}

/** Groups the rules by their space, and returns those that differ. */
function changesBetween(before: readonly Rule[], after: readonly Rule[]): PrivateFolders {
  const changes = new Map<string, readonly StoragePath[]>();
  for (const { owner } of [...before, ...after]) {
    const inner = after.filter((rule) => rule.owner.id === owner.id).map((rule) => innerOf(rule));
    const known = owner.rules.privateFolders ?? [];
    const isEqual = inner.length === known.length && inner.every((folder, n) => folder === known[n]);
    if (!isEqual) changes.set(owner.id, inner);
  }
  return changes;
}

function innerOf({ owner, path }: Rule): StoragePath {
  if (owner.folder === ROOT) return path;
  // The folder of the space may be written in another case.
  return path.split('/').slice(owner.folder.split('/').length).join('/') as StoragePath;
}
