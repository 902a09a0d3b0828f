import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type JobEvent, type JobEventReads, withoutPath } from '../../jobs/events.ts';
import type { StoragePath } from '../../path.ts';

/** Pause after events could not be read, in ms. */
const RETRY_MS = 1000;

/** A listening client and its permissions. */
export interface Listener {
  /** The network of the client. */
  network: string;
  /** True without a session and without a key that has `read`. */
  isAnonymous: boolean;
  /** True for files whose paths the client may know. */
  mayKnow(path: StoragePath): boolean;
}

/** The stream of one client. It receives all events, or is still catching up with those that it missed. */
export class EventStream {
  readonly response: ServerResponse;
  readonly listener: Listener;
  readonly #maxBufferedBytes: number;
  /** The id of the last event that was sent to the client. */
  #position = 0;
  #isCatchingUp = true;

  constructor(response: ServerResponse, listener: Listener, maxBufferedBytes: number) {
    this.response = response;
    this.listener = listener;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  /** Sends a current event. False when too much already waits for the client. */
  notify({ event, named, unnamed }: EncodedEvent): boolean {
    // Events that occur while it catches up are read with the rest.
    if (this.#isCatchingUp || event.id <= this.#position) return true;
    this.#position = event.id;
    return !this.#hears(event) || this.send(this.#mayKnow(event) ? named : unnamed);
  }

  /** Sends data that is no job event. False when too much already waits for the client. */
  send(bytes: Buffer): boolean {
    if (this.#isCatchingUp && this.response.writableNeedDrain) return true;
    if (this.response.writableLength + bytes.length > this.#maxBufferedBytes) return false;
    this.response.write(bytes);
    return true;
  }

  /**
   * Sends the events after an id, as fast as the client takes them; from then on the client receives current events.
   * When events cannot be read, it resumes as soon as they can.
   * @param from.id the last event that the client received
   * @param from.isLast true if it was the newest event
   * @param lastId the id of the last event that was sent to the others
   */
  async catchUp(
    events: Pick<JobEventReads, 'since'>,
    from: { id: number; isLast: boolean },
    lastId: () => number,
  ): Promise<void> {
    this.#position = from.id;
    let isAll = from.isLast;
    while (!this.response.writableEnded && !this.response.destroyed && !(isAll && lastId() <= this.#position)) {
      const later = await events.since(this.#position).catch(() => undefined);
      if (later === undefined) {
        await pause(RETRY_MS, undefined, { ref: false });
        continue;
      }
      this.#position = later.upTo;
      isAll = later.isAll;
      const heard = later.events.filter((event) => this.#hears(event));
      if (heard.length > 0) await this.#write(heard.map((event) => this.#format(event)).join(''));
    }
    this.#isCatchingUp = false;
  }

  /** Without credentials, a client of the library hears nothing of the jobs of spaces, which have streams of their own. */
  #hears({ space }: JobEvent): boolean {
    return space === undefined || !this.listener.isAnonymous;
  }

  #format(event: JobEvent): string {
    return formatJobEvent(this.#mayKnow(event) ? event : withoutPath(event));
  }

  #mayKnow({ data }: JobEvent): boolean {
    return !('filePath' in data) || this.listener.mayKnow(data.filePath);
  }

  /** Writes, and waits until the client has taken most of it or has left. */
  async #write(text: string): Promise<void> {
    const { response } = this;
    if (response.writableEnded || response.destroyed || response.write(text)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    for (const event of ['drain', 'close']) response.once(event, resolve);
    await promise;
    for (const event of ['drain', 'close']) response.off(event, resolve);
  }
}

/** An encoded event in both variants, which all clients share. */
export interface EncodedEvent {
  event: JobEvent;
  named: Buffer;
  /** For clients that may not know its file. */
  unnamed: Buffer;
}

export function encodeJobEvent(event: JobEvent): EncodedEvent {
  return {
    event,
    named: Buffer.from(formatJobEvent(event)),
    unnamed: Buffer.from(formatJobEvent(withoutPath(event))),
  };
}

function formatJobEvent({ id, type, data }: { id: number; type: string; data: object }): string {
  return formatEvent(type, data, id);
}

/** JSON has no line break, so one `data` line is enough. */
export function formatEvent(type: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}
