import { describe, expect, test } from 'vitest';
import { parsePath, ROOT, type StoragePath } from '../path.ts';
import { createDeliveryRules } from './delivery-rules.ts';
import { assertFew, type Move, withMove } from './private-folders.ts';
import { createSpaceRegistry } from './registry.ts';
import { LIBRARY, type Space } from './space.ts';

const space = (id: string, folder: string, folders: readonly string[] = []): Space => ({
  ...createSpaceRegistry().library(),
  id,
  folder: parsePath(folder),
  rules: { privateFolders: folders.map((path) => parsePath(path)) },
});
const library = (folders: readonly string[]): Space => ({
  ...space('none', 'none', folders),
  id: LIBRARY,
  folder: ROOT,
});

const numbered = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => `${prefix}/${n}`);
const moved = (from: string, to: string): Move => ({ from: parsePath(from), to: parsePath(to), isFolder: true });

/** Text of the refusal of a move; undefined if it is permitted. */
function refusalOf(spaces: readonly Space[], move: Move, stays = false): string | undefined {
  try {
    assertFew(spaces, move, stays);
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ status: 409, code: 'space_conflict' });
    return (error as Error).message;
  }
}

const ACME = space('acme', 'customers/ACME');
const GLOBEX = space('globex', 'globex');
/** A hundred rules in one space, and a rule of each other place. */
const FULL = [...numbered(99, 'customers/acme/full'), 'customers/acme/secret', 'globex/secret', 'secret'];

describe('the limit of private folders', () => {
  test('of the library is counted in each space, and outside of all', () => {
    const spaces = [library(FULL), ACME, GLOBEX];
    const refusal = refusalOf(spaces, moved('customers/acme/secret/deep', 'customers/acme/deep'));
    expect(refusal).toMatch(/^Expected at most 100 folders in a space that the library keeps private, .* make 101\./);
    expect(refusal).not.toMatch(/acme|customers|secret/i);
    expect(refusalOf(spaces, moved('globex/secret/deep', 'globex/deep'))).toBeUndefined();
    expect(refusalOf(spaces, moved('secret/deep', 'deep'))).toBeUndefined();
    // Also a folder that the library moves into the full space, and not one that it moves out.
    expect(refusalOf(spaces, moved('secret/deep', 'customers/acme/deep'))).toBeDefined();
    expect(refusalOf(spaces, moved('customers/acme/secret/deep', 'deep'))).toBeUndefined();
  });

  test('of the library outside of all spaces is full without regard to spaces', () => {
    const spaces = [library([...numbered(99, 'full'), 'secret', 'globex/secret']), GLOBEX];
    expect(refusalOf(spaces, moved('secret/deep', 'deep'))).toMatch(/outside of all spaces, .* 101\./);
    expect(refusalOf(spaces, moved('globex/secret/deep', 'globex/deep'))).toBeUndefined();
  });

  test('of a space is counted in its own list', () => {
    const spaces = [library(FULL), space('globex', 'globex', [...numbered(99, 'full'), 'own'])];
    expect(refusalOf(spaces, moved('globex/own/deep', 'globex/deep'))).toMatch(/private folders of a space, .* 101\./);
  });

  test('counts rules that have to stay because of the trash, and twice as many during a move', () => {
    const spaces = [library(numbered(60, 'globex/top')), GLOBEX];
    expect(refusalOf(spaces, moved('globex/top', 'globex/other'))).toBeUndefined();
    expect(refusalOf(spaces, moved('globex/top', 'globex/other'), true)).toMatch(/make 120\./);
  });

  test('refuses no move that adds nothing to a region that has too many', () => {
    const spaces = [library(numbered(150, 'top'))];
    expect(refusalOf(spaces, moved('top', 'other'))).toBeUndefined();
    expect(refusalOf(spaces, moved('top/1/deep', 'deep'))).toMatch(/make 151\./);
  });
});

test('a rule of the library stays one, and rules of spaces that a move does not touch are left alone', () => {
  const spaces = [library(['customers/acme/secret']), space('acme', 'customers/acme', ['own']), GLOBEX];
  const after = withMove(spaces, moved('customers/acme/secret/deep', 'customers/acme/deep'), () => false);
  expect([...after]).toEqual([[LIBRARY, ['customers/acme/secret', 'customers/acme/deep']]]);
});

test('twenty thousand rules in two hundred spaces are read once for all requests', () => {
  const spaces = Array.from({ length: 200 }, (_, n) => space(`s-${n}`, `s-${n}`, numbered(100, 'own')));
  const rules = spaces.flatMap(({ folder }) => numbered(100, `${folder}/Library`));
  const registry = createSpaceRegistry();
  registry.replace([library(rules), ...spaces]);
  const delivery = createDeliveryRules(registry, {} as never);
  const codeOf = (path: string) => delivery.refusalOf(path as StoragePath, 'variant', undefined)?.code;
  expect(codeOf('s-7/LIBRARY/7/deep/a.png')).toBe('signature_required');
  expect(codeOf('s-199/own/99/a.png')).toBe('signature_required');
  expect(codeOf('s-7/open/a.png')).toBeUndefined();
  expect(delivery.refusalOfFolder('s-7/library' as StoragePath)?.code).toBe('signature_required');
  expect(delivery.refusalOfFolder('s-7/open' as StoragePath)).toBeUndefined();
  // The list itself is not read again.
  const list = registry.library().rules.privateFolders as StoragePath[];
  list.fill(parsePath('elsewhere'));
  expect(codeOf('s-7/LIBRARY/7/deep/a.png')).toBe('signature_required');
});

// With a loop in a loop it takes longer than a test may.
test('twenty thousand rules go along with a move', () => {
  const spaces = Array.from({ length: 200 }, (_, n) => space(`s-${n}`, `s-${n}`, numbered(100, 'own')));
  const all = [library(numbered(20_000, 'top')), ...spaces];
  const after = withMove(all, moved('top', 'other'), () => false);
  expect([...after.keys()]).toEqual([LIBRARY]);
  expect(after.get(LIBRARY)?.[19_999]).toBe('other/19999');
  expect(refusalOf(all, moved('top', 'other'))).toBeUndefined();
});
