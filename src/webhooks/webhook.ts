import { MESSAGE_STATUSES, type Message } from '../outbox/outbox.ts';
import type { StoragePath } from '../path.ts';

/** Events to which a webhook can subscribe. */
export const EVENT_TYPES = [
  'file.stored',
  'file.moved',
  'file.deleted',
  'redirect.created',
  'redirect.deleted',
  'job.completed',
  'job.error',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** Event of a delivery that is sent to test a webhook. */
export const TEST_EVENT = 'webhook.test';

/** Something that has happened. */
export interface WebhookEvent {
  type: EventType;
  /** Subject of the event. Subscribers of a folder receive it when one of these lies in the folder. */
  paths: readonly StoragePath[];
  /** True if the paths are folders, with their contents. */
  isFolder: boolean;
  /** Payload for receivers. */
  data: Readonly<Record<string, unknown>>;
  /** Returns the event as the webhooks of a space receive it, with inner paths; undefined if it is none of its own. */
  inSpace?(space: SpaceFolder): WebhookEvent | undefined;
}

/** A space and its folder in the library. */
export interface SpaceFolder {
  id: string;
  folder: StoragePath;
}

/** A subscription of a receiver to events. */
export interface Webhook {
  id: string;
  /** The space whose events it receives, with inner paths; undefined for one of the installation. */
  space: SpaceFolder | undefined;
  url: string;
  events: readonly EventType[];
  /** Restricts the events to this folder, relative to the space; the root for all. */
  folder: StoragePath;
  enabled: boolean;
  /** Reason of an automatic disabling. */
  disabledReason: string | undefined;
  /** Time from which every attempt failed. */
  failingSince: Date | undefined;
  createdAt: Date;
}

/** Fields that a user sets. */
export type WebhookFields = Pick<Webhook, 'url' | 'events' | 'folder' | 'enabled'>;

/** Omitted fields stay unchanged. */
export type WebhookPatch = { [Name in keyof WebhookFields]?: WebhookFields[Name] | undefined };

export const DELIVERY_STATUSES = MESSAGE_STATUSES;

/** A message for a webhook, before and after it was received. */
export type Delivery = Message;
