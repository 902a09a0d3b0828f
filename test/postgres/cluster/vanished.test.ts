import { Pool, type PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { PostgresPathLock } from '../../../src/cluster/postgres-path-lock.ts';
import { Session } from '../../../src/cluster/session.ts';
import { parsePath } from '../../../src/path.ts';
import { describeOnPostgres, newDatabase } from '../database.ts';
import { log } from './nodes.ts';

const LOOK = `select current_setting('tcp_keepalives_idle')::int as idle, current_setting('tcp_keepalives_interval')::int as interval,
  current_setting('tcp_keepalives_count')::int as count, current_setting('tcp_user_timeout')::int as unheard`;

/** In seconds; in ms for unacknowledged data. */
const WITHIN_HALF_A_MINUTE = { idle: 10, interval: 5, count: 3, unheard: 25_000 };

describeOnPostgres('a machine that is gone without a word', () => {
  it('loses its session within half a minute, and the locks with it', async () => {
    const session = new Session({ url: await newDatabase(), node: 'one', log });
    await session.start();
    expect(await session.query(LOOK)).toEqual([WITHIN_HALF_A_MINUTE]);
    await session.close();
  });

  it('loses the locks of a change that had to wait as soon', async () => {
    const url = await newDatabase();
    const pool = new Pool({ connectionString: url });
    const acquired = new Promise<PoolClient>((resolve) => pool.once('acquire', resolve));
    // It is not connected, so the change takes its locks like a waiting one.
    const session = new Session({ url, node: 'one', log });
    const lock = new PostgresPathLock({ session, pool, waitMs: 60_000, answerMs: 60_000, log });
    const found = await lock.run([parsePath('a')], async () => (await (await acquired).query(LOOK)).rows);
    expect(found).toEqual([WITHIN_HALF_A_MINUTE]);
    await pool.end();
  });
});
