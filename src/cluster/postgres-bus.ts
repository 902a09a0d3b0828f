import type { Log } from '../log.ts';
import type { Bus } from './cluster.ts';
import { type Message, readNotification, writeNotification } from './messages.ts';
import { CHANNEL, type Session } from './session.ts';

/** More than this many are not remembered one by one while there is no connection. */
const MAX_UNSENT = 1000;

interface Batch {
  messages: Message[];
  sent: Promise<void>;
}

/**
 * The bus of nodes that share a PostgreSQL: NOTIFY on one channel. A notification is a transaction of its own, since PostgreSQL locks
 * all others out from NOTIFY to the commit. Whatever is published while one is on its way goes into the next one.
 */
export class PostgresBus implements Bus {
  readonly #session: Session;
  readonly #node: string;
  readonly #log: Log;
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #resyncs = new Set<() => void>();
  /** What is gathered for the next notification. */
  #batch: Batch | undefined;
  #last: Promise<void> = Promise.resolve();
  #unsent: Messages = [];

  constructor(session: Session, node: string, log: Log) {
    this.#session = session;
    this.#node = node;
    this.#log = log;
    session.on('notification', (text) => this.#hear(text));
    session.on('up', () => {
      this.#tellAll(this.#resyncs, undefined);
      if (this.#unsent.length > 0) void this.#send([]);
    });
  }

  publish(message: Message): Promise<void> {
    this.#batch ??= this.#open();
    this.#batch.messages.push(message);
    return this.#batch.sent;
  }

  subscribe(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onResync(listener: () => void): () => void {
    this.#resyncs.add(listener);
    return () => void this.#resyncs.delete(listener);
  }

  /** Waits until everything is sent that can be. */
  async settled(): Promise<void> {
    await this.#last;
  }

  #open(): Batch {
    const messages: Message[] = [];
    const sent = Promise.all([this.#last, new Promise(setImmediate)]).then(() => {
      this.#batch = undefined;
      return this.#send(messages);
    });
    this.#last = sent;
    return { messages, sent };
  }

  /** Sends these, after what could not be sent before. */
  async #send(newer: Message[]): Promise<void> {
    const messages = join(this.#unsent, newer);
    this.#unsent = [];
    try {
      await this.#session.query('select pg_notify($1, $2)', [CHANNEL, writeNotification(this.#node, messages)]);
    } catch {
      const unsent = join(messages, this.#unsent);
      this.#unsent = unsent.length > MAX_UNSENT ? 'everything' : unsent;
    }
  }

  #hear(text: string): void {
    const notification = readNotification(text);
    // PostgreSQL tells the sender as well.
    if (!notification || notification.from === this.#node) return;
    const { messages } = notification;
    if (messages === 'everything') this.#tellAll(this.#resyncs, undefined);
    else for (const message of messages) this.#tellAll(this.#listeners, message);
  }

  #tellAll<News>(listeners: ReadonlySet<(news: News) => void>, news: News): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (err) {
        this.#log.error({ err }, 'a message of another node could not be heeded');
      }
    }
  }
}

type Messages = Message[] | 'everything';

function join(older: Messages, newer: Messages): Messages {
  return older === 'everything' || newer === 'everything' ? 'everything' : [...older, ...newer];
}
