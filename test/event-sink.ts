import type { EventSink, FileEvent } from '../src/catalog/file-events.ts';

/** Calls a listener for each file event, in the order of recording. */
export function hearEvents(hear: (event: FileEvent) => void): EventSink {
  return {
    async write(_db, events) {
      for (const event of events) hear(event);
    },
    written: () => undefined,
  };
}
