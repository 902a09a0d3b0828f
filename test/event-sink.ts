import type { EventSink, FileEvent } from '../src/catalog/file-events.ts';

/** Hears of each event of files, in the order in which they are written down. */
export function hearEvents(hear: (event: FileEvent) => void): EventSink {
  return {
    async write(_db, events) {
      for (const event of events) hear(event);
    },
    written: () => undefined,
  };
}
