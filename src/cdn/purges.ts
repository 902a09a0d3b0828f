import type { Bus } from '../cluster/cluster.ts';
import { cacheTag, MAX_TAGGED_FOLDERS } from '../delivery/cache-tags.ts';
import type { Log } from '../log.ts';
import { DeliveryFailure } from '../outbox/failure.ts';
import { CDN, type Message, type Outbox, type OutboxStats } from '../outbox/outbox.ts';
import { sendRequest } from '../outbox/outgoing-request.ts';
import { ROOT, type StoragePath } from '../path.ts';
import { PurgeSender } from './purge-sender.ts';
import { type PURGE_STYLES, type PurgeAddress, STYLES } from './styles.ts';

export interface PurgeSettings extends PurgeAddress {
  style: (typeof PURGE_STYLES)[number];
  /** For how long changes are gathered for one request, in milliseconds. */
  delayMs: number;
  retryMax: number;
  retryDelayMs: number;
  /** More changes than this wait for no request: then everything is purged. */
  maxWaiting: number;
}

export interface PurgesOptions {
  settings: PurgeSettings;
  outbox: Outbox;
  bus: Bus;
  log: Log;
}

/** What is at a path. */
export type Kind = 'file' | 'folder' | 'either';

/**
 * Has a CDN forget what was made of originals that change. A change is written down before it begins: a process that dies at any
 * moment leaves a purge too many at worst.
 */
export class Purges {
  readonly #outbox: Outbox;
  readonly #sender: PurgeSender;
  /** After a longer change, its purge could have come before its end. */
  readonly #promptMs: number;

  constructor({ settings, ...rest }: PurgesOptions) {
    const { style, url, token, ...sending } = settings;
    const { maxTags } = STYLES[style];
    this.#outbox = rest.outbox;
    const send = (messages: readonly Message[], signal: AbortSignal) => sendPurge(messages, settings, signal);
    this.#sender = new PurgeSender({ ...rest, ...sending, batchSize: maxTags, send });
    // The other half is for the other nodes, who would tell the CDN what they still remember.
    this.#promptMs = settings.delayMs / 4;
  }

  start(): void {
    this.#sender.start();
  }

  stop(deadline: AbortSignal): Promise<void> {
    return this.#sender.stop(deadline);
  }

  /** What the CDN has not been told, by any node. */
  stats(): Promise<OutboxStats> {
    return this.#outbox.stats(CDN);
  }

  /** How many requests of this node the CDN has received, and how many failed. */
  get requests(): Readonly<Record<'received' | 'failed', number>> {
    return this.#sender.attempts;
  }

  /**
   * Runs a change after which nothing is right that was made of a file, or of the files in a folder.
   * @throws HttpProblem 503 when it cannot be written down, before the change; and what the change throws
   */
  async during<T>(path: StoragePath, kind: Kind, change: () => Promise<T>): Promise<T> {
    await this.add(path, kind);
    const writtenAt = performance.now();
    try {
      return await change();
    } finally {
      if (performance.now() - writtenAt > this.#promptMs) await this.add(path, kind);
    }
  }

  /** Has everything forgotten that was made of a file, or of the files in a folder. @throws HttpProblem 503 */
  async add(path: StoragePath, kind: Kind): Promise<void> {
    const tagged = kind === 'file' ? path : taggedFolder(path);
    const paths = kind === 'either' ? [...new Set([path, tagged])] : [tagged];
    if (tagged !== ROOT && (await this.#sender.add(paths))) return;
    await this.#sender.replace(ROOT);
  }
}

async function sendPurge(messages: readonly Message[], settings: PurgeSettings, signal: AbortSignal): Promise<void> {
  const { request, isDone = () => true } = STYLES[settings.style];
  const paths = [...new Set(messages.map(({ payload }) => payload as StoragePath))];
  // The tag of the root is on everything.
  const purged = paths.includes(ROOT) ? [ROOT] : paths;
  const purge = { paths: purged, tags: purged.map(cacheTag) };
  const secrets = settings.token === undefined ? [] : [settings.token];
  const answer = await sendRequest(request(purge, settings), { secrets, signal });
  if (!isDone(answer)) throw new DeliveryFailure('the answer does not say that it was done');
}

/** The folder itself, or the last one above it that has a tag. */
function taggedFolder(path: StoragePath): StoragePath {
  return path.split('/').slice(0, MAX_TAGGED_FOLDERS).join('/') as StoragePath;
}
