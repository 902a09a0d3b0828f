import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listParameters } from '../../../../src/delivery/parameters.ts';
import { renderMarkdown } from '../../../../src/http/openapi/markdown.ts';
import type { Listing } from '../segment.ts';
import { helpOf, sectionOf } from './help.ts';

const lists = listParameters({ outputSide: 8192 });
const all = Object.values(lists).flat();

describe('help for a parameter', () => {
  test.each(all.map((parameter) => [parameter.key, parameter] as const))(
    'is short and has no aliases: %s',
    (_, one) => {
      const help = helpOf(one as never);
      expect(help.length).toBeGreaterThan(10);
      expect(help.length).toBeLessThanOrEqual(260);
      expect(help).not.toMatch(/` = `|Other key/);
      expect((help.match(/`/g) ?? []).length % 2).toBe(0);
    },
  );

  test('begins with the values where there is no other hint at them', () => {
    const help = helpOf({ summary: 'Selects a part.', forms: '`x:y:w:h`; `a` = `b`', shape: { kind: 'text' } });
    expect(help).toBe('`x:y:w:h`. Selects a part.');
  });

  test('is the beginning of a long summary, without links', () => {
    const summary = `Fits the [image](docs.md) into a box. ${'More words about it. '.repeat(20)}`;
    expect(helpOf({ summary, forms: '', shape: { kind: 'ratio' } })).toMatch(/^Fits the image into a box\./);
    expect(helpOf({ summary, forms: '', shape: { kind: 'ratio' } }).length).toBeLessThan(145);
  });
});

describe('the section of a parameter', () => {
  const page = readFileSync(new URL('../../../../docs/url-reference.md', import.meta.url), 'utf8');
  const texts = page.split(/^### /m).slice(1);
  const ids = renderMarkdown(page, { hasAnchors: true })
    .headings.filter(({ level }) => level === 3)
    .map(({ id }) => id);
  // As it arrives.
  const listing: Omit<Listing, 'presets'> = JSON.parse(JSON.stringify(lists));

  test.each(['image', 'layer', 'text', 'video'] as const)('is about that one, for each of the list %s', (name) => {
    for (const parameter of listing[name]) {
      const text = texts[ids.indexOf(sectionOf(parameter, listing))];
      expect([parameter.key, text]).toEqual([parameter.key, expect.stringContaining(parameter.summary)]);
    }
  });

  test('is that of videos where a parameter means something else there', () => {
    const width = (name: 'image' | 'layer' | 'video') => {
      const parameter = listing[name].find(({ key }) => key === 'w');
      return parameter && sectionOf(parameter, listing);
    };
    expect([width('image'), width('layer'), width('video')]).toEqual(['w-width', 'w-width-1', 'w-width-2']);
  });
});
