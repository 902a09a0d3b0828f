import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { LATE, within } from '../concurrency.ts';
import { CHANNEL, type Session } from './session.ts';

/**
 * True if a session does not receive what another connection sends to its channel. Through a pooler that shares
 * connections between transactions, LISTEN succeeds and no notification ever arrives. False when PostgreSQL is lost
 * meanwhile, which proves nothing.
 * @param ms timeout of the notification
 */
export async function missesNotifications(session: Session, pool: Pool, ms: number): Promise<boolean> {
  // No JSON, so other nodes ignore it.
  const probe = `probe ${randomUUID()}`;
  const received = Promise.withResolvers<void>();
  let isReceived = false;
  const listen = (text: string) => {
    if (text !== probe) return;
    isReceived = true;
    received.resolve();
  };
  session.on('notification', listen);
  try {
    await pool.query('select pg_notify($1, $2)', [CHANNEL, probe]);
    if ((await within(received.promise, ms)) !== LATE) return false;
    // PostgreSQL sends pending notifications before the end of an answer: only a pooler drops them.
    await session.query('select 1');
    return !isReceived;
  } catch {
    return false;
  } finally {
    session.off('notification', listen);
  }
}
