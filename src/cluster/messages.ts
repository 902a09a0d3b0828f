import { z } from 'zod';

const path = z.string();
const isFolder = z.boolean();

/** Every kind of news. A node that does not know a kind, because it is older, ignores it. */
const message = z.discriminatedUnion('kind', [
  /** Originals at this path have changed, or everything in this folder. `etag` is the version of a file that is there now. */
  z.object({ kind: z.literal('original'), path, isFolder, etag: z.string().optional() }),
  /** The variants of this original are to be forgotten, or those of everything in this folder. */
  z.object({ kind: z.literal('variants'), path, isFolder }),
  /** All variants are to be forgotten. */
  z.object({ kind: z.literal('cleared') }),
  /** API keys have changed. */
  z.object({ kind: z.literal('key') }),
  /** The work for this key of `Once` is done, and its result can be found. */
  z.object({ kind: z.literal('rendered'), key: z.string() }),
  /** A job is due, or will be in so many milliseconds; or a job that is running was removed. */
  z.object({ kind: z.literal('job'), inMs: z.number().optional(), removed: z.string().optional() }),
  /** The outbox has something for this target. */
  z.object({ kind: z.literal('outbox'), target: z.string() }),
  /** Webhooks were made, changed or removed. */
  z.object({ kind: z.literal('webhooks') }),
  /** There are new events of jobs. */
  z.object({ kind: z.literal('events') }),
]);

export type Message = z.output<typeof message>;

/** One notification: messages, or that there were too many to say. */
export interface Notification {
  /** The node that sends it. */
  from: string;
  messages: Message[] | 'everything';
}

const envelope = z.object({ from: z.string(), messages: z.union([z.array(z.unknown()), z.literal('everything')]) });

/** PostgreSQL's limit for a notification is 8000 bytes, its end included. */
const MAX_BYTES = 7999;

/** The text of a notification. Repeated messages are said once. */
export function writeNotification(from: string, messages: readonly Message[] | 'everything'): string {
  const distinct = messages === 'everything' ? [] : new Map(messages.map((one) => [JSON.stringify(one), one])).values();
  const text = JSON.stringify({ from, messages: messages === 'everything' ? messages : [...distinct] });
  return Buffer.byteLength(text) <= MAX_BYTES ? text : writeNotification(from, 'everything');
}

/** What a notification says; undefined for one that is none of ours. Unknown messages are left out. */
export function readNotification(text: string): Notification | undefined {
  const { success, data } = envelope.safeParse(parse(text));
  if (!success) return undefined;
  const { from, messages } = data;
  if (messages === 'everything') return { from, messages };
  return { from, messages: messages.flatMap((one) => message.safeParse(one).data ?? []) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
