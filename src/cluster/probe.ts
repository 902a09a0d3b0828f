import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { LATE, within } from '../concurrency.ts';
import { CHANNEL, type Session } from './session.ts';

/**
 * Whether a session is deaf to what another connection sends to its channel. Through a pooler that shares connections between
 * transactions, LISTEN succeeds and nothing ever arrives. A PostgreSQL that is lost meanwhile says nothing about that.
 * @param ms how long a notification may take
 */
export async function isDeaf(session: Session, pool: Pool, ms: number): Promise<boolean> {
  // Other nodes cannot read it and ignore it.
  const word = `probe ${randomUUID()}`;
  const heard = Promise.withResolvers<void>();
  let isHeard = false;
  const listen = (text: string) => {
    if (text !== word) return;
    isHeard = true;
    heard.resolve();
  };
  session.on('notification', listen);
  try {
    await pool.query('select pg_notify($1, $2)', [CHANNEL, word]);
    if ((await within(heard.promise, ms)) !== LATE) return false;
    // On a machine that is merely busy it comes now, since PostgreSQL sends what has been notified before it ends an answer.
    await session.query('select 1');
    return !isHeard;
  } catch {
    return false;
  } finally {
    session.off('notification', listen);
  }
}
