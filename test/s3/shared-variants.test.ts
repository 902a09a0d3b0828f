import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parsePath } from '../../src/path.ts';
import { MEBIBYTE } from '../contracts/blob-store/steps.ts';
import { describeOnS3 } from './bucket.ts';
import { bytesOf, FILM, find, listed, machine, nameOf, proxy, put, setUp, start, tearDown } from './machines.ts';

describeOnS3('the variants that machines share', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  test('are never fewer than none: a machine that removes what others stored counts anew', async () => {
    const other = await start();
    await machine.shared.stats();
    await put(FILM, 1, Buffer.alloc(1000), other);
    await put(FILM, 2, Buffer.alloc(2000), other);
    expect(await machine.shared.evict(parsePath('films'))).toBe(2);
    expect(await machine.shared.stats()).toMatchObject({ size: 0, fileCount: 0 });
  });

  test.each([
    ['small', 1000],
    ['large', 20 * MEBIBYTE],
  ])('that two machines have rendered are those of the first: %s', async (_, size) => {
    const other = await start();
    const mine = Buffer.alloc(size, 1);
    const theirs = Buffer.alloc(size, 2);
    await Promise.all([put(FILM, 1, mine), put(FILM, 1, theirs, other)]);
    const third = await start();
    const stored = await bytesOf(await find(1, third));
    expect(stored?.equals(mine) || stored?.equals(theirs)).toBe(true);
    const before = stored?.equals(mine);
    await put(FILM, 1, before ? theirs : mine, before ? other : machine);
    const fourth = await start();
    expect((await bytesOf(await find(1, fourth)))?.equals(stored ?? Buffer.alloc(0))).toBe(true);
  });

  test('are counted exactly by a recalculation, also after one while they came and went', async () => {
    await machine.shared.stats();
    for (let n = 0; n < 60; n++) await put(parsePath(`f/${n % 6}.png`), n, Buffer.alloc(100 + n));
    const writing = Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        for (let m = 0; m < 5; m++) await put(parsePath(`f/${n}.png`), 100 + 10 * n + m, Buffer.alloc(10));
        if (n % 2 === 0) await machine.shared.evict(parsePath(`f/${n}.png`));
      }),
    );
    await machine.shared.recount();
    await writing;
    await machine.shared.recount();
    expect(await machine.shared.stats()).toEqual(await listed());
  }, 120_000);

  test('are stored, removed and counted in the end, also while their counters cannot be written', async () => {
    await machine.shared.stats();
    await put(FILM, 1, Buffer.alloc(1000));
    const away = vi.spyOn(machine.database.db, 'updateTable').mockImplementation(() => {
      throw new Error('The database is unreachable.');
    });
    await put(FILM, 2, Buffer.alloc(2000));
    await put(parsePath('f/other.png'), 3, Buffer.alloc(400));
    expect(await machine.shared.evict(parsePath('f'))).toBe(1);
    away.mockRestore();
    expect(await machine.shared.stats()).toMatchObject({ size: 3000, fileCount: 2 });
    await put(FILM, 4, Buffer.alloc(50));
    expect(await machine.shared.stats()).toMatchObject(await listed());
  });

  test('that are on their way when their original goes do not stay', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = new Promise<void>((resolve) => {
      proxy.fault = (request) => {
        if (!request.startsWith('PUT variants/')) return undefined;
        resolve();
        return { delayUntil: promise };
      };
    });
    const putting = put(FILM, 1, Buffer.alloc(1000));
    await begun;
    const forgetting = machine.variants.evictShared(FILM);
    resolve();
    await putting;
    expect(await forgetting).toBe(1);
    expect(await listed()).toEqual({ size: 0, fileCount: 0 });
  });

  test('of an original whose path fills the key go with its folder', async () => {
    const folder = 'x'.repeat(200);
    const long = parsePath([folder, folder, folder, folder, 'y'.repeat(190)].join('/'));
    const neighbour = parsePath([folder, folder, 'short'].join('/'));
    await put(long, 1, Buffer.alloc(10));
    await put(neighbour, 2, Buffer.alloc(10));
    await machine.variants.clear();
    expect(await machine.variants.get(long, nameOf(1), ['mp4'])).toMatchObject({ size: 10 });
    expect(await machine.shared.evict(parsePath([folder, folder, folder].join('/')))).toBe(1);
    expect(await machine.shared.evict(long)).toBe(0);
    expect(await machine.shared.evict(neighbour)).toBe(1);
  });
});
