import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LiveCount } from './live-count.ts';

const KEYS = ['a', 'b/c', 'b/é', 'b/z', 'c', 'd'];
const sizeOf = (key: string) => KEYS.indexOf(key) + 1;

/** A page is asked for, and arrives; a change of a key begins, and ends. */
const step = fc.oneof(
  fc.constantFrom('ask' as const, 'arrive' as const),
  fc.record({ key: fc.constantFrom(...KEYS), what: fc.constantFrom('begin', 'put', 'remove') }),
);

test('a count agrees with what is there in the end, however changes and the listing take turns', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...KEYS)), fc.array(step, { maxLength: 40 }), (before, steps) => {
      const live = new LiveCount();
      const there = new Set(before);
      const begun = new Set<string>();
      const unlisted = [...KEYS].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      let asked: string[] | undefined;
      const ask = () => {
        asked ??= unlisted.splice(0, 2).filter((key) => there.has(key));
      };
      const arrive = () => {
        live.pass((asked ?? []).map((key) => ({ key, size: sizeOf(key) })));
        asked = undefined;
      };
      for (const one of steps) {
        if (one === 'ask') ask();
        else if (one === 'arrive') arrive();
        else if (one.what === 'begin') {
          live.begin(one.key);
          begun.add(one.key);
        } else if (begun.delete(one.key)) change(live, there, one.key, one.what);
      }
      while (asked || unlisted.length > 0) {
        ask();
        arrive();
      }
      live.end();
      for (const key of begun) change(live, there, key, 'remove');
      const expected = [...there].reduce((sum, key) => sum + sizeOf(key), 0);
      expect(live.count).toEqual({ size: expected, fileCount: there.size });
    }),
    { numRuns: 500 },
  );
});

function change(live: LiveCount, there: Set<string>, key: string, what: string): void {
  const object = { key, size: sizeOf(key) };
  if (what === 'put') {
    if (there.has(key)) live.found(object);
    else live.added(object);
    there.add(key);
  } else if (there.delete(key)) live.removed(object);
}
