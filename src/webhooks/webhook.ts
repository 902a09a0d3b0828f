import { MESSAGE_STATUSES, type Message } from '../outbox/outbox.ts';
import type { StoragePath } from '../path.ts';

/** What a webhook can be told of. */
export const EVENT_TYPES = ['file.stored', 'file.moved', 'file.deleted', 'job.completed', 'job.error'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** What is sent because somebody wants to see whether it arrives. */
export const TEST_EVENT = 'webhook.test';

/** Something that has happened. */
export interface WebhookEvent {
  type: EventType;
  /** Where. Those who listen to a folder hear of it when one of these lies in it. */
  paths: readonly StoragePath[];
  /** Whether the paths are folders, with all that is in them. */
  isFolder: boolean;
  /** What receivers are told. */
  data: Readonly<Record<string, unknown>>;
}

/** Whoever wants to hear of events. */
export interface Webhook {
  id: string;
  url: string;
  events: readonly EventType[];
  /** Only what happens in this folder; the root for everything. */
  folder: StoragePath;
  enabled: boolean;
  /** Why it was disabled, when nobody asked for it. */
  disabledReason: string | undefined;
  /** Since when nothing was received, though it was tried. */
  failingSince: Date | undefined;
  createdAt: Date;
}

/** What a person gives and changes. */
export type WebhookFields = Pick<Webhook, 'url' | 'events' | 'folder' | 'enabled'>;

/** What is not given stays as it is. */
export type WebhookPatch = { [Name in keyof WebhookFields]?: WebhookFields[Name] | undefined };

export const DELIVERY_STATUSES = MESSAGE_STATUSES;

/** A message for a webhook, before and after it was received. */
export type Delivery = Message;
