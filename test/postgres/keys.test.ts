import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashKey } from '../../src/auth/api-key.ts';
import { CachedKeyRows } from '../../src/auth/cached-key-rows.ts';
import { createKeyring, type Keyring } from '../../src/auth/keyring.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { OpenDatabase } from '../../src/db/schema.ts';
import { describeOnPostgres, newDatabase } from './database.ts';
import { PostgresServer } from './server.ts';

const MINUTE_MS = 60_000;
const unavailable = expect.objectContaining({ status: 503, code: 'database_unavailable' });

interface Node {
  database: OpenDatabase;
  rows: CachedKeyRows;
  keyring: Keyring;
}

describeOnPostgres('the keys of several machines', () => {
  /** Milliseconds, for cached entries. */
  let now: number;
  const nodes: Node[] = [];
  const join = async (url: string): Promise<Node> => {
    const database = await openDatabase({ file: '', url });
    const rows = new CachedKeyRows({ database, now: () => now });
    // Each node invalidates its own rows; the bus notifies the others.
    const keyring = createKeyring({ database, rows, onChange: async () => rows.clear() });
    nodes.push({ database, rows, keyring });
    return { database, rows, keyring };
  };
  beforeEach(() => {
    now = 0;
  });
  afterEach(async () => {
    for (const { rows, database } of nodes.splice(0)) {
      await rows.close();
      await database.close();
    }
  });

  describe('on one database', () => {
    let here: Node;
    let there: Node;
    beforeEach(async () => {
      const url = await newDatabase();
      here = await join(url);
      there = await join(url);
    });
    test('are looked up once in 30 seconds', async () => {
      const { key, id } = await here.keyring.create();
      expect(await there.keyring.verify(key)).toMatchObject({ id });
      await here.keyring.remove(id);
      expect(await here.keyring.verify(key)).toEqual({ refused: 'unknown' });
      now += 29_999;
      expect(await there.keyring.verify(key)).toMatchObject({ id });
      now += 1;
      expect(await there.keyring.verify(key)).toEqual({ refused: 'unknown' });
    });

    test('are looked up again once they are forgotten', async () => {
      const { key, id } = await here.keyring.create();
      expect(await there.keyring.verify(key)).toMatchObject({ id });
      await here.keyring.update(id, { enabled: false });
      there.rows.clear();
      expect(await there.keyring.verify(key)).toEqual({ refused: 'disabled' });
    });

    test('are looked up again once they are doubted', async () => {
      const { key, id } = await here.keyring.create();
      expect(await there.keyring.verify(key)).toMatchObject({ id });
      await here.keyring.remove(id);
      there.rows.markStale();
      expect(await there.keyring.verify(key)).toEqual({ refused: 'unknown' });
    });

    test('that are unknown are looked up each time', async () => {
      const { key } = await here.keyring.create();
      expect(await there.keyring.verify(`${key}x`)).toEqual({ refused: 'unknown' });
      await here.keyring.storeEnvironmentKey(`${key}x`);
      expect(await there.keyring.verify(`${key}x`)).toMatchObject({ id: 'environment' });
    });

    test('are not remembered as they were before a change that came while they were looked up', async () => {
      const { key, id } = await here.keyring.create();
      const looking = there.rows.find(hashKey(key));
      there.rows.clear();
      await looking;
      await here.keyring.remove(id);
      expect(await there.keyring.verify(key)).toEqual({ refused: 'unknown' });
    });

    test('with a quota or a rate limit of their own have each use counted, also of several machines at the same moment', async () => {
      for (const own of [
        { remaining: 20, reason: 'exhausted' },
        { rateLimit: { max: 20, window: 3600 }, reason: 'rate limited' },
      ]) {
        const { reason, ...limits } = own;
        const { key } = await here.keyring.create(limits);
        const uses = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? here : there).keyring.verify(key));
        const answers = await Promise.all(uses);
        const refusals = answers.filter((answer) => 'refused' in answer);
        expect(refusals).toMatchObject(Array.from({ length: 20 }, () => ({ refused: reason })));
      }
    });

    test('tell when they were last used: at once where they were, and elsewhere after the next writing', async () => {
      const made = [await here.keyring.create(), await here.keyring.create(), await here.keyring.create()];
      for (const { key } of made.slice(0, 2)) await there.keyring.verify(key);
      const lastUses = async () => (await here.keyring.list()).filter(({ lastUsedAt }) => lastUsedAt !== null);
      expect(await lastUses()).toEqual([]);
      const uses = (await there.keyring.list()).filter(({ lastUsedAt }) => lastUsedAt !== null);
      expect(uses.map(({ id }) => id).sort()).toEqual(
        made
          .slice(0, 2)
          .map(({ id }) => id)
          .sort(),
      );
      expect((await lastUses()).map(({ id }) => id).sort()).toEqual(
        made
          .slice(0, 2)
          .map(({ id }) => id)
          .sort(),
      );
    });

    test('never go back in when they were last used', async () => {
      const { id } = await here.keyring.create();
      here.rows.noteUse(id, '2026-01-01T00:00:00.000Z');
      there.rows.noteUse(id, '2025-01-01T00:00:00.000Z');
      await here.rows.close();
      await there.rows.close();
      expect((await here.keyring.list())[0]?.lastUsedAt).toBe('2026-01-01T00:00:00.000Z');
    });
  });

  describe('while PostgreSQL is down', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.start();
    });
    afterAll(() => server.close());

    test('are good for 10 minutes if they were known, also if they are doubted, and 503 otherwise', async () => {
      const { keyring, database, rows } = await join(server.url());
      const known = await keyring.create();
      const counted = await keyring.create({ remaining: 100 });
      const unknown = await keyring.create();
      for (const { key, id } of [known, counted]) expect(await keyring.verify(key)).toMatchObject({ id });
      await server.kill();
      // Its processes end one after another.
      const answers = () => sql`select 1`.execute(database.db).then(Boolean, () => false);
      await expect.poll(answers).toBe(false);
      for (const waited of [0, 9 * MINUTE_MS, MINUTE_MS - 1]) {
        now += waited;
        expect(await keyring.verify(known.key)).toMatchObject({ id: known.id });
        rows.markStale();
        expect(await keyring.verify(known.key)).toMatchObject({ id: known.id });
      }
      await expect(keyring.verify(counted.key)).rejects.toEqual(unavailable);
      await expect(keyring.verify(unknown.key)).rejects.toEqual(unavailable);
      now += 1;
      await expect(keyring.verify(known.key)).rejects.toEqual(unavailable);
      await server.start();
      for (const { key, id } of [known, counted, unknown]) expect(await keyring.verify(key)).toMatchObject({ id });
    });
  });
});
