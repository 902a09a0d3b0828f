import { z } from 'zod';
import { parseJson } from '../json.ts';

const path = z.string();
const isFolder = z.boolean();

/** All kinds of messages. An older node ignores kinds that it does not know. */
const message = z.discriminatedUnion('kind', [
  /** The original at this path, or everything in this folder, has changed. `etag` is the current version of a file. */
  z.object({ kind: z.literal('original'), path, isFolder, etag: z.string().optional() }),
  /** Evict the variants of this original, or of everything in this folder. */
  z.object({ kind: z.literal('variants'), path, isFolder }),
  /** Evict all variants. */
  z.object({ kind: z.literal('cleared') }),
  /** Spaces were created, changed or deleted. */
  z.object({ kind: z.literal('spaces') }),
  /** API keys have changed. */
  z.object({ kind: z.literal('key') }),
  /** Work of `Once` for this key has finished, and its result can be looked up. */
  z.object({ kind: z.literal('rendered'), key: z.string() }),
  /** A job is due, now or in `inMs`; or a running job was removed. */
  z.object({ kind: z.literal('job'), inMs: z.number().optional(), removed: z.string().optional() }),
  /** The outbox has a message for this target. */
  z.object({ kind: z.literal('outbox'), target: z.string() }),
  /** Webhooks were created, changed or deleted. */
  z.object({ kind: z.literal('webhooks') }),
  /** There are new events of jobs. */
  z.object({ kind: z.literal('events') }),
]);

export type Message = z.output<typeof message>;

/** One notification: a list of messages, or `everything` when the list was too long. */
export interface Notification {
  /** Sending node. */
  from: string;
  messages: Message[] | 'everything';
}

const envelope = z.object({ from: z.string(), messages: z.union([z.array(z.unknown()), z.literal('everything')]) });

/** PostgreSQL limits a notification to 8000 bytes, the terminator included. */
const MAX_BYTES = 7999;

/** Serialises a notification, without duplicates. */
export function writeNotification(from: string, messages: readonly Message[] | 'everything'): string {
  const distinct =
    messages === 'everything' ? [] : new Map(messages.map((message) => [JSON.stringify(message), message])).values();
  const text = JSON.stringify({ from, messages: messages === 'everything' ? messages : [...distinct] });
  return Buffer.byteLength(text) <= MAX_BYTES ? text : writeNotification(from, 'everything');
}

/** Parses a notification; undefined for a foreign one. Unknown messages are left out. */
export function readNotification(text: string): Notification | undefined {
  const { success, data } = envelope.safeParse(parseJson(text));
  if (!success) return undefined;
  const { from, messages } = data;
  if (messages === 'everything') return { from, messages };
  return { from, messages: messages.flatMap((value) => message.safeParse(value).data ?? []) };
}
