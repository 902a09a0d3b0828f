import { EventEmitter } from 'node:events';
import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { isDeaf } from './probe.ts';
import { type Session, SessionDown } from './session.ts';

/** A session that is asked one thing, and a pool that has sent what it was given. */
function connections(answer: (session: EventEmitter, word: string) => void) {
  let word = '';
  const session = new EventEmitter();
  const query = async () => answer(session, word);
  const pool = {
    async query(_text: string, [, sent = '']: string[]) {
      word = sent;
    },
  };
  return [Object.assign(session, { query }) as unknown as Session, pool as unknown as Pool] as const;
}

test('a session is not deaf that hears late, because the machine is busy', async () => {
  const late = connections((session, word) => session.emit('notification', word));
  expect(await isDeaf(...late, 0)).toBe(false);
});

test('a session is deaf that does not hear what was sent before its answer', async () => {
  expect(await isDeaf(...connections(() => undefined), 0)).toBe(true);
  const others = connections((session) => session.emit('notification', 'what others say'));
  expect(await isDeaf(...others, 0)).toBe(true);
});

test('a session that is lost says nothing about that', async () => {
  const lost = connections(() => {
    throw new SessionDown();
  });
  expect(await isDeaf(...lost, 0)).toBe(false);
});
