import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HALLWAY, ROOF, ROOMS } from './rooms.ts';
import { allFiles, ROOT } from './source-files.ts';

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([\w/*.]+)` \| (.*) \|$/gm)].map(([, name = '', text = '']) => ({ name, text }));
/** Of the table of rooms, not of the packages. */
const rooms = rows.filter(({ name }) => name.endsWith('/'));
const folders = new Set(allFiles.flatMap((file) => file.split('/').slice(0, -1)));
const topFolders = new Set(allFiles.flatMap((file) => (file.includes('/') ? file.split('/')[0] : [])));

describe('ARCHITECTURE.md', () => {
  test('has a row for every room', () => {
    const inHallway = [...HALLWAY, ...ROOF, 'config', 'config.ts'];
    const wanted = [...topFolders].filter((folder) => !inHallway.includes(String(folder))).map((name) => `${name}/`);
    expect(rooms.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  test.each(rows.filter(({ name }) => /^(src\/\*\.ts|[a-z]+\/)$/.test(name)))(
    'names in the row of $name what is there',
    ({ name, text }) => {
      const room = name === 'src/*.ts' ? '' : name;
      const files = allFiles.filter((file) => file.startsWith(room));
      const named = [...text.matchAll(/`([a-z][a-z0-9-]*)(\/?)`/g)];
      const gone = named.filter(([, word = '', slash]) =>
        slash ? !folders.has(word) : !files.some((file) => file === `${word}.ts` || file.endsWith(`/${word}.ts`)),
      );
      expect(gone.map(([written]) => written)).toEqual([]);
    },
  );

  test('draws the doors that the walls have', () => {
    const [, drawn = ''] = /## Doors\n\n```\n(.*?)```/s.exec(page) ?? [];
    const lines = drawn.split(/\n| {4,}/).filter((line) => line.includes('->'));
    const doors = lines.flatMap((line) => {
      const [from = '', to = ''] = line.split(' -> ');
      const targets = to.replaceAll(/ ?\([^)]*\)/g, '').split(/, | and /);
      const places = to === 'the hallway alone' ? [] : targets.map((target) => target.trim().split('/')[0] ?? '');
      return from.split(', ').map((room) => [room.trim(), [...new Set(places)].sort()] as const);
    });
    const walls = Object.entries(ROOMS).flatMap(([room, { doors = [], windows = [] }]) => {
      if (room.startsWith('config')) return [];
      const targets = [...doors, ...windows].map((place) => place.split('/')[0] ?? '');
      return [[room, [...new Set(targets.filter((target) => target in ROOMS && !target.startsWith('config')))].sort()]];
    });
    expect(Object.fromEntries(doors)).toEqual(Object.fromEntries(walls));
  });
});
