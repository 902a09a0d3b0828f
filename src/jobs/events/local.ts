import { EVENTS_AT_A_TIME, type JobEvent, type JobEvents } from '../events.ts';
import { Listeners } from './listeners.ts';

const REMEMBERED = 1000;

/**
 * Creates the events of an installation with one node, stored in memory.
 * @param now Unix ms, from which the ids start
 */
export function createLocalJobEvents({ now = Date.now }: { now?: () => number } = {}): JobEvents {
  const listeners = new Listeners();
  const past: JobEvent[] = [];
  // The ids of a later process start later: 1000 events fit into each ms of a process.
  let nextId = now() * 1000;

  return {
    async publish(data) {
      const event = { ...data, id: nextId++ };
      past.push(event);
      if (past.length > REMEMBERED) past.shift();
      listeners.notify(event);
    },
    async since(id) {
      const later = past.filter((event) => event.id > id || id >= nextId);
      const events = later.slice(0, EVENTS_AT_A_TIME);
      return { events, upTo: events.at(-1)?.id ?? nextId - 1, isAll: events.length === later.length };
    },
    lastId: async () => nextId - 1,
    subscribe: (listener) => listeners.add(listener),
    close: async () => undefined,
  };
}
