import { beforeEach, describe, expect, test } from 'vitest';
import type { CatalogStore } from '../../../src/catalog/catalog-store.ts';
import type { Description } from '../../../src/catalog/records.ts';
import { at, type CatalogBench, described, file } from './bench.ts';

/** Tests metadata from users and from the bytes of files. */
export function wording(bench: () => CatalogBench): void {
  let catalog: CatalogStore;
  beforeEach(async () => {
    catalog = bench().catalog;
    await catalog.files.put([file('a/one.jpg'), file('a/two.jpg'), file('b/three.mp4')]);
  });
  const tagsOf = async (path: string) => (await catalog.files.find(at(path)))?.tags;

  describe('words', () => {
    test('change one by one, and are gone when they are null', async () => {
      const all = {
        title: 'T',
        alt: 'A',
        description: 'D',
        tags: ['b', 'a', 'b'],
        fields: { n: 1 },
        focal: { x: 0, y: 0.5 },
      };
      expect(await catalog.words.patch(at('a/one.jpg'), all)).toMatchObject({ ...all, tags: ['a', 'b'], revision: 1 });
      const less = await catalog.words.patch(at('a/one.jpg'), { alt: null, focal: null, fields: {} });
      expect(less).toMatchObject({ title: 'T', alt: null, focal: null, fields: {}, tags: ['a', 'b'], revision: 2 });
      expect(await catalog.words.patch(at('none.jpg'), { title: 'x' })).toBeUndefined();
    });

    test('that somebody else has changed first do not change', async () => {
      const results = await Promise.all([
        catalog.words.patch(at('a/one.jpg'), { title: 'mine' }, 0),
        bench().other.words.patch(at('a/one.jpg'), { title: 'yours' }, 0),
      ]);
      expect(results.filter((result) => result === 'conflict')).toHaveLength(1);
      expect(await catalog.files.find(at('a/one.jpg'))).toMatchObject({ revision: 1 });
    });

    test('have a focal point that is read alone', async () => {
      expect(await catalog.words.focalPoint(at('a/one.jpg'))).toBeUndefined();
      await catalog.words.patch(at('a/one.jpg'), { focal: { x: 0.25, y: 1 } });
      expect(await catalog.words.focalPoint(at('a/one.jpg'))).toEqual({ x: 0.25, y: 1 });
      expect(await catalog.words.focalPoint(at('none.jpg'))).toBeUndefined();
    });
  });

  describe('tags', () => {
    test('are given and taken in bulk, counted, renamed, merged and removed', async () => {
      const paths = ['a/one.jpg', 'none.jpg', 'b/three.mp4'].map(at);
      expect(await catalog.tags.change(paths, { add: ['red', 'blue'] })).toEqual(['a/one.jpg', 'b/three.mp4']);
      await catalog.tags.change([at('a/one.jpg')], { add: ['green'], remove: ['red', 'other'] });
      expect(await catalog.tags.list()).toEqual([
        { tag: 'blue', count: 2 },
        { tag: 'green', count: 1 },
        { tag: 'red', count: 1 },
      ]);
      expect(await catalog.tags.rename('blue', 'green')).toBe(2);
      expect(await catalog.tags.rename('green', 'green')).toBe(2);
      expect([await tagsOf('a/one.jpg'), await tagsOf('b/three.mp4')]).toEqual([['green'], ['green', 'red']]);
      expect(await catalog.tags.remove('green')).toBe(2);
      expect(await catalog.tags.list()).toEqual([{ tag: 'red', count: 1 }]);
      expect(await catalog.files.find(at('a/one.jpg'))).toMatchObject({ tags: [], revision: 4 });
    });

    test('of very many files are renamed too', async () => {
      const many = Array.from({ length: 450 }, (_, n) => file(`m/${n}.jpg`));
      await catalog.files.put(many);
      await catalog.tags.change(
        many.map(({ path }) => path),
        { add: ['old'] },
      );
      expect(await catalog.tags.rename('old', 'new')).toBe(450);
      expect(await catalog.tags.list()).toEqual([{ tag: 'new', count: 450 }]);
      expect(await catalog.search.total({ text: 'new' }, false, 1000)).toBe(450);
      expect(await catalog.search.total({ text: 'old' }, false, 1000)).toBe(0);
    });
  });

  describe('descriptions', () => {
    test('are stored for the version that was described, and no other', async () => {
      const [claimed] = await catalog.descriptions.claim(1, 1000);
      expect(claimed).toMatchObject({ path: 'a/one.jpg', etag: 'one', size: 1, kind: 'image', failures: 0 });
      const { id = 0 } = claimed ?? {};
      const facts: Description = described({
        width: 30,
        height: 20,
        hasAlpha: true,
        dominantColour: '#ff0000',
        palette: ['#ff0000'],
      });
      expect(await catalog.descriptions.store(id, 'other', facts)).toBe(false);
      expect(await catalog.descriptions.store(id, 'one', facts)).toBe(true);
      expect(await catalog.files.find(at('a/one.jpg'))).toMatchObject({ ...facts, isDescribed: true });
      expect((await catalog.descriptions.waiting()).count).toBe(2);
      await catalog.files.put([file('a/one.jpg', { etag: 'two' })]);
      expect((await catalog.descriptions.waiting()).count).toBe(3);
      await catalog.descriptions.store(id, 'two', facts);
      await catalog.descriptions.redescribe();
      expect((await catalog.descriptions.waiting()).count).toBe(3);
    });

    test('are made once, by one node, and again after a failure', async () => {
      const { clock, other } = bench();
      const [one, two] = await Promise.all([catalog.descriptions.claim(2, 1000), other.descriptions.claim(2, 1000)]);
      const claimed = [...one, ...two];
      expect(new Set(claimed.map(({ path }) => path)).size).toBe(3);
      expect(await catalog.descriptions.claim(9, 1000)).toEqual([]);
      const failed = claimed.find(({ path }) => path === 'a/two.jpg');
      await catalog.descriptions.fail(failed?.id ?? 0, 'one', 60_000);
      clock.now += 2000;
      expect((await catalog.descriptions.claim(9, 1000)).map(({ path }) => path).sort()).toEqual([
        'a/one.jpg',
        'b/three.mp4',
      ]);
      expect(await catalog.descriptions.waiting()).toEqual({ count: 3, nextDueAt: clock.now + 1000 });
      clock.now += 60_000;
      expect(await catalog.descriptions.claim(9, 1000)).toContainEqual({ ...failed, failures: 1 });
      await catalog.files.put([file('a/two.jpg', { etag: 'two' })]);
      expect(await catalog.descriptions.claim(9, 1000)).toMatchObject([
        { path: 'a/two.jpg', etag: 'two', failures: 0 },
      ]);
    });
  });
}
