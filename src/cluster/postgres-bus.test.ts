import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { readNotification } from './messages.ts';
import { PostgresBus } from './postgres-bus.ts';
import type { Session } from './session.ts';

test('what PostgreSQL refuses, though it is there, is told with what comes next', async () => {
  const sent: unknown[] = [];
  let isFull = true;
  const session = Object.assign(new EventEmitter(), {
    async query(_text: string, [, notification]: [string, string]) {
      if (isFull) throw new Error('too many notifications in the NOTIFY queue');
      sent.push(readNotification(notification)?.messages);
    },
  });
  const bus = new PostgresBus(session as unknown as Session, 'one', createLog({ level: 'silent', format: 'json' }));
  await bus.publish({ kind: 'key' });
  isFull = false;
  await bus.publish({ kind: 'cleared' });
  await bus.publish({ kind: 'events' });
  expect(sent).toEqual([[{ kind: 'key' }, { kind: 'cleared' }], [{ kind: 'events' }]]);
});
