import { conflict } from '../errors.ts';
import { areOnOneBranch, isWithin, ROOT, type StoragePath } from '../path.ts';
import { type Excess, findExcess } from './private-limits.ts';
import { foldPath, LIBRARY, type Space } from './space.ts';

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
  folded: StoragePath;
}

/**
 * Returns the private folders of those spaces whose rules have to change for a move. What was private stays so: a rule
 * at or below the moved path goes along, and a folder that leaves a private one gets a rule of its own.
 * @param spaces all of them, and the library
 * @param stays true for a rule that also stays where it is
 */
export function withMove(spaces: readonly Space[], move: Move, stays: (path: StoragePath) => boolean): PrivateFolders {
  const near = spacesNear(spaces, move);
  const rules = rulesOf(near);
  const from = foldPath(move.from);
  const to = foldPath(move.to);
  const carried = rules.filter((rule) => isCarried(rule, from));
  const freed = new Set(carried.filter(({ path }) => !stays(path)));
  const kept = rules.filter((rule) => !freed.has(rule));
  const added = carried.map((rule) => movedRule(rule, move, near));
  // A file that leaves a private folder does so on purpose.
  const around = move.isFolder && rules.find((rule) => !isCarried(rule, from) && closes(rule, from));
  if (around && ![...kept, ...added].some((rule) => closes(rule, to))) added.push(ruleAt(around, move.to, near));
  const known = new Set(kept.map(keyOf));
  return changesBetween(rules, [...kept, ...added.filter((rule) => !known.has(keyOf(rule)))]);
}

/** Returns the paths of the rules that go along with a move, as they are before it. */
export function carriedPaths(spaces: readonly Space[], move: Move): StoragePath[] {
  const from = foldPath(move.from);
  const carried = rulesOf(spacesNear(spaces, move)).filter((rule) => isCarried(rule, from));
  return carried.map(({ path }) => path);
}

/**
 * @param stays true if the rules that go along will also stay where they are
 * @throws HttpProblem 409 if there would be more private folders of a region after a move than there may be, or twice
 * as many during the move
 */
export function assertFew(spaces: readonly Space[], move: Move, stays: boolean): void {
  const states: [after: PrivateFolders, times: number][] = [
    [withMove(spaces, move, () => stays), 1],
    [withMove(spaces, move, () => true), 2],
  ];
  for (const [after, times] of states) {
    for (const [id, folders] of after) {
      const owner = spaces.find((space) => space.id === id);
      const excess = owner && findExcess(owner, folders, spaces, times);
      if (excess) throw conflict(explain(id, excess), 'space_conflict');
    }
  }
}

/** Names neither a space nor a path: whoever moves something in a space must not learn of what is around it. */
function explain(owner: string, { region, count, max }: Excess): string {
  const wouldBe = `and this move would make ${count}.`;
  if (owner !== LIBRARY) return `Expected at most ${max} private folders of a space, ${wouldBe}`;
  if (region === LIBRARY) return `Expected at most ${max} private folders outside of all spaces, ${wouldBe}`;
  return `Expected at most ${max} folders in a space that the library keeps private, ${wouldBe} Leave the folder in its private one, or ask an admin of the library to open others.`;
}

/** Returns the private folders that one state has and an earlier one has not. */
export function addedFolders(spaces: readonly Space[], after: PrivateFolders): PrivateFolders {
  const added = [...after].map(([id, folders]) => {
    const before = new Set(foldersOf(spaces, id));
    return [id, folders.filter((folder) => !before.has(folder))] as const;
  });
  return new Map(added);
}

/** Returns the private folders without some of them. */
export function withoutFolders(spaces: readonly Space[], removed: PrivateFolders): PrivateFolders {
  const left = [...removed].map(([id, folders]) => {
    const gone = new Set(folders);
    return [id, foldersOf(spaces, id).filter((folder) => !gone.has(folder))] as const;
  });
  return new Map(left.filter(([id, folders]) => folders.length < foldersOf(spaces, id).length));
}

function foldersOf(spaces: readonly Space[], id: string): readonly StoragePath[] {
  return spaces.find((space) => space.id === id)?.rules.privateFolders ?? [];
}

/** Returns the library, and the spaces in which a move begins or ends: the rules of others have no part in it. */
function spacesNear(spaces: readonly Space[], { from, to }: Move): Space[] {
  const ends = [foldPath(from), foldPath(to)];
  return spaces.filter(({ folder }) => {
    const folded = foldPath(folder);
    return folder === ROOT || ends.some((end) => areOnOneBranch(folded, end));
  });
}

function rulesOf(spaces: readonly Space[]): Rule[] {
  return spaces.flatMap((owner) =>
    (owner.rules.privateFolders ?? []).map((folder) =>
      createRule(owner, owner.folder === ROOT ? folder : (`${owner.folder}/${folder}` as StoragePath)),
    ),
  );
}

function createRule(owner: Space, path: StoragePath): Rule {
  return { owner, path, folded: foldPath(path) };
}

/** @param path folded */
const closes = ({ folded }: Rule, path: StoragePath) => isWithin(path, folded);

/** True for a rule at or below the moved path. @param from folded */
const isCarried = ({ folded }: Rule, from: StoragePath) => isWithin(folded, from);

/** No id contains a slash. */
const keyOf = ({ owner, folded }: Rule) => `${owner.id}/${folded}`;

function movedRule(rule: Rule, { from, to }: Move, spaces: readonly Space[]): Rule {
  // The rule may be written in another case, and composition changes the length.
  const inside = rule.path.split('/').slice(from.split('/').length);
  return ruleAt(rule, [to, ...inside].join('/') as StoragePath, spaces);
}

/** The rule stays with its space, or the library, while it can name the path; else it belongs to where the path lies. */
function ruleAt({ owner }: Rule, path: StoragePath, spaces: readonly Space[]): Rule {
  const contains = ({ folder }: Space) => isWithin(foldPath(path), foldPath(folder));
  if (contains(owner)) return createRule(owner, path);
  const others = spaces.filter((space) => space.id !== LIBRARY && contains(space));
  const library = spaces.find(({ id }) => id === LIBRARY);
  return createRule(others[0] ?? library ?? owner, path);
}

/** Groups the rules by their space, and returns those that differ. */
function changesBetween(before: readonly Rule[], after: readonly Rule[]): PrivateFolders {
  const changes = new Map<string, readonly StoragePath[]>();
  const rulesAfter = Map.groupBy(after, ({ owner }) => owner);
  for (const owner of new Set([...before, ...after].map((rule) => rule.owner))) {
    const inner = (rulesAfter.get(owner) ?? []).map(innerOf);
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
