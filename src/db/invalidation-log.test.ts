import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createInvalidationLog, type InvalidationLog } from './invalidation-log.ts';
import { openDatabase } from './open.ts';
import type { OpenDatabase } from './schema.ts';

let database: OpenDatabase;
let log: InvalidationLog;
beforeEach(async () => {
  database = await openDatabase({ file: ':memory:' });
  log = createInvalidationLog(database.db);
});
afterEach(() => database.close());

const seen = async () => (await log.since('')).last;

describe('the invalidations', () => {
  test('that were missed are told one by one, in their order', async () => {
    const before = await seen();
    await log.add(['a', 'b/c']);
    await log.add(['d']);
    expect(await log.since(before)).toEqual({ last: await seen(), paths: ['a', 'b/c', 'd'] });
    expect(await log.since(await seen())).toEqual({ last: await seen(), paths: [] });
  });

  test('of everything is more than that of some', async () => {
    const before = await seen();
    await log.add(['a']);
    await log.add('all');
    await log.add(['b']);
    expect((await log.since(before)).paths).toBe('all');
  });

  test('of everything counts as no path of the limit', async () => {
    await log.add(Array.from({ length: 1000 }, (_, n) => `${n}`));
    const before = await seen();
    await log.add('all');
    const rows = database.db.selectFrom('setting').select('value').where('name', '=', 'variants.invalidated');
    const { value } = await rows.executeTakeFirstOrThrow();
    expect(JSON.parse(value).map(({ id }: { id: string }) => id)).toContain(before);
  });

  test('are all that there may have been for a machine that has seen another database, or nothing', async () => {
    expect((await log.since('')).paths).toBe('all');
    await log.add(['a']);
    expect((await log.since('of the backup')).paths).toBe('all');
  });

  test('are all for a machine that has missed more than are remembered, and take up a bounded room', async () => {
    const before = await seen();
    for (let n = 0; n < 101; n++) await log.add([`${n}`]);
    expect((await log.since(before)).paths).toBe('all');
    const many = Array.from({ length: 101 }, (_, n) => `folder/${n}`);
    for (let n = 0; n < 20; n++) await log.add(many);
    const { value } = await database.db
      .selectFrom('setting')
      .selectAll()
      .where('name', '=', 'variants.invalidated')
      .executeTakeFirstOrThrow();
    expect(value.length).toBeLessThan(20_000);
  });
});
