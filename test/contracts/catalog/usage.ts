import { expect, test } from 'vitest';
import { at, type CatalogBench, file } from './bench.ts';

/** Tests storage usage. */
export function using(bench: () => CatalogBench): void {
  test('follows every change of the rows, by folder and by kind', async () => {
    const { catalog } = bench();
    await catalog.files.put([
      ...[file('a/x.jpg', { size: 10 }), file('a/b/y.mp4', { size: 20 }), file('a/b/z.jpg', { size: 30 })],
      ...[file('ä/x.jpg', { size: 5 }), file('root.jpg', { size: 1 })],
    ]);
    await catalog.folders.add(at('empty'));
    expect(await catalog.usage.below(at(''))).toEqual({
      folders: [
        { path: 'a', size: 60, fileCount: 3 },
        { path: 'empty', size: 0, fileCount: 0 },
        { path: 'ä', size: 5, fileCount: 1 },
      ],
      kinds: { image: { size: 46, fileCount: 4 }, video: { size: 20, fileCount: 1 } },
    });
    await catalog.files.put([file('a/x.jpg', { size: 11 })]);
    await catalog.files.move(at('a/b/y.mp4'), file('ä/y.jpg', { size: 20 }));
    await catalog.folders.move(at('a/b'), at('ä/b'));
    await catalog.files.copy(at('root.jpg'), file('copy.jpg', { size: 1 }));
    expect(await catalog.usage.below(at('ä'))).toEqual({
      folders: [{ path: 'ä/b', size: 30, fileCount: 1 }],
      kinds: { image: { size: 55, fileCount: 3 } },
    });
    await catalog.folders.remove(at('ä'));
    await catalog.files.remove([at('root.jpg')]);
    expect(await catalog.usage.below(at(''))).toMatchObject({ kinds: { image: { size: 12, fileCount: 2 } } });
    expect(await catalog.usage.total(at('a'))).toEqual({ size: 11, fileCount: 1 });
    expect(await catalog.usage.total(at('none'))).toEqual({ size: 0, fileCount: 0 });
  });
}
