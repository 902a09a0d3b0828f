import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOMS } from './modules.ts';
import { ROOT } from './source-files.ts';

const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
const modules = folders.map(({ name }) => name).sort();
const sentences = page
  .replace(/^```.*?^```/gms, '')
  .replace(/^[|#].*$/gm, '')
  .split(/(?<=[.:;])\s/);

describe('ARCHITECTURE.md', () => {
  test('has one row for each module', () => {
    const rows = [...page.matchAll(/^\| `src\/([a-z]+)\/` \|/gm)].map(([, name = '']) => name);
    expect(rows.sort()).toEqual(modules);
  });

  test.each(modules)('leads to the README of %s, of at most 60 lines', (name) => {
    const lines = readFileSync(join(ROOT, 'src', name, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(60);
  });

  test('draws only allowed imports', () => {
    const [, graph = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
    const arrows = [...graph.matchAll(/^ *([a-z &]+) --> ([a-z &]+)$/gm)].flatMap(([, from = '', to = '']) =>
      from.split(' & ').flatMap((source) => to.split(' & ').map((target) => ({ source, target }))),
    );
    expect(arrows.length).toBeGreaterThan(15);
    const isAllowed = ({ source, target }: { source: string; target: string }) =>
      [...(ROOMS[source]?.doors ?? []), ...(ROOMS[source]?.windows ?? [])].some(
        (name) => name.split('/')[0] === target,
      );
    expect(arrows.filter((arrow) => !isAllowed(arrow))).toEqual([]);
  });

  test('names files that exist', () => {
    const named = [...page.matchAll(/`((?:src|test|packages)\/[\w./-]+|[a-z]+\/[\w./-]+\.ts)`/g)].map(
      ([, name = '']) => name,
    );
    const missing = named.filter((name) => !existsSync(join(ROOT, name)) && !existsSync(join(ROOT, 'src', name)));
    expect(missing).toEqual([]);
  });

  test('has no sentence over 30 words and no cell over 20', () => {
    const words = (text: string) => text.split(/\s+/).filter(Boolean).length;
    expect(sentences.filter((sentence) => words(sentence) > 30)).toEqual([]);
    const cells = page.match(/^\|.*\|$/gm)?.flatMap((row) => row.split('|')) ?? [];
    expect(cells.filter((cell) => words(cell) > 20)).toEqual([]);
  });
});
