import { expect, test, vi } from 'vitest';
import { ROOT } from '../../../src/path.ts';
import type { BlobEntry } from '../../../src/storage/blob-store.ts';
import { type Current, names, path, put, putAll } from './steps.ts';

export function scanning(store: Current): void {
  async function scanned(folder: string, isDeep: boolean) {
    const found = { folders: new Set<string>(), entries: [] as BlobEntry[] };
    for await (const part of store().scan(path(folder), { isDeep })) {
      found.folders.add(part.folder);
      for (const one of part.folders) found.folders.add(one);
      found.entries.push(...part.files);
    }
    return { folders: [...found.folders].sort(), files: names(found.entries).sort(), entries: found.entries };
  }

  test('a scan gives every folder and every file, as its stat describes it', async () => {
    await putAll(store(), ['a/b/c/1', 'a/b/2', 'a/3', 'a.4', 'b/5']);
    await store().createFolder(path('a/empty'));
    const { entries, ...found } = await scanned('', true);
    const folders = ['', 'a', 'a/b', 'a/b/c', 'a/empty', 'b'];
    expect(found).toEqual({ folders, files: ['a.4', 'a/3', 'a/b/2', 'a/b/c/1', 'b/5'] });
    for (const { path: file, ...stat } of entries) expect(stat).toEqual(await store().stat(file));
    expect(await scanned('a/b', true)).toMatchObject({ folders: ['a/b', 'a/b/c'], files: ['a/b/2', 'a/b/c/1'] });
  });

  test('a scan of one level enters no other folder', async () => {
    await putAll(store(), ['a/b/c/1', 'a/b/2', 'a/3']);
    expect(await scanned('a', false)).toMatchObject({ folders: ['a', 'a/b'], files: ['a/3'] });
    await store().createFolder(path('empty'));
    expect(await scanned('empty', false)).toMatchObject({ folders: ['empty'], files: [] });
  });

  test('a scan of what is no folder has no part, that of the root has one', async () => {
    for (const isDeep of [true, false]) {
      expect(await scanned('', isDeep)).toMatchObject({ folders: [''], files: [] });
      expect((await scanned('missing', isDeep)).folders).toEqual([]);
    }
    await put(store(), 'a/x', 'bytes');
    expect((await scanned('a/x', true)).folders).toEqual([]);
  });

  test('a scan does not tell again of files in a folder that is as it was, and tells of all when anything has changed', async () => {
    await putAll(store(), ['a/1', 'a/b/2']);
    const scan = async (digest: string) => {
      const files: string[] = [];
      let found: string | undefined;
      let unchanged = 0;
      for await (const part of store().scan(ROOT, { digests: new Map([[path('a'), digest]]) })) {
        if (part.folder === 'a') found = part.digest;
        files.push(...names(part.files));
        unchanged += part.unchanged ?? 0;
      }
      return { digest: found, files: files.sort(), unchanged };
    };
    const all = ['a/1', 'a/b/2'];
    const first = await scan('');
    expect(first).toMatchObject({ files: all, unchanged: 0 });
    if ((await store().folderFingerprint(path('a'))) === undefined) return;
    const digest = await vi.waitUntil(async () => (await scan('')).digest, { timeout: 20_000 });
    expect(await scan(digest)).toEqual({ digest, files: ['a/b/2'], unchanged: 1 });
    await put(store(), 'a/b/2', 'other');
    expect(await scan(digest)).toMatchObject({ files: ['a/b/2'], unchanged: 1 });
    const changes: [() => Promise<unknown>, string[]][] = [
      [() => put(store(), 'a/1', 'bytes'), all],
      [() => put(store(), 'a/3', 'bytes'), ['a/1', 'a/3', 'a/b/2']],
      [() => store().move(path('a/3'), path('a/4')), ['a/1', 'a/4', 'a/b/2']],
      [() => store().remove(path('a/4')), all],
      [() => store().createFolder(path('a/c')), all],
    ];
    for (const [change, files] of changes) {
      const before = await vi.waitUntil(async () => (await scan('')).digest, { timeout: 20_000 });
      await change();
      expect(await scan(before)).toMatchObject({ files, unchanged: 0 });
    }
  });

  test('a folder that can be marked has a mark until something in it comes, goes or is renamed', async () => {
    await putAll(store(), ['a/1', 'a/b/2']);
    if ((await store().folderFingerprint(path('a'))) === undefined) return;
    const changes = [
      () => put(store(), 'a/3', 'bytes'),
      () => store().move(path('a/3'), path('a/4')),
      () => store().remove(path('a/4')),
      () => store().createFolder(path('a/c')),
      () => store().moveFolder(path('a/c'), path('a/d')),
      () => store().removeFolder(path('a/d')),
      () => store().renewFingerprint(path('a')),
    ];
    for (const change of changes) {
      const before = await store().renewFingerprint(path('a'));
      expect(await store().folderFingerprint(path('a'))).toBe(before);
      await change();
      expect(await store().folderFingerprint(path('a'))).not.toBe(before);
    }
    const before = await store().renewFingerprint(path('a'));
    await put(store(), 'a/b/5', 'bytes');
    await put(store(), '6', 'bytes');
    expect(await store().folderFingerprint(path('a'))).toBe(before);
    await store().moveFolder(path('a'), path('z'));
    expect(await store().folderFingerprint(path('z'))).toBe(before);
    for (const none of ['a', 'z/1', 'missing/x']) {
      expect(await store().folderFingerprint(path(none))).toBeNull();
      expect(await store().renewFingerprint(path(none))).toBeNull();
    }
  });

  test('a file that can be told from others is the same one wherever it moves, and a copy is another', async () => {
    await put(store(), 'a/1', 'bytes');
    const id = (await store().stat(path('a/1')))?.fileId;
    await store().move(path('a/1'), path('b/2'));
    await store().moveFolder(path('b'), path('c'));
    expect((await store().stat(path('c/2')))?.fileId).toBe(id);
    const copy = await store().copy(path('c/2'), path('c/3'));
    if (id !== undefined) expect(copy.fileId).not.toBe(id);
    expect((await store().list(path('c'))).files.map((file) => file.fileId)).toEqual([id, copy.fileId]);
    expect((await store().stat(ROOT))?.fileId).toBeUndefined();
  });
}
