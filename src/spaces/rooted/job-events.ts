import type { JobEvent, JobEventReads } from '../../jobs/events.ts';
import type { Root } from './root.ts';

/**
 * Shows a space the events of its own jobs, with inner paths. Ids are those of the installation, so a client that comes
 * back with any of them misses nothing, and hears nothing of others.
 */
export function createRootedJobEvents(events: JobEventReads, space: string, root: Root): JobEventReads {
  const ownEvents = (event: JobEvent): JobEvent[] => (isOwn(event, space, root) ? [toInner(event, root)] : []);
  return {
    async since(id) {
      const later = await events.since(id);
      return { ...later, events: later.events.flatMap(ownEvents) };
    },
    lastId: () => events.lastId(),
    subscribe: (listener) =>
      events.subscribe((event) => {
        for (const own of ownEvents(event)) listener(own);
      }),
  };
}

/** A space of this name may have been deleted, with another folder. */
const isOwn = ({ space, data }: JobEvent, own: string, root: Root) =>
  space === own && (!('filePath' in data) || root.contains(data.filePath));

/** In the space itself, its jobs are those of the library. */
function toInner(event: JobEvent, root: Root): JobEvent {
  const own = { ...event, space: undefined };
  if (!('filePath' in own.data)) return own;
  return { ...own, data: { ...own.data, filePath: root.toInner(own.data.filePath) } } as JobEvent;
}
