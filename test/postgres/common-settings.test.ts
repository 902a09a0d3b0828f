import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { agreeOnSettings, deleteAgreement, type Fingerprints } from '../../src/db/common-settings.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { describeOnPostgres, newDatabase } from './database.ts';

describeOnPostgres('the settings that all nodes have in common', () => {
  const living = new Set<string>();
  let database: OpenDatabase;
  beforeAll(async () => {
    database = await openPostgres({ url: await newDatabase() });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    living.clear();
    await deleteAgreement(database.db);
  });

  /** @returns the differences */
  async function start(node: string, fingerprints: Fingerprints): Promise<string[]> {
    const different = await agreeOnSettings(database.db, node, fingerprints, async (name) => living.has(name));
    if (different.length === 0) living.add(node);
    return different;
  }

  test('a node with other ones than those that run may not run, and is told which differ', async () => {
    expect(await start('one', { A: '1', B: '1', C: '1' })).toEqual([]);
    expect(await start('two', { A: '1', B: '1', C: '1' })).toEqual([]);
    expect(await start('three', { A: '2', B: '1', C: '2' })).toEqual(['A', 'C']);
    living.delete('one');
    expect(await start('three', { A: '2', B: '1', C: '2' })).toEqual(['A', 'C']);
  });

  test('when all have ended, the next one decides', async () => {
    await start('one', { A: '1' });
    living.clear();
    expect(await start('two', { A: '2' })).toEqual([]);
    expect(await start('one again', { A: '1' })).toEqual(['A']);
  });

  test('an operator may let the next one decide', async () => {
    await start('one', { A: '1' });
    await deleteAgreement(database.db);
    expect(await start('two', { A: '2' })).toEqual([]);
    expect(await start('three', { A: '1' })).toEqual(['A']);
  });

  test('what only one of two versions knows keeps none of them from running', async () => {
    await start('older', { A: '1' });
    expect(await start('newer', { A: '1', B: '1' })).toEqual([]);
    expect(await start('older again', { A: '1' })).toEqual([]);
  });

  test('a node that does not know a setting leaves it as the others have agreed', async () => {
    await start('newer', { A: '1', B: '1' });
    await start('older', { A: '1' });
    expect(await start('newest', { A: '1', B: '2' })).toEqual(['B']);
  });

  test('of several that start at once one decides', async () => {
    const starts = ['a', 'b', 'c', 'd'].map((name) => start(name, { A: name }));
    for (const name of ['a', 'b', 'c', 'd']) living.add(name);
    const different = await Promise.all(starts);
    expect(different.filter((names) => names.length === 0)).toHaveLength(1);
  });
});
