import type { Log } from '../log.ts';
import type { Bus } from './cluster.ts';
import { type Message, readNotification, writeNotification } from './messages.ts';
import { CHANNEL, type Session } from './session.ts';

/** Maximum number of messages that are queued without a connection. Beyond it, one message says `everything`. */
const MAX_UNSENT = 1000;

interface Batch {
  messages: Message[];
  sent: Promise<void>;
}

/**
 * The bus of nodes that share a PostgreSQL database: NOTIFY on one channel. Each notification is a transaction of its
 * own, because PostgreSQL blocks all others between NOTIFY and commit. Messages published meanwhile go into the next
 * notification.
 */
export class PostgresBus implements Bus {
  readonly #session: Session;
  readonly #node: string;
  readonly #log: Log;
  readonly #listeners = new Set<(message: Message) => void>();
  readonly #resyncs = new Set<() => void>();
  /** Messages for the next notification. */
  #batch: Batch | undefined;
  #last: Promise<void> = Promise.resolve();
  #unsent: Messages = [];

  constructor(session: Session, node: string, log: Log) {
    this.#session = session;
    this.#node = node;
    this.#log = log;
    session.on('notification', (text) => this.#receive(text));
    session.on('up', () => {
      this.#notifyAll(this.#resyncs, undefined);
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
    return () => {
      this.#listeners.delete(listener);
    };
  }

  onResync(listener: () => void): () => void {
    this.#resyncs.add(listener);
    return () => {
      this.#resyncs.delete(listener);
    };
  }

  /** Resolves when all published messages are sent or deferred. */
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

  /** Sends deferred messages, then these. */
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

  #receive(text: string): void {
    const notification = readNotification(text);
    // PostgreSQL notifies the sender as well.
    if (!notification || notification.from === this.#node) return;
    const { messages } = notification;
    if (messages === 'everything') this.#notifyAll(this.#resyncs, undefined);
    else for (const message of messages) this.#notifyAll(this.#listeners, message);
  }

  #notifyAll<Event>(listeners: ReadonlySet<(event: Event) => void>, event: Event): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (err) {
        this.#log.error({ err }, 'a message of another node could not be applied');
      }
    }
  }
}

type Messages = Message[] | 'everything';

function join(older: Messages, newer: Messages): Messages {
  return older === 'everything' || newer === 'everything' ? 'everything' : [...older, ...newer];
}
