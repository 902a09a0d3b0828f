import { expect, test } from 'vitest';
import { BlobExists } from '../../../src/storage/blob-store.ts';
import { type Current, MEBIBYTE, names, path, pieces, put, read, text } from './steps.ts';

export function racing(store: Current): void {
  test('every reader sees one whole version while many write', async () => {
    const version = (n: number) => Buffer.alloc(100_000 + n * 1000, n);
    await store().write(path('a'), pieces(version(0)));
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 1; n <= 8; n++) {
        const bytes = version(writer * 8 + n);
        await store().write(path('a'), pieces(bytes.subarray(0, 50_000), bytes.subarray(50_000)));
      }
    });
    let writing = true;
    const readers = Array.from({ length: 4 }, async () => {
      do {
        const bytes = await read(store(), 'a');
        expect(bytes.equals(version(bytes[0] ?? 255))).toBe(true);
      } while (writing);
    });
    await Promise.all(writers);
    writing = false;
    await Promise.all(readers);
  });

  test('a reader that began before a replacement or a removal gets the old bytes to the end', async () => {
    const old = Buffer.alloc(4 * MEBIBYTE, 'o');
    for (const change of [() => put(store(), 'a', 'new'), () => store().remove(path('a'))]) {
      await store().write(path('a'), pieces(old));
      const reader = (await store().open(path('a')))[Symbol.asyncIterator]();
      const parts: Buffer[] = [(await reader.next()).value];
      await change();
      for (let part = await reader.next(); !part.done; part = await reader.next()) parts.push(part.value);
      expect(Buffer.concat(parts).equals(old)).toBe(true);
    }
  });

  test('of twenty that write one new file and keep what exists, one wins', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => store().write(path('new/a'), pieces(`writer ${n}`), { existing: 'keep' })),
    );
    await expectOneWinner(outcomes);
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(await text(store(), 'new/a')).toBe(`writer ${winner}`);
  });

  test('of twenty moves, copies and local files to one new path that keep what exists, one wins', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => put(store(), `from/${n}`, `file ${n}`)));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => [
        store().move(path(`from/${n}`), path('to/moved'), { existing: 'keep' }),
        store().copy(path(`from/${n}`), path('to/copied'), { existing: 'keep' }),
      ]).flat(),
    );
    await expectOneWinner(outcomes.filter((_, n) => n % 2 === 0));
    // A copy may start after its file was moved away.
    const copies = outcomes.filter((_, n) => n % 2 === 1);
    expect(copies.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(names((await store().list(path('from'))).files)).toHaveLength(9);
    expect(await text(store(), 'to/moved')).toMatch(/^file \d$/);
  });

  test('two moves of one file never lose it', async () => {
    for (const existing of ['keep', 'replace'] as const) {
      await put(store(), `${existing}/from`, 'bytes');
      const targets = ['one', 'two'].map((name) => path(`${existing}/${name}`));
      const moves = targets.map((to) => store().move(path(`${existing}/from`), to, { existing }));
      await Promise.allSettled(moves);
      const { files } = await store().list(path(existing));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) expect(await text(store(), file.path)).toBe('bytes');
      expect(names(files)).not.toContain(`${existing}/from`);
    }
  });

  test('files written at once into a new folder all arrive', async () => {
    const paths = Array.from({ length: 20 }, (_, n) => `new/folder/${String(n).padStart(2, '0')}`);
    await Promise.all(paths.map((name) => put(store(), name, name)));
    expect(names((await store().list(path('new/folder'))).files)).toEqual(paths);
  });
}

async function expectOneWinner(outcomes: PromiseSettledResult<unknown>[]): Promise<void> {
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(failures).toHaveLength(outcomes.length - 1);
  for (const { reason } of failures) expect(reason).toBeInstanceOf(BlobExists);
}
