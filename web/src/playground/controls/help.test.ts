import { describe, expect, test } from 'vitest';
import { listParameters } from '../../../../src/delivery/parameters.ts';
import { helpOf } from './help.ts';

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
