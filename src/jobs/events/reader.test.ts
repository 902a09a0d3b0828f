import { expect, test } from 'vitest';
import { createLog } from '../../log.ts';
import type { JobEvent, LaterEvents } from '../events.ts';
import { EventReader } from './reader.ts';

const log = createLog({ level: 'silent', format: 'json' });

const event = (id: number): JobEvent => ({ id, type: 'job:progress', data: { jobId: 'a', progress: id } });

/** Creates a reader of a table in memory, with the queries that it makes. */
function open(events: JobEvent[]) {
  const asked: string[] = [];
  const told: number[] = [];
  /** Called when a response is on its way. */
  let onAnswer: () => void = () => undefined;
  const table = {
    async lastId(): Promise<number> {
      asked.push('last');
      return 0;
    },
    async after(id: number): Promise<LaterEvents> {
      asked.push(`after ${id}`);
      const later = events.filter((one) => one.id > id);
      onAnswer();
      return { events: later, upTo: later.at(-1)?.id ?? id, isAll: true };
    },
  };
  const reader = new EventReader({ table, log, pollMs: 3_600_000 });
  reader.listeners.add(({ id }) => told.push(id));
  return { reader, asked, told, whenAsked: (then: () => void) => (onAnswer = then) };
}

test('where events begin is asked once, and from then on only what is new', async () => {
  const events = [event(1)];
  const { reader, asked, told } = open(events);
  await reader.read();
  events.push(event(2));
  await reader.read();
  expect(told).toEqual([1, 2]);
  expect(asked).toEqual(['last', 'after 0', 'after 1']);
  await reader.close();
});

test('an event that comes while a reading ends is read at once, at whatever moment', async () => {
  for (let moments = 0; moments < 10; moments++) {
    const events = [event(1)];
    const { reader, told, whenAsked } = open(events);
    const read = Promise.withResolvers<void>();
    whenAsked(async () => {
      whenAsked(() => undefined);
      for (let moment = 0; moment < moments; moment++) await undefined;
      events.push(event(2));
      read.resolve(reader.read());
    });
    await reader.read();
    await read.promise;
    expect([moments, ...told]).toEqual([moments, 1, 2]);
    await reader.close();
  }
});
