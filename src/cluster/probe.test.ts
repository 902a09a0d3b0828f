import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { missesNotifications } from './probe.ts';
import { type Session, SessionDown } from './session.ts';

/** A session that answers one statement, and a pool that records the probe it sends. */
function connections(answer: (session: EventEmitter, probe: string) => void) {
  let probe = '';
  const session = new EventEmitter();
  const query = async () => answer(session, probe);
  const pool = {
    async query(_text: string, [, sent = '']: string[]) {
      probe = sent;
    },
  };
  return [Object.assign(session, { query }) as unknown as Session, pool as unknown as Pool] as const;
}

test('a session on a busy host may receive a notification late', async () => {
  const late = connections((session, probe) => session.emit('notification', probe));
  expect(await missesNotifications(...late, 0)).toBe(false);
});

test('a session that answers before it receives an earlier notification misses notifications', async () => {
  expect(await missesNotifications(...connections(() => undefined), 0)).toBe(true);
  const others = connections((session) => session.emit('notification', 'a message of another node'));
  expect(await missesNotifications(...others, 0)).toBe(true);
});

test('a lost session proves nothing', async () => {
  const lost = connections(() => {
    throw new SessionDown();
  });
  expect(await missesNotifications(...lost, 0)).toBe(false);
});
